package edit

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// readsData reports whether the outputs of a node depend on an input of the graph.
func (e *attributes) readsData(i int) bool {
	c := constness{edit: e.edit, state: map[graphops.ValueID]constState{}}
	return len(c.dataAmong(e.outputsOf(i))) > 0
}

// sameTypes reports whether a runtime infers complete types for all suspects, equal to those that
// it infers without the edit. No other types change then, except those that depend on values.
// Values from which shapes are computed are constants or integers, and this function makes no
// statement about them.
func (e *attributes) sameTypes(ctx context.Context, typer graphops.Typer) bool {
	if typer == nil || e.place.Kind != graphops.MainGraph {
		return false
	}
	for i := range e.changed {
		if !e.readsData(i) {
			return false
		}
	}
	before, err := typer.Types(ctx, e.unrecorded(nil), e.suspects)
	if err != nil {
		return false
	}
	after, err := typer.Types(ctx, e.unrecorded(e.changed), e.suspects)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(e.suspects, func(name string) bool {
		return !isWhole(before[name]) || before[name].Declaration() != after[name].Declaration() || before[name].Elem.Kind() != tensor.KindFloat
	})
}

// unrecorded returns the model with changed nodes and without the recorded types of suspects.
func (e *attributes) unrecorded(nodes map[int]*graphops.Node) *graphops.Model {
	draft := graphops.EditGraph(e.graph)
	for i, n := range nodes {
		draft.Nodes[i] = n
	}
	for _, list := range [][]*graphops.ValueInfo{draft.ValueInfo, draft.Outputs} {
		for i, v := range list {
			if slices.Contains(e.suspects, v.Name()) {
				list[i] = v.WithType(graphops.Type{})
			}
		}
	}
	return e.model.WithGraph(e.place, draft.Graph())
}

// isWhole reports whether a type of a tensor is complete.
func isWhole(t graphops.Type) bool {
	unknown := func(d graphops.Dim) bool { return !d.IsFixed() && d.Symbol == "" }
	return t.Kind == graphops.TypeTensor && t.Shape != nil && !slices.ContainsFunc(t.Shape, unknown)
}
