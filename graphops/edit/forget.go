package edit

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
)

// doubt says which parts of the recorded types of some values an edit may have made wrong. The zero
// value means that all are still right.
type doubt struct {
	elem  bool
	shape likeness
	// outputs reports that the element types of outputs of the main graph may be wrong too. If it
	// is not set, they are kept, because callers rely on them, and the edit must not change them.
	outputs bool
}

func (d doubt) any() bool { return d != doubt{} }

func (d doubt) or(other doubt) doubt {
	return doubt{d.elem || other.elem, max(d.shape, other.shape), d.outputs || other.outputs}
}

// forget removes the parts of recorded types that may be wrong from all values that f finds. recall
// can ask for them again after the edit. Call forget before any other change, because it restarts
// the edit.
func (e *edit) forget(f *follower, d doubt) {
	f.run()
	was, elsewhere := e.model, 0
	m := e.model.EditPlaces(func(p *graphops.Place, g *graphops.GraphEditor) bool {
		count := d.forget(p, g, f.found[p])
		if p.Kind != graphops.MainGraph {
			elsewhere += count
		}
		return count > 0
	})
	if elsewhere > 0 {
		e.report.warn("%s inside bodies and functions may be wrong after the change and are removed", counted(elsewhere, "recorded type"))
	}
	e.doubt, e.doubted, e.recordedIn, e.recorded = d, f.found[was.Places()[0]], was, was.Graph().Index()
	e.restart(m)
}

// forget removes the doubtful parts from the types of the named values in a place. It returns how
// many types it changed.
func (d doubt) forget(p *graphops.Place, g *graphops.GraphEditor, names map[string]bool) int {
	if len(names) == 0 {
		return 0
	}
	count := 0
	drop := func(list []*graphops.ValueInfo, d doubt) {
		for i, v := range list {
			if t, changed := d.without(v.Type()); changed && names[v.Name()] {
				list[i] = v.WithType(t)
				count++
			}
		}
	}
	drop(g.ValueInfo, d)
	if p.Kind == graphops.MainGraph {
		drop(g.Outputs, doubt{elem: d.elem && d.outputs, shape: d.shape})
		return count
	}
	drop(g.Outputs, d)
	drop(g.Inputs, d)
	g.ValueInfo = withoutEmpty(g.ValueInfo, names)
	return count
}

// withoutEmpty removes those entries of named values that have no type, documentation or metadata.
func withoutEmpty(list []*graphops.ValueInfo, names map[string]bool) []*graphops.ValueInfo {
	return slices.DeleteFunc(list, func(v *graphops.ValueInfo) bool {
		return names[v.Name()] && v.Type().Kind == graphops.TypeUnknown && v.Doc() == "" && len(v.Metadata()) == 0
	})
}

// without returns a type without its doubtful parts, and whether it differs from t.
func (d doubt) without(t graphops.Type) (graphops.Type, bool) {
	switch {
	case d.elem:
		return graphops.Type{}, t.Kind != graphops.TypeUnknown
	case d.shape == resized:
		open := t
		open.Shape = openDims(t.Shape)
		return open, open.Declaration() != t.Declaration()
	case d.shape != alike:
		open := withoutShape(t)
		return open, open.Declaration() != t.Declaration()
	default:
		return t, false
	}
}

// openDims returns a shape of the same rank in which all sizes are unknown.
func openDims(s graphops.Shape) graphops.Shape {
	if s == nil {
		return nil
	}
	open := make(graphops.Shape, len(s))
	for i := range open {
		open[i] = graphops.Dim{Value: -1}
	}
	return open
}

// withoutShape returns the type with an unknown rank, also in sequences and optionals.
func withoutShape(t graphops.Type) graphops.Type {
	t.Shape = nil
	if t.Of != nil {
		of := withoutShape(*t.Of)
		t.Of = &of
	}
	return t
}

