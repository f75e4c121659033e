package torch

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/edit"
	"lathe/graphops/shape"
	"lathe/session/compare"
	"lathe/session/sides"
	"lathe/session/text"
	"lathe/session/torch"
)

// settled returns the model with the requested names for axes. If an exporter by tracing left a
// size of an output open, or made up a name for it, and the size can be inferred, it gets the
// inferred size.
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
	to := map[string]map[int]graphops.Dim{}
	for _, v := range m.Graph().Outputs() {
		to[v.Name()] = map[int]graphops.Dim{}
		id, ok := main.Graph.Index().Value(v.Name())
		if !ok {
			continue
		}
		inferred := found.Type(main, id).Shape
		for i, d := range v.Type().Shape {
			if d.Symbol != "" && !edit.IsKnown(d, known) && len(inferred) == len(v.Type().Shape) && edit.IsKnown(inferred[i], known) {
				to[v.Name()][i] = inferred[i]
			}
		}
	}
	// Exporters that trace may use one made-up symbol for axes of different sizes, so the symbols
	// of outputs are checked.
	return j.namedOutputs(b, edit.OpenSizes(edit.OutputSizes(m, to), known)), nil
}

// namedOutputs gives axes of outputs the names that the user requested, unless their size follows
// from the inputs.
func (j *torchJob) namedOutputs(b *torch.Bridge, m *graphops.Model) *graphops.Model {
	for _, a := range j.outputs {
		at := slices.Index(b.Description.OutputNames, a.Path)
		if at < 0 || at >= len(m.Graph().Outputs()) {
			continue
		}
		v := m.Graph().Outputs()[at]
		if a.Axis >= len(v.Type().Shape) {
			continue
		}
		switch d := v.Type().Shape[a.Axis]; {
		case d.IsFixed():
			j.report.warnOnce("output %s:%d is %d in the exported model, and not dynamic", text.Clean(v.Name()), a.Axis, d.Value)
		case d.Symbol == "":
			m = edit.OutputSizes(m, map[string]map[int]graphops.Dim{v.Name(): {a.Axis: graphops.SymbolDim(a.Symbol)}})
		case d.Symbol != a.Symbol:
			j.report.warnOnce("output %s:%d is called %s, because its size depends on the inputs", text.Clean(v.Name()), a.Axis, text.Clean(d.String()))
		}
	}
	return m
}

// contradicted removes declared sizes of outputs that a run has contradicted.
func (j *torchJob) contradicted(m *graphops.Model, r *sides.Report) *graphops.Model {
	to := map[string]map[int]graphops.Dim{}
	for _, c := range r.Cases {
		sizes := sizesOfCase(m, c)
		for _, o := range c.Outputs {
			at := slices.IndexFunc(m.Graph().Outputs(), func(v *graphops.ValueInfo) bool { return v.Name() == o.Name })
			if at < 0 {
				continue
			}
			declared := m.Graph().Outputs()[at].Type().Shape
			for i := range min(len(declared), len(o.Shape)) {
				n, ok := sizeIn(declared[i], sizes)
				if _, told := to[o.Name][i]; told || !ok || n == o.Shape[i] {
					continue
				}
				if to[o.Name] == nil {
					to[o.Name] = map[int]graphops.Dim{}
				}
				to[o.Name][i] = graphops.SymbolDim("")
				j.report.warn("output %q: axis %d is %s in the exported model, and %d in case %q: its size is left open", text.Clean(o.Name), i, declared[i], o.Shape[i], text.Clean(c.Name))
			}
		}
	}
	return edit.OutputSizes(m, to)
}

// sizesOfCase returns the sizes of the symbols of a model's inputs in a case.
func sizesOfCase(m *graphops.Model, c compare.CaseResult) map[string]int64 {
	sizes := map[string]int64{}
	for _, in := range c.Inputs {
		for _, v := range m.Graph().FeedInputs() {
			for i, d := range v.Type().Shape {
				if v.Name() == in.Name && i < len(in.Shape) && d.Symbol != "" {
					sizes[d.Symbol] = in.Shape[i]
				}
			}
		}
	}
	return sizes
}

// sizeIn returns a size as a number, if it is known.
func sizeIn(d graphops.Dim, sizes map[string]int64) (int64, bool) {
	if d.IsFixed() {
		return d.Value, true
	}
	if d.Symbol == "" {
		return 0, false
	}
	n, err := dim.OfText(d.Symbol).Eval(func(symbol string) (int64, bool) { n, ok := sizes[symbol]; return n, ok })
	return n, err == nil
}

// named gives axes the requested symbols, because an exporter that does not know which input an
// axis belongs to makes up symbols.
func (j *torchJob) named(b *torch.Bridge, m *graphops.Model) *graphops.Model {
	axes := j.dynamic
	if len(axes) == 0 {
		axes = b.Description.Dynamic
	}
	e, err := sides.EagerOf(b, m)
	if err != nil || len(axes) == 0 {
		return m // validation reports the reason
	}
	to := map[string]string{}
	for _, v := range m.Graph().FeedInputs() {
		for _, a := range axes {
			shape := v.Type().Shape
			if a.Path != e.Paths[v.Name()] || a.Axis >= len(shape) {
				continue
			}
			switch d := shape[a.Axis]; {
			case d.IsFixed() && j.step.NoValidate:
				j.report.warnOnce("%s:%d is %d in the exported model, and not dynamic: the model's code turns it into a constant", text.Clean(v.Name()), a.Axis, d.Value)
			case d.Symbol != "" && to[d.Symbol] != "" && to[d.Symbol] != a.Symbol:
				j.report.warnOnce("%s:%d has the size of another axis in the exported model, and its name, %s: the model's code requires both to be equal", text.Clean(v.Name()), a.Axis, text.Clean(to[d.Symbol]))
			case d.Symbol != "":
				to[d.Symbol] = a.Symbol
			}
		}
	}
	return edit.RenameSymbols(m, to)
}
