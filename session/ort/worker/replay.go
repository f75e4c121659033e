//go:build cgo

package worker

// #include "api.h"
// #include "replay.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"lathe/session/ort/ep"
	"lathe/session/ort/wire"
)

// captures reports whether a provider captures the work of runs and replays it.
func captures(p wire.Provider) bool {
	row, _ := ep.Find(p.Name)
	return row.Graph.IsSet(p.Options)
}

// graphKey is the config entry of a run for the number of the graph that it captures or replays.
const graphKey = "gpu_graph_id"

// noGraph is the number with which a run neither captures nor replays.
const noGraph = "-1"

// ownThread is a thread of the system that runs one function after the other. CUDA's provider keeps
// a captured graph for the thread that ran it.
type ownThread struct{ work chan func() }

// withRunOptions calls run with the options of a run that replays a graph, if the session captures
// one, or of a run that does not replay.
func (s *session) withRunOptions(ctx context.Context, replays bool, run func(*C.OrtRunOptions) error) error {
	if !s.captures {
		return withRunOptions(ctx, run)
	}
	return s.onThread(func() error {
		return withRunOptions(ctx, func(options *C.OrtRunOptions) error {
			if !replays {
				if err := setRunConfig(options, graphKey, noGraph); err != nil {
					return err
				}
			}
			return run(options)
		})
	})
}

// onThread calls f in the session's own thread.
func (s *session) onThread(f func() error) error {
	if s.replays == nil {
		t := &ownThread{make(chan func())}
		s.replays = t
		go func() {
			runtime.LockOSThread() // the thread ends with this function
			for do := range t.work {
				do()
			}
		}()
	}
	done := make(chan error)
	s.replays.work <- func() { done <- f() }
	return <-done
}

func (t *ownThread) end() {
	if t != nil {
		close(t.work)
	}
}

func (s *server) replayJob(id uint64, replay *wire.Replay) (*job, error) {
	others, sinks, err := s.newOthers(replay.Want)
	if err != nil {
		return nil, err
	}
	return &job{
		sinks:   sinks,
		release: func() { releaseOthers(others) },
		run: func(ctx context.Context) (*wire.Reply, error) {
			return s.withSession(ctx, replay.Session, func(target *session) error {
				outputs, err := target.replay(ctx)
				if err != nil {
					return err
				}
				defer releaseOutputs(outputs)
				chosen, err := named(outputs, replay.Want)
				if err != nil {
					return err
				}
				return s.answer(ctx, id, chosen, replay.Want, others)
			})
		},
	}, nil
}

// named returns the output that each want names.
func named(outputs []*output, want []wire.Want) ([]*output, error) {
	chosen := make([]*output, len(want))
	for i, w := range want {
		for _, o := range outputs {
			if o.name == w.Name {
				chosen[i] = o
			}
		}
		if chosen[i] == nil {
			return nil, fmt.Errorf("the graph has no output %q", w.Name)
		}
	}
	return chosen, nil
}

// errNoReplay is the error of a session whose runs replay nothing although its provider should capture.
var errNoReplay = errors.New("the provider has captured no graph: a later run still writes the memory that it is given")

// replay replays the captured graph and returns copies of the outputs on the host. Before that it
// overwrites the outputs on the device, so that what it returns is what the graph writes.
func (s *session) replay(ctx context.Context) ([]*output, error) {
	if !s.captures || s.bound == nil {
		return nil, errors.New("a replay needs a provider that captures graphs, and a block before")
	}
	first := s.bound.all[0]
	if err := s.checkReplays(ctx, first); err != nil {
		return nil, err
	}
	onDevice, err := first.outputs(s.lib)
	if err != nil {
		return nil, err
	}
	defer releaseOutputs(onDevice)
	var onHost []*output
	for _, o := range onDevice {
		host, err := s.lib.twin(o)
		if err != nil {
			releaseOutputs(onHost)
			return nil, fmt.Errorf("output %q: %w", o.name, err)
		}
		onHost = append(onHost, host)
	}
	steps := func() error {
		if err := s.copyAll(onHost, onDevice, toDevice); err != nil {
			return err
		}
		if err := s.replayOnce(ctx, first); err != nil {
			return err
		}
		return s.copyAll(onDevice, onHost, toHost)
	}
	if err := steps(); err != nil {
		releaseOutputs(onHost)
		return nil, err
	}
	return onHost, nil
}

// checkReplays returns an error unless runs replay a graph. A replay does not write the outputs of
// another binding, because it writes those of the run that was captured.
func (s *session) checkReplays(ctx context.Context, of *bindings) error {
	b, err := s.sharing(of, of.memory)
	if err != nil {
		return err
	}
	defer b.release()
	if err := s.replayOnce(ctx, b); err != nil {
		return err
	}
	outputs, err := b.outputs(s.lib)
	if err != nil {
		return err
	}
	defer releaseOutputs(outputs)
	for _, o := range outputs {
		var has C.int
		if err := check(C.ort_HasValue(o.value, &has)); err != nil {
			return err
		}
		if has != 0 {
			return errNoReplay
		}
	}
	return nil
}

func (s *session) replayOnce(ctx context.Context, b *bindings) error {
	_, err := s.run(ctx, []C.struct_lane{b.lane()}, extent{runs: 1, limit: math.MaxInt64, replays: true}, nil)
	return err
}

// twin returns a tensor on the host with the type and shape of an output. Every byte of it is
// unwritten.
func (l *library) twin(o *output) (*output, error) {
	c, err := o.open()
	if err != nil {
		return nil, err
	}
	defer c.close()
	if len(c.tensors) != 1 || c.announced.Kind != kindNameTensor {
		return nil, errors.New("it is not a tensor")
	}
	value, err := l.newTensor(c.tensors[0].tensor.DType, c.tensors[0].tensor.Shape)
	if err != nil {
		return nil, err
	}
	out := &output{lib: l, name: o.name, kind: o.kind, value: value}
	data, err := tensorBytes(value)
	if err != nil {
		releaseOutputs([]*output{out})
		return nil, err
	}
	for i := range data {
		data[i] = unwritten
	}
	return out, nil
}

// unwritten is what outputs are filled with before a replay. Floating-point numbers of such bytes are
// NaN, or so large that they are hardly a result.
const unwritten = 0x7f

// The directions in which outputs are copied.
const (
	toHost   = 0
	toDevice = 1
)

// copyAll copies outputs between the device and the host. ONNX Runtime can only do that for the
// device of a plug-in. Its own providers that capture graphs use CUDA, so the driver copies for them.
func (s *session) copyAll(from, to []*output, direction C.int) error {
	return s.onThread(func() error {
		for i := range from {
			if err := s.copyOne(from[i], to[i], direction); err != nil {
				return fmt.Errorf("output %q: %w", from[i].name, err)
			}
		}
		return nil
	})
}

func (s *session) copyOne(from, to *output, direction C.int) error {
	if s.plug != nil {
		return check(C.ort_CopyTensors(s.lib.env, &from.value, &to.value, nil, 1))
	}
	source, err := tensorBytes(from.value)
	if err != nil || len(source) == 0 {
		return err
	}
	target, err := tensorBytes(to.value)
	if err != nil {
		return err
	}
	if problem := C.cuda_copy(unsafe.Pointer(&target[0]), unsafe.Pointer(&source[0]), C.size_t(len(source)), direction); problem != nil {
		return errors.New(C.GoString(problem))
	}
	return nil
}
