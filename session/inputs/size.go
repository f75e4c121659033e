package inputs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session/sizing"
)

// Fit starts a search for the sizes of the axes that are not fixed. p is what the sizes are for.
// Sizes that o gives are kept. Of the others, the search prefers those at which the inputs are not too
// large.
func Fit(ctx context.Context, types []graphops.NamedType, o Options, p sizing.Purpose) (*sizing.Search, error) {
	system, err := sizing.Of(ctx, o.Model, types, o.Stated)
	if err != nil {
		return nil, err
	}
	given := withGiven(types, o)
	if o.Batch > 0 {
		given = system.Batch(given, o.Batch)
	}
	q := system.Search(given, p)
	most := cmp.Or(o.MaxBytes, DefaultMaxBytes)
	if p == sizing.Check {
		most = min(most, modest)
	}
	made := ungiven(types, o.Given)
	q.Prefer(most, func(sizes map[string]int64) int64 { return sizing.Bytes(made, sizes) })
	// If the user gave values or rules, the runtime may have rejected these and not the sizes. What
	// searches have learned is not used then.
	if len(o.Given)+len(o.Each) == 0 {
		q.Recall(o.Learned)
	}
	return q, nil
}

// ungiven returns the inputs that have no value yet.
func ungiven(types []graphops.NamedType, given graphops.Feeds) []graphops.NamedType {
	return slices.DeleteFunc(slices.Clone(types), func(t graphops.NamedType) bool { _, is := given[t.Name]; return is })
}

// sized returns the shapes of the inputs to generate, or of the tensors in them, with the sizes in
// o.Sizes. If that is nil, it chooses sizes for a check.
func sized(types, made []graphops.NamedType, specs []Spec, o Options) ([][]int64, error) {
	if err := checkDims(leaves(types), o.Dims); err != nil {
		return nil, err
	}
	at := o.Sizes
	if at == nil {
		q, err := Fit(context.Background(), types, o, sizing.Check)
		if err != nil {
			return nil, err
		}
		var ok bool
		if at, ok = q.Next(context.Background()); !ok {
			return nil, q.Err()
		}
	}
	shapes := make([][]int64, len(specs))
	for i, spec := range specs {
		if spec.Shape == nil {
			return nil, fmt.Errorf("input %q has no known rank; give a value for it with --input", spec.Name)
		}
		t := graphops.NamedType{Name: made[i].Name, Type: graphops.Type{Kind: graphops.TypeTensor, Elem: spec.DType, Shape: spec.Shape}}
		for axis, d := range sizing.ShapeAt(t, at) {
			if n, ok := sizing.Given(o.Dims, spec.Name, axis, spec.Shape[axis]); ok {
				d = graphops.FixedDim(n) // also a size that the expression cannot have
			}
			if !d.IsFixed() {
				return nil, fmt.Errorf("axis %d of input %q has no size; give one with --dim %s=N", axis, spec.Name, sizing.Name(spec.Name, axis, d))
			}
			shapes[i] = append(shapes[i], d.Value)
		}
	}
	return shapes, checkBatch(specs, shapes, o.Batch)
}

// checkBatch returns an error if no input can have the batch size n.
func checkBatch(specs []Spec, shapes [][]int64, n int64) error {
	if n < 0 {
		return fmt.Errorf("batch cannot be %d", n)
	}
	isFree := slices.ContainsFunc(specs, func(spec Spec) bool {
		for axis, d := range spec.Shape {
			if sizing.CountsSamples(d, axis) {
				return true
			}
		}
		return false
	})
	if n > 0 && !isFree && !allStartWith(shapes, n) {
		return fmt.Errorf("batch %d: no input has a free batch axis; free one with `lathe axes`", n)
	}
	return nil
}

func allStartWith(shapes [][]int64, n int64) bool {
	return len(shapes) > 0 && !slices.ContainsFunc(shapes, func(s []int64) bool { return len(s) > 0 && s[0] != n })
}
