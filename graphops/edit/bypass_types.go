package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// checkTypes returns an error if readers would get another element type, unless ForceType is set.
// It forgets the recorded types that may be wrong after the moves, and reports whether there may be
// any.
func (b *bypass) checkTypes(ctx context.Context, moves []move) (doubts bool, err error) {
	var ids []graphops.ValueID
	for _, v := range moves {
		if v.others+v.casts > 0 {
			ids = append(ids, v.from, v.to)
		}
	}
	types, err := b.typesOf(ctx, b.o.Typer, ids)
	if err != nil {
		return false, err
	}
	f := newFollower(b.model, b.place)
	var all doubt
	for i := range moves {
		v := &moves[i]
		if v.others+v.casts == 0 {
			continue // Identities change nothing
		}
		v.fromType, v.toType = types[v.from], types[v.to]
		if v.doubt, err = b.doubtOf(*v); err != nil {
			return false, err
		}
		if v.doubt.shape == maybe && v.toType.Kind == graphops.TypeTensor {
			if err := b.warnShape(ctx, *v); err != nil {
				return false, err
			}
		}
		if v.doubt.any() {
			f.value(b.place, b.index.Name(v.from))
		}
		all = all.or(v.doubt)
	}
	if all.any() && !b.o.Keep {
		b.forget(f, all)
	}
	return all.any(), nil
}

// doubtOf returns which parts of recorded types may be wrong after a move.
func (b *bypass) doubtOf(v move) (doubt, error) {
	from, to := typedName(b.index.Name(v.from), v.fromType), typedName(b.index.Name(v.to), v.toType)
	if v.fromType.Kind == graphops.TypeUnknown || v.toType.Kind == graphops.TypeUnknown {
		b.report.warn("it is unknown whether the readers of %s accept %s: the model does not declare the types", from, to)
		return doubt{shape: unlike}, nil
	}
	d := doubt{elem: v.fromType.String() != v.toType.String(), shape: compareShapes(v.fromType.Shape, v.toType.Shape)}
	if v.fromType.Kind != graphops.TypeTensor && !d.elem {
		d.shape = alike
	}
	if v.others == 0 && v.casts == 1 && !d.elem {
		return doubt{}, nil // a Cast to the same type
	}
	switch {
	case d.elem && !b.o.ForceType:
		return d, fmt.Errorf("node %s: the readers of %s would get %s, which has another element type; to do it anyway, use --force-type",
			nodeLabel(b.graph, v.node), from, to)
	case d.elem:
		b.report.warn("the readers of %s now get %s, which has another element type", from, to)
	case d.shape == unlike:
		b.report.warn("the readers of %s now get %s, which has another shape", from, to)
	}
	if b.makesShapes(v) && d.shape == alike {
		d.shape = resized // a list of sizes with the same length gives the same number of axes
	} else if b.makesShapes(v) {
		d.shape = unlike
	}
	return d, nil
}

// warnShape warns if the readers may get another shape than before. The declared shapes do not
// tell, so it compares the inferred ones.
func (b *bypass) warnShape(ctx context.Context, v move) error {
	if b.inferred == nil {
		r, err := shape.Infer(ctx, b.model, shape.Options{Fresh: true, NameAxes: true})
		switch {
		case errors.Is(err, shape.ErrLimit):
			r = &shape.Result{}
		case err != nil:
			return err
		}
		b.inferred = r
	}
	was, is := b.inferred.Value(b.place, v.from).Type, b.inferred.Value(b.place, v.to).Type
	if was.Dims == nil || !slices.EqualFunc(was.Dims, is.Dims, dim.Dim.Equal) {
		b.report.warn("the readers of %s now get %s, which may have another shape",
			typedName(b.index.Name(v.from), v.fromType), typedName(b.index.Name(v.to), v.toType))
	}
	return nil
}

// makesShapes reports whether the value that is replaced may determine shapes. This is possible for
// a value that is not of floats, and for one that does not depend on inputs of the graph, such as a
// scale.
func (b *bypass) makesShapes(v move) bool {
	return v.fromType.Elem.Kind() != tensor.KindFloat || len(b.constness.dataAmong([]graphops.ValueID{v.from})) == 0
}
