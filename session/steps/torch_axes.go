package steps

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/shape"
	"lathe/session/text"
	"lathe/session/torch"
)

// settled is the model with its axes called as they were asked for, and with the sizes of
// outputs that an exporter by tracing leaves open, or calls by a name of its own, where they are
// known.
func (j *torchJob) settled(ctx context.Context, b *torch.Bridge, m *graphops.Model) (*graphops.Model, error) {
	m = j.named(b, m)
	known := map[string]bool{}
	for _, v := range m.Graph().FeedInputs() {
		for _, d := range v.Type().Shape {
			known[d.Symbol] = true
		}
	}
	found, err := shape.Infer(ctx, m, shape.Options{Fresh: true})
	if err != nil {
		return nil, err
	}
	main := m.Places()[0]
	to := map[string]graphops.Dim{}
	for _, v := range m.Graph().Outputs() {
		id, ok := main.Graph.Index().Value(v.Name())
		if !ok {
			continue
		}
		inferred := found.Type(main, id).Shape
		for i, d := range v.Type().Shape {
			if d.Symbol != "" && !known[d.Symbol] && len(inferred) == len(v.Type().Shape) && (inferred[i].IsFixed() || inferred[i].Symbol != "" && known[inferred[i].Symbol]) {
				to[d.Symbol] = inferred[i]
			}
		}
	}
	return edit.FixSymbols(m, to), nil
}

// named gives axes the symbols that were asked for: where an exporter cannot tell which input
// an axis is of, it makes up a symbol.
func (j *torchJob) named(b *torch.Bridge, m *graphops.Model) *graphops.Model {
	axes := j.dynamic
	if len(axes) == 0 {
		axes = b.Description.Dynamic
	}
	e, err := eagerOf(b, m)
	if err != nil || len(axes) == 0 {
		return m // validation tells
	}
	to := map[string]string{}
	for _, v := range m.Graph().FeedInputs() {
		for _, a := range axes {
			shape := v.Type().Shape
			if a.Path != e.paths[v.Name()] || a.Axis >= len(shape) {
				continue
			}
			switch d := shape[a.Axis]; {
			case d.IsFixed():
				j.report.warn("%s:%d is %d in what was exported, and not free: the model's code makes a constant of it", v.Name(), a.Axis, d.Value)
			case d.Symbol != "" && to[d.Symbol] != "" && to[d.Symbol] != a.Symbol:
				j.report.warnOnce("%s:%d has the size of another axis in what was exported, and is called as that, %s: the model's code has both be equal", text.Clean(v.Name()), a.Axis, text.Clean(to[d.Symbol]))
			case d.Symbol != "":
				to[d.Symbol] = a.Symbol
			}
		}
	}
	return edit.RenameSymbols(m, to)
}
