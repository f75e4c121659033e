//go:build cgo

package worker

// #include <stdlib.h>
// #include "api.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"lathe/session/ort/wire"
)

// maxStageRuns limits the runs of one request that measures stages.
const maxStageRuns = 1000

func (s *server) stagesJob(req *wire.StageRuns) (*job, error) {
	runs, limit := req.MaxRuns, req.Duration
	if runs < 1 || runs > maxStageRuns || limit <= 0 {
		return nil, fmt.Errorf("measuring the stages of %d runs in %v: expected 1 to %d runs and a time above 0", runs, limit, maxStageRuns)
	}
	return &job{release: func() {}, run: func(ctx context.Context) (*wire.Reply, error) {
		var reply *wire.Stages
		_, err := s.withSession(ctx, req.Session, func(target *session) (err error) {
			reply, err = target.stages(ctx, int(runs), limit)
			return err
		})
		return &wire.Reply{Stages: reply}, err
	}}, nil
}

// stages runs the model on the inputs of the last Bind and measures the parts of each run, from
// copying the inputs to copying the outputs.
func (s *session) stages(ctx context.Context, maxRuns int, limit time.Duration) (*wire.Stages, error) {
	if s.bound == nil {
		return nil, errors.New("stages need bound inputs: Bind comes first")
	}
	first := s.bound.all[0]
	memory, err := s.outputMemory(true)
	if err != nil {
		return nil, err
	}
	device, err := s.newStaged(first, memory)
	if err != nil {
		return nil, err
	}
	defer device.release()
	host, err := s.newStaged(first, s.lib.host)
	if err != nil {
		return nil, err
	}
	defer host.release()
	device.rebind(first.feeds)
	stages := make([]C.struct_stages, maxRuns)
	var runs C.int64_t
	err = withRunOptions(ctx, func(waiting *C.OrtRunOptions) error {
		return withRunOptions(ctx, func(unsynchronized *C.OrtRunOptions) error {
			if err := setRunConfig(unsynchronized, "disable_synchronize_execution_providers", "1"); err != nil {
				return err
			}
			return check(C.run_stages(s.handle, waiting, unsynchronized, &device.table[0], &host.table[0], C.int64_t(maxRuns), C.int64_t(limit), &stages[0], &runs))
		})
	})
	if err != nil {
		return nil, err
	}
	reply := &wire.Stages{OnDevice: memory != s.lib.host}
	for _, st := range stages[:runs] {
		reply.ToDevice = append(reply.ToDevice, time.Duration(st.to_device))
		reply.Enqueued = append(reply.Enqueued, time.Duration(st.enqueued))
		reply.Complete = append(reply.Complete, time.Duration(st.complete))
		reply.ToHost = append(reply.ToHost, time.Duration(st.to_host))
	}
	return reply, nil
}

// newStaged returns a single lane with the inputs of another binding, which still owns them, and
// with outputs in the given memory.
func (s *session) newStaged(of *bindings, memory *C.OrtMemoryInfo) (*lanes, error) {
	b, err := s.sharing(of, memory)
	if err != nil {
		return nil, err
	}
	return &lanes{all: []*bindings{b}, table: []C.struct_lane{b.lane()}}, nil
}

// sharing returns a binding with the inputs of another binding, which still owns them, and with
// outputs in the given memory.
func (s *session) sharing(of *bindings, memory *C.OrtMemoryInfo) (*bindings, error) {
	b := &bindings{feeds: of.feeds, ports: of.ports, memory: memory}
	err := b.attach(s)
	b.feeds = nil
	if err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

func setRunConfig(options *C.OrtRunOptions, key, value string) error {
	cKey, cValue := C.CString(key), C.CString(value)
	defer C.free(unsafe.Pointer(cKey))
	defer C.free(unsafe.Pointer(cValue))
	return check(C.ort_AddRunConfigEntry(options, cKey, cValue))
}
