package edit

import (
	"context"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
)

// typeOf returns the type that the model declares for a value of the place. For a captured value,
// it is the type that the enclosing place declares.
func (e *edit) typeOf(id graphops.ValueID) graphops.Type {
	if t := e.index.Type(id); t.Kind != graphops.TypeUnknown {
		return t
	}
	if e.index.IsInitializer(id) {
		return sparseType(e.graph, e.index.Name(id))
	}
	for _, c := range e.place.Captures() {
		if c.Value != id || c.From == nil {
			continue
		}
		around := c.From.Graph.Index()
		if t := around.Type(c.Outer); t.Kind != graphops.TypeUnknown || !around.IsInitializer(c.Outer) {
			return t
		}
		return sparseType(c.From.Graph, around.Name(c.Outer))
	}
	return graphops.Type{}
}

// sparseType returns the type of a sparse initializer. Nodes see it as a tensor.
func sparseType(g *graphops.Graph, name string) graphops.Type {
	for _, s := range g.SparseInitializers() {
		if s.Name() == name && s.Values() != nil {
			return graphops.Type{Kind: graphops.TypeTensor, Elem: s.Values().DType(), Shape: graphops.FixedShape(s.Dims())}
		}
	}
	return graphops.Type{}
}

// typesOf returns the declared types of values of the place. It asks typer for types that are not
// declared, or have no shape. Only values of the main graph can be asked for.
func (e *edit) typesOf(ctx context.Context, typer execution.Typer, ids []graphops.ValueID) (map[graphops.ValueID]graphops.Type, error) {
	types := map[graphops.ValueID]graphops.Type{}
	var ask []string
	for _, id := range ids {
		t := e.typeOf(id)
		if _, again := types[id]; !again && (t.Kind == graphops.TypeUnknown || t.Kind == graphops.TypeTensor && t.Shape == nil) {
			ask = append(ask, e.index.Name(id))
		}
		types[id] = t
	}
	if len(ask) == 0 || typer == nil || e.place.Kind != graphops.MainGraph {
		return types, nil
	}
	told, err := typer.Types(ctx, e.model, ask)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		e.report.warn("the runtime does not tell the type of %s: %v", graphops.QuoteNames(ask), err)
	}
	for _, id := range ids {
		if t, ok := told[e.index.Name(id)]; ok && t.Kind != graphops.TypeUnknown && slices.Contains(ask, e.index.Name(id)) {
			types[id] = t
		}
	}
	return types, nil
}

// likeness says how well two shapes agree. A higher value means less agreement.
type likeness int

const (
	alike   likeness = iota
	maybe            // too little is known
	resized          // same rank, but sizes may differ
	unlike           // they contradict each other
)

// compareShapes compares two declared shapes. A symbol equals only itself, and an unknown size
// nothing.
func compareShapes(a, b graphops.Shape) likeness {
	if a == nil || b == nil {
		return maybe
	}
	if len(a) != len(b) {
		return unlike
	}
	result := alike
	for i := range a {
		switch {
		case a[i].IsFixed() && b[i].IsFixed():
			if a[i].Value != b[i].Value {
				return unlike
			}
		case a[i] != b[i] || a[i].Symbol == "":
			result = maybe
		}
	}
	return result
}