// recall asks typer for the types of the main graph that were forgotten, and records its answers. m
// is the edited model. Types that typer does not know stay forgotten.
func (e *edit) recall(ctx context.Context, typer execution.Typer, m *graphops.Model) (*graphops.Model, error) {
	if len(e.doubted) == 0 {
		return m, nil
	}
	told, err := e.askAgain(ctx, typer, m)
	if err != nil {
		return nil, err
	}
	known, err := e.sizesWhereOpen(ctx, m, told)
	if err != nil {
		return nil, err
	}
	next := graphops.EditGraph(m.Graph())
	for _, list := range [][]*graphops.ValueInfo{next.ValueInfo, next.Outputs} {
		for i, v := range list {
			if t, ok := told[v.Name()]; ok && t.Kind != graphops.TypeUnknown && e.doubted[v.Name()] {
				list[i] = v.WithType(e.settled(v.Name(), t, known))
			}
		}
	}
	next.ValueInfo = withoutEmpty(next.ValueInfo, e.doubted)
	e.reportOutputs(next.Outputs, told != nil)
	return m.WithGraph(m.Places()[0], next.Graph()), nil
}

// askAgain asks typer for the types of those doubted values for which m has an entry. It returns
// nil if there are none or if typer is nil.
func (e *edit) askAgain(ctx context.Context, typer execution.Typer, m *graphops.Model) (map[string]graphops.Type, error) {
	var names []string
	draft := graphops.EditGraph(m.Graph())
	for _, v := range draft.ValueInfo {
		if e.doubted[v.Name()] {
			names = append(names, v.Name())
		}
	}
	for i, v := range draft.Outputs {
		if e.doubted[v.Name()] {
			names = append(names, v.Name())
			if e.doubt.elem {
				draft.Outputs[i] = v.WithType(graphops.Type{})
			}
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	if typer == nil {
		e.report.warn("the types that follow from the change are unknown without a runtime: %s", e.left())
		return nil, nil
	}
	told, err := typer.Types(ctx, m.WithGraph(m.Places()[0], draft.Graph()), names)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		e.report.warn("the runtime does not tell the types that follow from the change: %s; %v", e.left(), err)
	}
	return told, nil
}

// left says, for a warning, what happens to the types that nothing tells.
func (e *edit) left() string {
	switch {
	case e.doubt.elem && e.doubt.outputs:
		return "declared types of values after it are removed"
	case e.doubt.elem:
		return "declared types of values after it are removed, except those of outputs"
	case e.doubt.shape == resized:
		return "declared sizes of values after it are removed"
	default:
		return "declared shapes of values after it are removed"
	}
}

// settled returns the type to record for a value for which the runtime tells the type told. Parts
// of the old type are kept if they were not in doubt, or if they were only possibly wrong and told
// does not contradict them: the runtime does not know all symbols.
func (e *edit) settled(name string, told graphops.Type, known sizes) graphops.Type {
	id, ok := e.recorded.Value(name)
	if !ok {
		return told
	}
	was := e.recorded.Type(id)
	if was.Kind != graphops.TypeTensor || told.Kind != graphops.TypeTensor || was.Shape == nil {
		return told
	}
	switch {
	case e.doubt.shape == alike || e.doubt.shape == maybe && compareShapes(was.Shape, told.Shape) != unlike:
		told.Shape = was.Shape
	case e.doubt.shape == resized && told.Shape == nil:
		told.Shape = openDims(was.Shape)
	default:
		told = known.complete(name, was, told)
	}
	return told
}

// reportOutputs reports the outputs of the main graph whose types changed. If asked is set, it also
// warns about outputs whose shape the runtime did not tell.
func (e *edit) reportOutputs(outputs []*graphops.ValueInfo, asked bool) {
	for _, v := range outputs {
		id, ok := e.recorded.Value(v.Name())
		if !ok || !e.doubted[v.Name()] {
			continue
		}
		was, is := e.recorded.Type(id), v.Type()
		if typeText(was) != typeText(is) {
			e.report.changed("type", v.Name(), typeText(was), typeText(is))
		}
		if asked && was.Shape != nil && is.Kind == graphops.TypeTensor && is.Shape == nil {
			e.report.warn("output %q: the runtime does not tell its shape, so no shape is declared; onnx.checker requires one: declare it", v.Name())
		}
	}
}
