package timing

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort"
	"lathe/session/runtime"
)

// countedRuntime loads models that do nothing, and notes with how many threads.
type countedRuntime struct {
	runtime.Runtime
	loaded []int64
}

func (r *countedRuntime) Load(_ context.Context, m *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	r.loaded = append(r.loaded, o.Threads)
	return idle{types: graphops.NamedTypes(m.Graph().FeedInputs()), each: time.Duration(10/max(o.Threads, 1)) * time.Millisecond}, nil
}

// idle is a loaded model whose runs take a time without doing anything.
type idle struct {
	runtime.Loaded
	types []graphops.NamedType
	each  time.Duration
}

func (l idle) Inputs() []graphops.NamedType { return l.types }
func (l idle) Facts() runtime.Facts         { return runtime.Facts{Provider: "cpu", LibraryVersion: "1.30.0"} }

func (l idle) Placement(context.Context) (ort.Placement, error)        { return ort.Placement{}, nil }
func (l idle) Bind(context.Context, graphops.Feeds, ort.Binding) error { return nil }
func (l idle) Machine(context.Context) (machine.State, error)          { return machine.State{}, nil }

func (l idle) Queue() ort.Queue                                                { return ort.Queue{} }
func (l idle) Close() error                                                    { return nil }
func (l idle) Stages(context.Context, int, time.Duration) (*ort.Stages, error) { return nil, nil }

func (l idle) Block(_ context.Context, runs int, d time.Duration) ([]time.Duration, error) {
	n := max(min(runs, int(d/l.each)), 1)
	return slices.Repeat([]time.Duration{l.each}, n), nil
}

func (l idle) BlockAt(ctx context.Context, _ uint64, runs int, d time.Duration) ([]time.Duration, error) {
	return l.Block(ctx, runs, d)
}

// TestThreadsSweep measures every model with every number of threads. A model is compared with
// itself at its first number, and with the first model at the same number.
func TestThreadsSweep(t *testing.T) {
	r := &countedRuntime{}
	m := graphtest.Model(t, "input x f32[n,2]\noutput y f32[n,2]\ny = Relu(x)\n")
	env := session.Env{Runtime: r, Models: map[string]*graphops.Model{"a.onnx": m, "b.onnx": m}, Progress: func(session.Progress) {}}
	s := &Benchmark{Models: []string{"a.onnx", "b.onnx"}, ThreadCounts: "1, 2", Runs: 12, NoMemory: true, Keeping: flags.Keeping{NoStore: true}}
	over, err := s.swept()
	if err != nil {
		t.Fatal(err)
	}
	targets, err := s.load(t.Context(), env, over)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{1, 2, 1, 2}; !slices.Equal(r.loaded, want) {
		t.Errorf("loaded with %v threads, expected %v", r.loaded, want)
	}
	report, err := s.Measure(t.Context(), env, targets, machine.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for _, c := range report.Comparisons {
		pairs = append(pairs, c.B+" / "+c.A+": "+c.Along)
	}
	want := []string{
		"b.onnx with 1 thread / a.onnx with 1 thread: model",
		"b.onnx with 2 threads / a.onnx with 2 threads: model",
		"a.onnx with 2 threads / a.onnx with 1 thread: threads",
		"b.onnx with 2 threads / b.onnx with 1 thread: threads",
	}
	if diff := cmp.Diff(want, pairs); diff != "" {
		t.Error(diff)
	}
	keys := map[string]bool{}
	for i, run := range report.Runs {
		if run.Threads != over.threads[i%2] {
			t.Errorf("%s: %d threads in the report", run.Name, run.Threads)
		}
		keys[targets[i].settings(s)["threads"]] = true
	}
	if !keys["1"] || !keys["2"] || len(keys) != 2 {
		t.Errorf("the settings of results have the threads %v", keys)
	}

	one := &Benchmark{Models: []string{"a.onnx"}, ThreadCounts: "3"}
	if over, err = one.swept(); err != nil {
		t.Fatal(err)
	}
	targets, err = one.load(t.Context(), env, over)
	if err != nil || targets[0].Name() != "a.onnx" || targets[0].facts().Threads != 3 {
		t.Errorf("%v, %+v", err, targets[0].facts())
	}
	for _, bad := range []string{"0", "1,", "two", "1;2", "-1", "99999999999999999999"} {
		if _, err := (&Benchmark{ThreadCounts: bad}).swept(); err == nil {
			t.Errorf("--threads %q is accepted", bad)
		}
	}
}
