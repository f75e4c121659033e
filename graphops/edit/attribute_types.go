package edit

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// readsData reports whether what a node makes depends on an input.
func (e *attributes) readsData(i int) bool {
	c := constness{edit: e.edit, state: map[graphops.ValueID]constState{}}
	return len(c.dataAmong(e.outputsOf(i))) > 0
}

// sameTypes reports whether a runtime infers for every suspect the type that it
// infers without the edit, and all of it. Then no other type changes either, unless
// it follows from values: those that shapes are computed from are constants or
// integers, and of them nothing is said.
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

// unrecorded is the model with other nodes and no recorded type of a suspect.
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

// isWhole reports whether a type tells everything about a tensor that a type can.
func isWhole(t graphops.Type) bool {
	unknown := func(d graphops.Dim) bool { return !d.IsFixed() && d.Symbol == "" }
	return t.Kind == graphops.TypeTensor && t.Shape != nil && !slices.ContainsFunc(t.Shape, unknown)
}
