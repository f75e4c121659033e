//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"context"
	"slices"

	"lathe/session/ort/wire"
)

// runUnbound runs the session once without an OrtIoBinding. This is the only way to run with an
// optional input that has no value. The caller still owns the feeds and has to release the outputs.
func (s *session) runUnbound(ctx context.Context, feeds []*feed, ports []wire.Port) ([]*output, error) {
	if err := s.checkFeeds(feeds); err != nil {
		return nil, err
	}
	if err := finishAll(feeds); err != nil {
		return nil, err
	}
	feeds = slices.DeleteFunc(slices.Clone(feeds), (*feed).isEmptyOptional)
	inputs, wanted := newNameTable(feedNames(feeds)), newNameTable(portNames(ports))
	defer inputs.free()
	defer wanted.free()
	values := make([]*C.OrtValue, len(feeds)+1) // one more, so that it is never empty
	for i, f := range feeds {
		values[i] = f.value
	}
	results := make([]*C.OrtValue, len(ports)+1)
	err := s.withRunOptions(ctx, false, func(options *C.OrtRunOptions) error {
		return check(C.ort_Run(s.handle, options, inputs.table, &values[0], C.size_t(len(feeds)), wanted.table, C.size_t(len(ports)), &results[0]))
	})
	if err != nil {
		return nil, err
	}
	out := make([]*output, len(ports))
	for i, port := range ports {
		out[i] = &output{lib: s.lib, name: port.Name, kind: port.Kind, value: results[i]}
	}
	return out, nil
}
