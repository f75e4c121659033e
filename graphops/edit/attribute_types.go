package edit

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
)

// readsData reports whether the outputs of the node at position i depend on an input of the graph.
func (e *attributes) readsData(i int) bool {
	c := constness{edit: e.edit, state: map[graphops.ValueID]constState{}}
	return len(c.dataAmong(e.outputsOf(i))) > 0
}

// sameTypes reports whether the edit leaves all types as they are. It asks the runtime for the
// types of the suspects with and without the edit. They must be complete, equal, and of float
// tensors, because shapes may be computed from integers or constants, and these may have other
// values after the edit.
func (e *attributes) sameTypes(ctx context.Context, typer execution.Typer) bool {
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

// unrecorded returns the model with the given nodes in place of those at the same positions, and
// without recorded types of the suspects.
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

// isWhole reports whether the type is that of a tensor with known rank and no unknown sizes.
func isWhole(t graphops.Type) bool {
	unknown := func(d graphops.Dim) bool { return !d.IsFixed() && d.Symbol == "" }
	return t.Kind == graphops.TypeTensor && t.Shape != nil && !slices.ContainsFunc(t.Shape, unknown)
}
