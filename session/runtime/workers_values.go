package runtime

import (
	"context"
	"maps"

	"lathe/graphops"
	"lathe/graphops/execution"
)

// probing are the options with which values inside a model are computed. Optimizations are
// disabled, because an additional output can prevent a fusion, which changes other values.
var probing = Execution{Opt: "disable", Reuse: true}

// Expose returns the part of a model that computes the named values of its main graph, as a model
// whose outputs they are. It writes no file.
func Expose(m *graphops.Model, names []string) (*graphops.Model, error) {
	for _, name := range names {
		if _, err := m.Graph().Index().Lookup("value", name); err != nil {
			return nil, err
		}
	}
	part, _, err := graphops.Prune(m, graphops.PruneOptions{Outputs: names})
	return part, err
}

// FeedsOf returns the inputs of a model that a part of it needs.
func FeedsOf(part *graphops.Model, in graphops.Feeds) graphops.Feeds {
	takes := map[string]bool{}
	for _, v := range part.Graph().Inputs() {
		takes[v.Name()] = true
	}
	out := maps.Clone(in)
	maps.DeleteFunc(out, func(name string, _ graphops.Value) bool { return !takes[name] })
	return out
}

// Run implements execution.Runner.
func (w *Workers) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []execution.Want, yield func(execution.Got) error) error {
	names := make([]string, len(want))
	for i := range want {
		names[i] = want[i].Name
	}
	part, err := Expose(m, names)
	if err != nil {
		return err
	}
	l, err := w.Load(ctx, part, probing)
	if err != nil {
		return err
	}
	err = l.Run(ctx, FeedsOf(part, in), want, yield)
	if closing := l.Close(); err == nil {
		err = closing
	}
	return err
}
