package edit

import (
	"context"
	"fmt"

	"lathe/graphops"
)

// checkTypes refuses moves that give readers another element type, unless that is
// forced, and forgets the recorded types that moves may falsify.
func (b *bypass) checkTypes(ctx context.Context, moves []move, typer graphops.Typer) error {
	var ids []graphops.ValueID
	for _, v := range moves {
		ids = append(ids, v.from, v.to)
	}
	types, err := b.typesOf(ctx, typer, ids)
	if err != nil {
		return err
	}
	f := newFollower(b.model, b.place)
	var all doubt
	for i := range moves {
		v := &moves[i]
		v.fromType, v.toType = types[v.from], types[v.to]
		if v.doubt, err = b.doubtOf(*v); err != nil {
			return err
		}
		if v.doubt.any() {
			f.value(b.place, b.index.Name(v.from))
		}
		all = all.or(v.doubt)
	}
	if all.any() {
		b.forget(f, all)
	}
	return nil
}

// doubtOf tells which types a move may falsify.
func (b *bypass) doubtOf(v move) (doubt, error) {
	from, to := typedName(b.index.Name(v.from), v.fromType), typedName(b.index.Name(v.to), v.toType)
	switch {
	case v.fromType.Kind == graphops.TypeUnknown || v.toType.Kind == graphops.TypeUnknown:
		b.report.warn("whether what reads %s takes %s is not known: the types are not recorded", from, to)
		return doubt{shape: maybe}, nil
	case v.fromType.String() != v.toType.String() && !b.o.ForceType:
		return doubt{}, fmt.Errorf("node %s: what reads %s would get %s, another element type; --force-type does it all the same",
			nodeLabel(b.graph, v.node), from, to)
	case v.fromType.String() != v.toType.String():
		b.report.warn("what read %s gets %s, another element type", from, to)
		return doubt{elem: true, shape: compareShapes(v.fromType.Shape, v.toType.Shape)}, nil
	case v.fromType.Kind != graphops.TypeTensor:
		return doubt{}, nil
	}
	like := compareShapes(v.fromType.Shape, v.toType.Shape)
	if like == unlike {
		b.report.warn("what read %s gets %s, another shape", from, to)
	}
	return doubt{shape: like}, nil
}
