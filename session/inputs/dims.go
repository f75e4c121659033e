package inputs

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/session/sizing"
)

// sizeBy returns the size of an axis if dims determines it. dims has either the axis itself or
// every symbol of the expression that is its size.
func sizeBy(dims map[string]int64, input string, axis int, d graphops.Dim) (n int64, ok bool) {
	if n, ok = sizing.Given(dims, input, axis, d); ok || d.IsFixed() {
		return n, ok
	}
	n, err := sizing.Expression(input, axis, d).Eval(func(symbol string) (int64, bool) { n, ok := dims[symbol]; return n, ok })
	return n, err == nil && n >= 0
}

// shownName returns how messages call an axis without a fixed size.
func shownName(input string, axis int, d graphops.Dim) string {
	if name := sizing.Name(input, axis, d); name != d.Symbol {
		return name
	}
	return d.String()
}

// withDims returns the shape of an input with the sizes that the user gave for its axes.
func withDims(in graphops.NamedType, dims map[string]int64) graphops.Shape {
	s := slices.Clone(in.Type.Shape)
	for axis, d := range s {
		if n, ok := sizeBy(dims, in.Name, axis, d); ok && !d.IsFixed() {
			s[axis] = graphops.FixedDim(n)
		}
	}
	return s
}

// withBatch returns the shape of an input in which only the batch axis has the size that the user
// gave.
func withBatch(in graphops.NamedType, dims map[string]int64) graphops.Shape {
	s := in.Type.Shape
	if len(s) == 0 || !sizing.CountsSamples(s[0], 0) {
		return s
	}
	return slices.Concat(withDims(in, dims)[:1], s[1:])
}

// checkDims returns an error for sizes that do not apply to any input. A mistyped symbol must not
// silently give the default size.
func checkDims(specs []Spec, dims map[string]int64) error {
	shown, known := map[string]bool{}, map[string]bool{}
	for _, spec := range specs {
		for axis, d := range spec.Shape {
			if d.IsFixed() {
				continue
			}
			shown[shownName(spec.Name, axis, d)] = true
			sizing.Expression(spec.Name, axis, d).Symbols(func(name string) { shown[name] = true })
			known[d.Symbol] = d.Symbol != ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		n := dims[name]
		if !shown[name] && !known[name] {
			return unknownDim(name, n, specs, shown)
		}
		if n < 0 {
			return fmt.Errorf("dimension %q cannot have size %d", name, n)
		}
	}
	return nil
}

// HasDim reports whether the size of some axis of an input depends on a name as --dim takes it.
func HasDim(types []graphops.NamedType, name string) bool {
	return slices.ContainsFunc(types, func(t graphops.NamedType) bool {
		for axis, d := range t.Type.Shape {
			if !d.IsFixed() && (d.Symbol == name || isIn(name, t.Name, axis, d)) {
				return true
			}
		}
		return false
	})
}

// unknownDim returns the error for a size that does not apply to any input. If the name denotes an
// axis, it says what that axis is called.
func unknownDim(name string, n int64, specs []Spec, known map[string]bool) error {
	for _, spec := range specs {
		for axis, d := range spec.Shape {
			switch {
			case shape.AxisName(spec.Name, axis) != name:
			case d.IsFixed():
				return fmt.Errorf("axis %d of input %q has the fixed size %d; `lathe axes` frees it", axis, spec.Name, d.Value)
			default:
				return fmt.Errorf("axis %d of input %q is called %q: --dim %s=%d", axis, spec.Name, d, d, n)
			}
		}
	}
	if len(known) == 0 {
		return fmt.Errorf("no input has a dimension %q: all sizes are fixed", name)
	}
	return fmt.Errorf("no input has a dimension %q; there are %s", name, graphops.QuoteNames(slices.Sorted(maps.Keys(known))))
}

// checkGivenDims compares the sizes that the user requested with those of the values that the user
// gave. A requested size that no value has is an error. If only some values have another size, it
// returns a note.
func checkGivenDims(types []graphops.NamedType, cases []Case, dims map[string]int64) (notes []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(dims)) {
		taken, against := false, ""
		for a := range axesWith(types, cases, dims, name) {
			taken = taken || a.size == a.asked
			if a.size != a.asked && against == "" {
				against = fmt.Sprintf("dimension %q is %d by --dim, but %d in the value of input %q", a.name, a.asked, a.size, a.input)
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

// askedAxis is an axis of a given value for which the user also requested a size.
type askedAxis struct {
	input, name string
	size, asked int64
}

// axesWith yields the axes of the values in all cases whose size depends on the name by.
func axesWith(types []graphops.NamedType, cases []Case, dims map[string]int64, by string) iter.Seq[askedAxis] {
	return func(yield func(askedAxis) bool) {
		for _, c := range cases {
			for _, t := range types {
				is := c.Feeds[t.Name].Tensor.Shape
				for axis, d := range t.Type.Shape {
					if d.IsFixed() || axis >= len(is) || !isIn(by, t.Name, axis, d) {
						continue
					}
					asked, ok := sizeBy(dims, t.Name, axis, d)
					if ok && !yield(askedAxis{t.Name, shownName(t.Name, axis, d), is[axis], asked}) {
						return
					}
				}
			}
		}
	}
}

// isIn reports whether a name is that of an axis, or that of a symbol in the expression that is the
// axis's size.
func isIn(name, input string, axis int, d graphops.Dim) bool {
	_, found := sizing.Given(map[string]int64{name: 1}, input, axis, d)
	sizing.Expression(input, axis, d).Symbols(func(symbol string) { found = found || symbol == name })
	return found
}

// withGiven returns the sizes that are known before the other inputs are generated: those that the
// user requested, and those of the values that the user gave.
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
			if !isMade(types, t.Name, axis, d, o) {
				delete(dims, name)
			} else if _, asked := sizeBy(dims, t.Name, axis, d); !asked {
				dims[name] = v.Tensor.Shape[axis]
			}
		}
	}
	return dims
}

// isMade reports whether the size of an axis shares a symbol with the shape of an input that is to
// be generated.
func isMade(types []graphops.NamedType, input string, axis int, of graphops.Dim, o Options) bool {
	symbols := map[string]bool{}
	sizing.Expression(input, axis, of).Symbols(func(name string) { symbols[name] = true })
	return slices.ContainsFunc(types, func(t graphops.NamedType) bool {
		if _, given := o.Given[t.Name]; given {
			return false
		}
		found := false
		for axis, d := range t.Type.Shape {
			sizing.Expression(t.Name, axis, d).Symbols(func(name string) { found = found || symbols[name] })
		}
		return found
	})
}
