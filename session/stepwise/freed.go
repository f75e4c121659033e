package stepwise

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/roles"
)

// freeAxis is the symbol of the axis that a copy has free.
const freeAxis = "tokens_of_a_run"

// freed returns the decoder of a copy that takes any number of tokens, for a model that takes one. Its
// run is that of the copy.
func (k *check) freed(ctx context.Context, d *decoder) (*decoder, Run, error) {
	if k.o.Open == nil && k.o.AtOnce == nil {
		return nil, nil, refuse("input %q takes one token in a run", d.ids)
	}
	copied, types, changes := k.copy(d)
	run, by := k.o.AtOnce, k.o.AtOnceBy
	if run == nil {
		opened, end, err := k.o.Open(ctx, copied)
		if err != nil {
			return nil, nil, asRefusal(ctx, fmt.Errorf("input %q takes one token in a run, and a copy that takes more does not load: %w", d.ids, err))
		}
		k.ends = append(k.ends, end)
		run, by = opened, "a copy with "+changes
	}
	k.copied = fmt.Sprintf("input %q takes one token in a run; all tokens at once are run by %s", d.ids, by)
	k.o.Inputs.Model, k.o.Types = copied, types
	out, err := newDecoder(k.found, types)
	if err == nil {
		out.prefix = 0
	}
	return out, run, err
}

// copy returns a model that takes any number of tokens, its inputs, and how it differs.
func (k *check) copy(d *decoder) (copied *graphops.Model, types []graphops.NamedType, changes string) {
	e := graphops.EditGraph(k.m.Graph())
	types = slices.Clone(k.o.Types)
	for i, v := range e.Inputs {
		at := slices.IndexFunc(types, func(t graphops.NamedType) bool { return t.Name == v.Name() })
		axis := k.tokenAxis(v)
		if at < 0 || axis < 1 || axis >= len(v.Type().Shape) || !v.Type().Shape[axis].IsFixed() || v.Type().Shape[axis].Value != 1 {
			continue
		}
		e.Inputs[i] = v.WithDim(axis, graphops.SymbolDim(freeAxis))
		types[at].Type = e.Inputs[i].Type()
	}
	changes = "this axis free"
	for i, n := range e.Nodes {
		if n.Is("Slice") && len(n.Inputs()) > 0 && n.Input(0) == d.ids {
			e.Nodes[i] = graphops.NewNode(graphops.NodeSpec{Op: "Identity", Name: n.Name(), Inputs: n.Inputs()[:1], Outputs: n.Outputs()})
			changes += fmt.Sprintf(" and without Slice %s, which keeps the last token", graphops.ShortQuoted(n.Name()))
		}
	}
	return k.m.WithGraph(k.m.Places()[0], e.Graph()), types, changes
}

// tokenAxis returns the axis of an input that counts tokens, or -1.
func (k *check) tokenAxis(v *graphops.ValueInfo) int {
	p := k.found.Input(v.Name())
	if p == nil {
		return -1
	}
	switch p.Kind {
	case roles.IDs, roles.Embeddings, roles.Segments:
		return 1
	case roles.Positions:
		return len(v.Type().Shape) - 1
	default:
		return -1
	}
}
