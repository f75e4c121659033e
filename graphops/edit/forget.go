package edit

import (
	"context"
	"slices"

	"lathe/graphops"
)

// doubt says which parts of recorded types an edit may have made wrong: element types, or shapes,
// which may or certainly differ. The zero value means that all are still correct.
type doubt struct {
	elem  bool
	shape likeness
	// outputs reports that the element types of the main graph's outputs are in doubt like all
	// others. Otherwise, they are a promise to callers and are kept.
	outputs bool
}

func (d doubt) any() bool { return d != doubt{} }

func (d doubt) or(other doubt) doubt {
	return doubt{d.elem || other.elem, max(d.shape, other.shape), d.outputs || other.outputs}
}

// forget removes the doubtful parts of the recorded types that f finds. It must be called before
// any other change, because it restarts the edit.
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
		e.report.warn("%s inside bodies and functions may not hold any more and are forgotten", counted(elsewhere, "recorded type"))
	}
	e.doubt, e.doubted, e.recordedIn, e.recorded = d, f.found[was.Places()[0]], was, was.Graph().Index()
	e.restart(m)
}

// forget removes the doubtful parts of the types of named values in a place, and returns the number
// of affected records.
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

// withoutEmpty removes the entries of named values that no longer contain information.
func withoutEmpty(list []*graphops.ValueInfo, names map[string]bool) []*graphops.ValueInfo {
	return slices.DeleteFunc(list, func(v *graphops.ValueInfo) bool {
		return names[v.Name()] && v.Type().Kind == graphops.TypeUnknown && v.Doc() == "" && len(v.Metadata()) == 0
	})
}

// without returns a type without its doubtful parts.
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

// openDims returns the shape with all sizes unknown.
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

// withoutShape returns the type with all ranks unknown.
func withoutShape(t graphops.Type) graphops.Type {
	t.Shape = nil
	if t.Of != nil {
		of := withoutShape(*t.Of)
		t.Of = &of
	}
	return t
}

// recall asks typer for the forgotten types of the main graph, after the edit. Types that it does
// not know stay forgotten.
func (e *edit) recall(ctx context.Context, typer graphops.Typer, m *graphops.Model) (*graphops.Model, error) {
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

// askAgain asks for the types of doubtful values for which the model has records.
func (e *edit) askAgain(ctx context.Context, typer graphops.Typer, m *graphops.Model) (map[string]graphops.Type, error) {
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
		e.report.warn("what follows from the change is not known without a runtime: %s", e.left())
		return nil, nil
	}
	told, err := typer.Types(ctx, m.WithGraph(m.Places()[0], draft.Graph()), names)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		e.report.warn("the runtime does not tell what follows from the change: %s; %v", e.left(), err)
	}
	return told, nil
}

// left describes what happens to types that nobody knows.
func (e *edit) left() string {
	switch {
	case e.doubt.elem && e.doubt.outputs:
		return "types behind it are forgotten"
	case e.doubt.elem:
		return "types behind it are forgotten, outputs keep what they declare"
	case e.doubt.shape == resized:
		return "sizes behind it are left open"
	default:
		return "shapes behind it are left open"
	}
}

// settled returns the type to record for a value, given what the runtime says. Parts that were not
// in doubt, or that were only possibly wrong and are not contradicted, are kept as recorded,
// because a runtime loses symbols.
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

// reportOutputs reports which outputs of the main graph changed their type, and which lost their
// shape although the runtime was asked.
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
			e.report.warn("output %q: the runtime tells no shape for it, which is left open; onnx.checker wants one: declare it", v.Name())
		}
	}
}
