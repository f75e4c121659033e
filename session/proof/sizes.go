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
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/sizing"
)

// Settle finds sizes at which the original runs. It keeps the given sizes and chooses the others,
// different ones if possible. IsUnproved holds for the error if it finds none.
func (p *Prover) Settle(ctx context.Context, original *graphops.Model, sizes map[string]int64) (map[string]int64, error) {
	s, err := p.settle(ctx, original, sizes)
	return s.sizes, err
}

// settled has the sizes at which the original ran, its inputs for the first seed, its results, and
// the time that took, including loading.
type settled struct {
	fit   *sizing.Search
	sizes map[string]int64
	in    graphops.Feeds
	got   map[string]graphops.Value
	took  time.Duration
}

func (p *Prover) settle(ctx context.Context, original *graphops.Model, sizes map[string]int64) (settled, error) {
	types := graphops.NamedTypes(original.Graph().FeedInputs())
	fit, err := inputs.Fit(ctx, types, inputs.Options{Model: original, Dims: p.Inputs.sizes(types, sizes), Given: p.Inputs.Values, Each: p.Inputs.Fills, MaxBytes: p.MaxBytes, Learned: p.Learned}, sizing.Check)
	if err != nil {
		return settled{}, err
	}
	first := fit.Err()
	for tried := 0; ; tried++ {
		at, more := fit.Next(ctx)
		if !more {
			break
		}
		start := time.Now()
		in, err := p.feeds(original, original, at, 0)
		if err != nil {
			return settled{}, p.notRun(original, err)
		}
		got, err := p.run(ctx, original, in, nil)
		switch {
		case err == nil:
			fit.Accepted(ctx)
			for name, n := range sizesIn(original, in) {
				if _, ok := at[name]; ok {
					at[name] = n
				}
			}
			maps.Copy(at, sizes)
			return settled{fit, at, in, got, time.Since(start)}, nil
		case ctx.Err() != nil:
			return settled{}, ctx.Err()
		case errors.As(err, new(*ort.NoRuntimeError)): // which other sizes do not change
			return settled{}, err
		case tried == 0:
			first = err
		}
		refusal, is := sizing.RefusalOf(err)
		if !is {
			refusal.Words = err.Error()
		}
		fit.Refused(refusal)
	}
	if len(fit.Free()) > 0 && len(fit.Attempts) > 0 {
		first = fmt.Errorf("%w; %s", first, fit.Tried())
	}
	return settled{}, p.notRun(original, first)
}

// evaluate returns a declared size when symbols have these sizes.
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

// axesOf returns the axes of a tensor whose size contains a symbol.
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

// sizesIn returns the sizes that a model's symbols have in inputs.
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
				name = shape.AxisName(v.Name(), axis)
			}
			if s, ok := shape.SizeFromFile(d).IsSymbol(); ok {
				name = s
			}
			out[name] = is[axis]
		}
	}
	return out
}

// ended returns the error of a context, if that is why something failed.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}
