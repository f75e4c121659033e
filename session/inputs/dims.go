package inputs

import (
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/session/sizing"
)

// withDims is the shape of an input with the sizes that the user gave to its axes.
func withDims(in graphops.NamedType, dims map[string]int64) graphops.Shape {
	s := slices.Clone(in.Type.Shape)
	for axis, d := range s {
		if n, ok := sizing.Given(dims, in.Name, axis, d); ok {
			s[axis] = graphops.FixedDim(n)
		}
	}
	return s
}

// withBatch is the shape of an input with the size that the user gave to its batch.
func withBatch(in graphops.NamedType, dims map[string]int64) graphops.Shape {
	s := in.Type.Shape
	if len(s) == 0 || !sizing.CountsSamples(s[0], 0) {
		return s
	}
	return slices.Concat(withDims(in, dims)[:1], s[1:])
}

// checkDims refuses sizes that no input could take: a mistyped symbol must not be
// measured at the default.
func checkDims(specs []Spec, dims map[string]int64) error {
	known := map[string]bool{}
	for _, spec := range specs {
		for axis, d := range spec.Shape {
			if !d.IsFixed() {
				known[sizing.Name(spec.Name, axis, d)] = true
				known[d.Symbol] = known[d.Symbol] || d.Symbol != ""
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		n := dims[name]
		if !known[name] {
			return unknownDim(name, n, specs, known)
		}
		if n < 0 {
			return fmt.Errorf("dimension %q cannot have size %d", name, n)
		}
	}
	return nil
}

// unknownDim tells of a size that no input takes, and what the axis is called if it
// is one.
func unknownDim(name string, n int64, specs []Spec, known map[string]bool) error {
	for _, spec := range specs {
		for axis, d := range spec.Shape {
			switch {
			case shape.AxisName(spec.Name, axis) != name:
			case d.IsFixed():
				return fmt.Errorf("axis %d of input %q has the fixed size %d; `lathe axes` frees it", axis, spec.Name, d.Value)
			default:
				return fmt.Errorf("axis %d of input %q is called %q: --dim %s=%d", axis, spec.Name, d.Symbol, d.Symbol, n)
			}
		}
	}
	return fmt.Errorf("no input has a dimension %q; there are %s", name, graphops.QuoteNames(slices.Sorted(maps.Keys(known))))
}

// checkGivenDims compares sizes that were asked for with those of the values. One
// that no value has is an error; one that others contradict is noted.
func checkGivenDims(types []graphops.NamedType, cases []Case, dims map[string]int64) (notes []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		n, taken, against := dims[name], false, ""
		for input, size := range sizesOf(types, cases, name) {
			taken = taken || size == n
			if size != n && against == "" {
				against = fmt.Sprintf("dimension %q is %d by --dim and %d in what input %q was given", name, n, size, input)
			}
		}
		switch {
		case against != "" && !taken:
			return nil, fmt.Errorf("%s; leave one of them out", against)
		case against != "":
			notes = append(notes, against)
		}
	}
	return notes, nil
}

// sizesOf are the inputs that have a dimension, with the size it has in each case.
func sizesOf(types []graphops.NamedType, cases []Case, name string) func(func(string, int64) bool) {
	return func(yield func(string, int64) bool) {
		for _, c := range cases {
			for _, t := range types {
				shape := c.Feeds[t.Name].Tensor.Shape
				for axis, d := range t.Type.Shape {
					isIt := !d.IsFixed() && axis < len(shape) && sizing.Name(t.Name, axis, d) == name
					if isIt && !yield(t.Name, shape[axis]) {
						return
					}
				}
			}
		}
	}
}

// withGiven are the sizes of dimensions for the inputs that are made: those asked
// for, and those that given values have.
func withGiven(types []graphops.NamedType, o Options) map[string]int64 {
	dims := map[string]int64{}
	maps.Copy(dims, o.Dims)
	for _, t := range types {
		v, ok := o.Given[t.Name]
		for axis, d := range t.Type.Shape {
			if !ok || d.IsFixed() || axis >= len(v.Tensor.Shape) {
				continue
			}
			name := sizing.Name(t.Name, axis, d)
			if !isMade(types, name, o) {
				delete(dims, name)
			} else if _, asked := dims[name]; !asked {
				dims[name] = v.Tensor.Shape[axis]
			}
		}
	}
	return dims
}

// isMade reports whether an input that is made has a dimension in its shape.
func isMade(types []graphops.NamedType, name string, o Options) bool {
	return slices.ContainsFunc(types, func(t graphops.NamedType) bool {
		if _, given := o.Given[t.Name]; given {
			return false
		}
		for axis, d := range t.Type.Shape {
			if !d.IsFixed() && sizing.Name(t.Name, axis, d) == name {
				return true
			}
		}
		return false
	})
}
