//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"context"
	"slices"
	"unsafe"

	"lathe/session/ort/wire"
)

// runUnbound runs once without a binding, where an optional input that is not fed
// has no value. The feeds stay the caller's.
func (s *session) runUnbound(ctx context.Context, feeds []*feed, ports []*wire.Port) ([]*output, error) {
	if err := s.checkFeeds(feeds); err != nil {
		return nil, err
	}
	if err := finishAll(feeds); err != nil {
		return nil, err
	}
	feeds = slices.DeleteFunc(slices.Clone(feeds), (*feed).isEmptyOptional)
	var names cNames
	defer names.free()
	values := make([]*C.OrtValue, len(feeds)+1) // never empty, so that it has an address
	inputs := make([]*C.char, len(feeds)+1)
	for i, f := range feeds {
		values[i], inputs[i] = f.value, names.add(f.name)
	}
	outputs := make([]*C.char, len(ports)+1)
	for i, port := range ports {
		outputs[i] = names.add(port.GetName())
	}
	results := make([]*C.OrtValue, len(ports)+1)
	err := withRunOptions(ctx, func(options *C.OrtRunOptions) error {
		return check(C.ort_Run(s.handle, options, &inputs[0], &values[0], C.size_t(len(feeds)), &outputs[0], C.size_t(len(ports)), &results[0]))
	})
	if err != nil {
		return nil, err
	}
	out := make([]*output, len(ports))
	for i, port := range ports {
		out[i] = &output{lib: s.lib, name: port.GetName(), kind: port.GetKind(), value: results[i]}
	}
	return out, nil
}

// cNames are names for C, freed together. They are those of a loaded model, in
// which a NUL cannot stand.
type cNames []*C.char

func (n *cNames) add(name string) *C.char {
	made := C.CString(name)
	*n = append(*n, made)
	return made
}

func (n *cNames) free() {
	for _, name := range *n {
		C.free(unsafe.Pointer(name))
	}
}
