package proof

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// progression are sizes for symbols in turn: first, first+step, …
type progression struct{ first, step int64 }

// anySizes are tried in turn for symbols that the change is not about: small ones
// that tell axes apart, for symbols that must be equal a single one, the one that
// fits everywhere, and what images and audio need to survive strides.
var anySizes = []progression{{3, 2}, {3, 0}, {1, 0}, {32, 32}, {32, 0}, {224, 0}}

// nearSizes are anySizes where every run is of whole models and a batch of 2 is as good.
var nearSizes = []progression{{2, 3}, {2, 0}, {1, 0}, {32, 32}, {32, 0}, {224, 0}}

// Settle finds sizes at which the original runs: those given, and for its other
// symbols ones that differ if it can be. That it runs at none is an *UnprovedError.
func (p *Prover) Settle(ctx context.Context, original *graphops.Model, sizes map[string]int64) (map[string]int64, error) {
	s, err := p.settle(ctx, original, sizes, anySizes)
	return s.sizes, err
}

// settled are sizes at which the original ran, what it was given for the first seed, what
// it gave, and how long that took, with loading.
type settled struct {
	sizes map[string]int64
	in    graphops.Feeds
	got   map[string]graphops.Value
	took  time.Duration
}

func (p *Prover) settle(ctx context.Context, original *graphops.Model, sizes map[string]int64, any []progression) (settled, error) {
	others := symbolsWithout(original, sizes)
	var first error
	for _, try := range any {
		all := map[string]int64{}
		maps.Copy(all, sizes)
		for i, s := range others {
			all[s] = try.first + int64(i)*try.step
		}
		var got map[string]graphops.Value
		start := time.Now()
		in, err := p.feeds(original, original, all, 0)
		if err == nil {
			got, err = p.run(ctx, original, in, nil)
		}
		switch {
		case err == nil:
			return settled{all, in, got, time.Since(start)}, nil
		case ctx.Err() != nil:
			return settled{}, ctx.Err()
		case first == nil:
			first = err
		}
		if len(others) == 0 {
			break
		}
	}
	return settled{}, &UnprovedError{fmt.Errorf("the original does not run on generated inputs: %w", first)}
}

// symbolsWithout are the free axes of the inputs that have no size yet, as
// inputs.Options.Dims calls them.
func symbolsWithout(m *graphops.Model, sizes map[string]int64) []string {
	var out []string
	add := func(name string) {
		if _, ok := sizes[name]; !ok && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, v := range m.Graph().FeedInputs() {
		for axis, d := range v.Type().Shape {
			switch {
			case d.IsFixed():
			case d.Symbol == "":
				add(unnamed(v.Name(), axis))
			default:
				dim.OfText(d.Symbol).Symbols(add)
			}
		}
	}
	return out
}

// unnamed is what an axis without a symbol is called.
func unnamed(input string, axis int) string { return fmt.Sprintf("%s:%d", input, axis) }

// dimsOf are the sizes as inputs.Generate takes them: by what stands in the types,
// which may be an expression.
func dimsOf(types []graphops.NamedType, sizes map[string]int64) map[string]int64 {
	out := map[string]int64{}
	for _, t := range types {
		for axis, d := range t.Type.Shape {
			name := d.Symbol
			if name == "" {
				name = unnamed(t.Name, axis)
			}
			if n, ok := sizes[name]; ok && !d.IsFixed() {
				out[name] = n
			} else if n, ok := evaluate(d, sizes); ok && !d.IsFixed() {
				out[name] = n
			}
		}
	}
	return out
}

// evaluate is a declared size where symbols have these sizes.
func evaluate(d graphops.Dim, sizes map[string]int64) (int64, bool) {
	return shape.SizeFromFile(d).Subst(func(s string) (dim.Dim, bool) {
		n, ok := sizes[s]
		return dim.Number(n), ok
	}).Number()
}

// FormatSizes writes sizes as "batch=2, seq=5".
func FormatSizes(sizes map[string]int64) string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(sizes)) {
		parts = append(parts, fmt.Sprintf("%s=%d", s, sizes[s]))
	}
	return strings.Join(parts, ", ")
}

// axesOf are the axes of a tensor whose size has a symbol in it.
func axesOf(v *graphops.ValueInfo, symbol string) []int {
	var out []int
	t := v.Type()
	if t.Kind != graphops.TypeTensor {
		return nil
	}
	for axis, d := range t.Shape {
		found := false
		shape.SizeFromFile(d).Symbols(func(s string) { found = found || s == symbol })
		if found {
			out = append(out, axis)
		}
	}
	return out
}

// sizesIn are the sizes that a model's symbols have in inputs.
func sizesIn(m *graphops.Model, in graphops.Feeds) map[string]int64 {
	out := map[string]int64{}
	for _, v := range m.Graph().FeedInputs() {
		is := in[v.Name()].Tensor.Shape
		for axis, d := range v.Type().Shape {
			if axis >= len(is) || d.IsFixed() {
				continue
			}
			name := d.Symbol
			if name == "" {
				name = unnamed(v.Name(), axis)
			}
			if s, ok := shape.SizeFromFile(d).IsSymbol(); ok {
				name = s
			}
			out[name] = is[axis]
		}
	}
	return out
}

// ended is the error of a context, where that is why something failed.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
