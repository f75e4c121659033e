//go:build linux

package tui

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/runtime"
)

// fakeRuntime runs nothing: every output consists of four numbers.
type fakeRuntime struct {
	runtime.Runtime
	mu   sync.Mutex
	ran  []string // how, and which outputs
	open int
	err  error // of the next load
}

func (r *fakeRuntime) Load(_ context.Context, m *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.err; err != nil {
		r.err = nil
		return nil, err
	}
	r.open++
	return &fakeSession{runtime: r, model: m, opt: o.Opt}, nil
}

// fakeSession is a part of a model on that runtime.
type fakeSession struct {
	fakeLoaded
	runtime *fakeRuntime
	model   *graphops.Model
	opt     string
}

func (l *fakeSession) Facts() runtime.Facts {
	return runtime.Facts{Provider: "cpu", LibraryVersion: "1.30.0"}
}

func (l *fakeSession) Hold(_ context.Context, in graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error {
	l.runtime.mu.Lock()
	l.runtime.ran = append(l.runtime.ran, fmt.Sprintf("%s: %d nodes on %d inputs", l.opt, len(l.model.Graph().Nodes()), len(in)))
	l.runtime.mu.Unlock()
	l.prober, l.values = newFakeProber(), map[string]graphops.Value{}
	for _, w := range want {
		if w.Elements || w.Profile {
			return errors.New("more is asked for than shows")
		}
		l.values[w.Name] = graphops.TensorValue(tensor.FromSlice([]float32{-1.5, 0, 2, 4}, 2, 2))
		bare := l.values[w.Name]
		bare.Tensor.Data = nil
		if err := yield(execution.Got{Name: w.Name, Value: bare}); err != nil {
			return err
		}
	}
	return nil
}

func (l *fakeSession) Close() error {
	l.runtime.mu.Lock()
	defer l.runtime.mu.Unlock()
	l.runtime.open--
	return nil
}

// TestJourneyByValues follows values through a model after a failure on other inputs, and leaves no
// worker running.
func TestJourneyByValues(t *testing.T) {
	r := &fakeRuntime{err: errCrash}
	j := setOut(t, "digits.onnx", 80, 24, func(o *Options) { o.Env.Runtime = r })
	j.finds("fc1").types("=").sees("crashed with SIGSEGV", "= runs it again")
	j.types("I").sees("value: runs up to").types("down", "down", "'7").sees("--seed=7").types("enter")
	j.sees("f32 2×2, 4 elements", "computed from seed 7", "max          4")
	j.types("E").sees("[0, 0] = -1.5").types("{").sees("Flatten_output_0").types("{").sees("Relu_1_output_0")
	j.types("2").sees("›Relu").types("r").sees("value: ok", "/Relu_1_output_0  f32 2×2", "made from    seed 7").types("esc", "q")
	if err := j.finish(); err != nil {
		t.Fatal(err)
	}
	if r.open != 0 {
		t.Errorf("%d workers are left", r.open)
	}
	if want := []string{"disable: 7 nodes on 1 inputs", "disable: 6 nodes on 1 inputs", "disable: 5 nodes on 1 inputs"}; fmt.Sprint(r.ran) != fmt.Sprint(want) {
		t.Errorf("ran %q, want %q", r.ran, want)
	}
}
