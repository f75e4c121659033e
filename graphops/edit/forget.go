package edit

import (
	"context"
	"slices"

	"lathe/graphops"
)

// doubt tells which part of recorded types an edit may have falsified: element
// types, and shapes, which readers get unlike ones or maybe so. The zero value
// doubts nothing.
type doubt struct {
	elem  bool
	shape likeness
}

func (d doubt) any() bool { return d != doubt{} }

func (d doubt) or(other doubt) doubt {
	return doubt{d.elem || other.elem, max(d.shape, other.shape)}
}

// forget takes back what the model records of the types that f finds, as far as
// they are in doubt. It goes before any other change, since it begins anew. An
// output of the main graph keeps its element type, which is a promise to callers.
func (e *edit) forget(f *follower, d doubt) {
	f.run()
	places := e.model.Places()
	elsewhere := 0
	for _, p := range places {
		if len(f.found[p]) == 0 {
			continue
		}
		// Models that differ in recorded types alone have the same places.
		now := e.model.Places()[p.ID]
		if g, count := d.forgotten(now, f.found[p]); count > 0 {
			e.model = e.model.WithGraph(now, g)
			if p.Kind != graphops.MainGraph {
				elsewhere += count
			}
		}
	}
	if elsewhere > 0 {
		e.report.warn("%s inside bodies and functions may not hold any more and are forgotten", counted(elsewhere, "recorded type"))
	}
	e.doubt, e.doubted, e.recorded = d, f.found[places[0]], places[0].Graph.Index()
	e.place = e.model.Places()[e.place.ID]
	e.graph, e.index, e.next = e.place.Graph, e.place.Graph.Index(), graphops.EditGraph(e.place.Graph)
}

// forgotten is the graph of a place without what is in doubt of the named values,
// and how many records that takes.
func (d doubt) forgotten(p *graphops.Place, names map[string]bool) (*graphops.Graph, int) {
	g := graphops.EditGraph(p.Graph)
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
		drop(g.Outputs, doubt{shape: d.shape})
		return g.Graph(), count
	}
	drop(g.Outputs, d)
	drop(g.Inputs, d)
	g.ValueInfo = withoutEmpty(g.ValueInfo, names)
	return g.Graph(), count
}

// withoutEmpty drops those entries of named values that say nothing any more.
func withoutEmpty(list []*graphops.ValueInfo, names map[string]bool) []*graphops.ValueInfo {
	return slices.DeleteFunc(list, func(v *graphops.ValueInfo) bool {
		return names[v.Name()] && v.Type().Kind == graphops.TypeUnknown && v.Doc() == "" && len(v.Metadata()) == 0
	})
}

// without is a type without what is in doubt of it.
func (d doubt) without(t graphops.Type) (graphops.Type, bool) {
	switch {
	case d.elem:
		return graphops.Type{}, t.Kind != graphops.TypeUnknown
	case d.shape != alike && t.Shape != nil:
		t.Shape = nil
		return t, true
	default:
		return t, false
	}
}

// recall asks typer for what was forgotten of the main graph, now that the edit
// is done. What it does not tell stays forgotten.
func (e *edit) recall(ctx context.Context, typer graphops.Typer, m *graphops.Model) (*graphops.Model, error) {
	if len(e.doubted) == 0 {
		return m, nil
	}
	told, err := e.askAgain(ctx, typer, m)
	if err != nil {
		return nil, err
	}
	next := graphops.EditGraph(m.Graph())
	for _, list := range [][]*graphops.ValueInfo{next.ValueInfo, next.Outputs} {
		for i, v := range list {
			if t, ok := told[v.Name()]; ok && t.Kind != graphops.TypeUnknown && e.doubted[v.Name()] {
				list[i] = v.WithType(e.settled(v.Name(), t))
			}
		}
	}
	next.ValueInfo = withoutEmpty(next.ValueInfo, e.doubted)
	e.reportOutputs(next.Outputs)
	return m.WithGraph(m.Places()[0], next.Graph()), nil
}

// askAgain asks for the types of the values in doubt that the model has records of.
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

// left tells what becomes of types that nobody tells.
func (e *edit) left() string {
	if e.doubt.elem {
		return "types behind it are forgotten, outputs keep what they declare"
	}
	return "shapes behind it are left open"
}

// settled is the type to record for a value, by what was told of it. What was not
// in doubt, or only maybe and is not contradicted, stays as it was recorded: a
// runtime forgets symbols on the way.
func (e *edit) settled(name string, told graphops.Type) graphops.Type {
	id, ok := e.recorded.Value(name)
	if !ok {
		return told
	}
	was := e.recorded.Type(id)
	if was.Kind != graphops.TypeTensor || told.Kind != graphops.TypeTensor || was.Shape == nil {
		return told
	}
	if e.doubt.shape == alike || e.doubt.shape == maybe && compareShapes(was.Shape, told.Shape) != unlike {
		told.Shape = was.Shape
	}
	return told
}

// reportOutputs tells which outputs of the main graph changed their type.
func (e *edit) reportOutputs(outputs []*graphops.ValueInfo) {
	for _, v := range outputs {
		id, ok := e.recorded.Value(v.Name())
		if !ok || !e.doubted[v.Name()] {
			continue
		}
		was, is := e.recorded.Type(id), v.Type()
		if typeText(was) != typeText(is) {
			e.report.changed("type", v.Name(), typeText(was), typeText(is))
		}
	}
}
