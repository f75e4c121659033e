package inputs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/session/inputs/bounds"
)

// freeSizes are the symbols of inputs that a case can give sizes.
type freeSizes struct {
	names  []string // in the order of the inputs
	batch  map[string]bool
	axes   map[string]dim.Dim // what stands in the types, by its text
	fixed  map[string]int64   // that the user gave
	limits *bounds.Sizes
}

// freeSizesOf are the symbols that neither the user nor a given value gives a size. A
// text such as "past + 1" is an expression in them.
func freeSizesOf(types []graphops.NamedType, o Options) freeSizes {
	f := freeSizes{batch: map[string]bool{}, axes: map[string]dim.Dim{}, fixed: withGiven(types, o)}
	for _, t := range types {
		if _, given := o.Given[t.Name]; given {
			continue
		}
		for axis, d := range leafOf(t.Type).Shape {
			if d.IsFixed() {
				continue
			}
			text := DimName(t.Name, axis, d)
			e := dim.Symbol(text)
			if d.Symbol != "" && dim.OfText(d.Symbol).Known() {
				e = dim.OfText(d.Symbol)
			}
			f.axes[text] = e
			e.Symbols(func(name string) {
				f.add(name)
				f.batch[name] = f.batch[name] || isBatch(d, axis)
			})
		}
	}
	if len(f.names) > 0 {
		f.limits = limitsOf(o.Model)
	}
	return f
}

func (f *freeSizes) add(name string) {
	if _, fixed := f.fixed[name]; !fixed && !slices.Contains(f.names, name) {
		f.names = append(f.names, name)
	}
}

// declared are sizes as Options.Dims has them: by what stands in the types.
func (f *freeSizes) declared(sizes, asked map[string]int64) map[string]int64 {
	out := maps.Clone(asked)
	if out == nil {
		out = map[string]int64{}
	}
	for text, e := range f.axes {
		if _, fixed := f.fixed[text]; fixed {
			continue
		}
		n, err := e.Eval(func(name string) (int64, bool) {
			if n, ok := f.fixed[name]; ok {
				return n, true
			}
			n, ok := sizes[name]
			return n, ok
		})
		if err == nil && n >= 0 {
			out[text] = n
		}
	}
	return out
}

// usual are sizes that a person would try, of an image small ones.
func (f *freeSizes) usual() map[string]int64 {
	return f.sizes(func(i int) int64 {
		name := strings.ToLower(f.names[i])
		has := func(parts ...string) bool {
			return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(name, p) })
		}
		switch {
		case f.batch[f.names[i]]:
			return 4
		case has("height", "width"):
			return 64
		case isPast(name):
			return 8
		case has(lengths...):
			return 32
		}
		return 8
	})
}

// sizes gives every symbol a size, within what the model permits beside those before
// it.
func (f *freeSizes) sizes(of func(i int) int64) map[string]int64 {
	out := maps.Clone(f.fixed)
	if out == nil {
		out = map[string]int64{}
	}
	for i, name := range f.names {
		n := of(i)
		if most, ok := f.largest(name, out); ok {
			n = max(1, min(n, most))
		}
		out[name] = n
	}
	return out
}

// largest is how large a symbol may be beside others.
func (f *freeSizes) largest(name string, others map[string]int64) (int64, bool) {
	if f.limits == nil {
		return 0, false
	}
	n, _, ok := f.limits.Largest(name, others)
	return n, ok
}

// primes have no common factor, so that an axis taken for another one shows.
var primes = []int64{3, 5, 7, 11, 13, 17, 19, 23}

// plans are cases of usual sizes, of two without a common factor, and of the largest
// ones that are known.
func (f *freeSizes) plans() ([]plan, string) {
	if len(f.names) == 0 {
		return nil, "no axis is free"
	}
	var out []plan
	add := func(what string, sizes map[string]int64) {
		out = append(out, plan{name: what + " " + f.text(sizes), dims: sizes})
	}
	add("sizes", f.usual())
	for shift := range 2 {
		add("sizes", f.sizes(func(i int) int64 { return primes[(i+shift)%len(primes)] }))
	}
	for _, name := range f.names {
		ones := f.sizes(func(int) int64 { return 1 })
		delete(ones, name)
		if n, ok := f.largest(name, ones); ok {
			ones[name] = n
			out = append(out, plan{name: fmt.Sprintf("largest %s=%d", name, n), dims: ones})
		}
	}
	return out, ""
}

// text lists the sizes of free symbols.
func (f *freeSizes) text(sizes map[string]int64) string {
	var parts []string
	for _, name := range f.names {
		parts = append(parts, fmt.Sprintf("%s=%d", name, sizes[name]))
	}
	return strings.Join(parts, ", ")
}
