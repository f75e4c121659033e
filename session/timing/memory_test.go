package timing

import (
	"context"
	"errors"
	"slices"
	"testing"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/runtime"
)

// onceRuntime loads a model only once.
type onceRuntime struct{ countedRuntime }

func (r *onceRuntime) Load(ctx context.Context, m *graphops.Model, o runtime.Execution) (runtime.Loaded, error) {
	if len(r.loaded) > 0 {
		return nil, errors.New("the worker died")
	}
	return r.countedRuntime.Load(ctx, m, o)
}

// TestMemoryNotMeasured: measured times are reported even if the memory cannot be measured after them.
func TestMemoryNotMeasured(t *testing.T) {
	m := graphtest.Model(t, "input x f32[n,2]\noutput y f32[n,2]\ny = Relu(x)\n")
	env := session.Env{Runtime: &onceRuntime{}, Models: map[string]*graphops.Model{"a.onnx": m}, Progress: func(session.Progress) {}}
	s := &Benchmark{Models: []string{"a.onnx"}, Runs: 12, Keeping: flags.Keeping{NoStore: true}}
	over, err := s.swept()
	if err != nil {
		t.Fatal(err)
	}
	targets, err := s.load(t.Context(), env, over)
	if err != nil {
		t.Fatal(err)
	}
	report, err := s.Measure(t.Context(), env, targets, machine.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "the memory of a.onnx was not measured: the worker died"; !slices.Contains(report.Notes, want) || report.Runs[0].Samples != 12 {
		t.Errorf("%d runs, notes %q", report.Runs[0].Samples, report.Notes)
	}
}
