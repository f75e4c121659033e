package proof

import (
	"context"
	"maps"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
)

// addData runs the original on the other cases of the data. If there are too few, it adds generated
// inputs.
func (r *reference) addData(ctx context.Context) error {
	for _, in := range r.p.Inputs.Data[1:] {
		want, err := r.p.original(ctx, r.model, in, r.names)
		if err != nil {
			return err
		}
		r.add(sizesIn(r.model, in), in, want)
	}
	for len(r.cases) < r.p.seeds() {
		if ran, err := r.addIfRuns(ctx, inputs.Options{Sizes: r.cases[0].sizes}); err != nil || !ran {
			return err
		}
	}
	return nil
}

// addMore runs the original on other numbers at the sizes of the first case. It also tries other
// sizes, since a change may have turned a free size into a constant. And it tries integers of both
// signs, because negative ones are divided and rounded differently.
func (r *reference) addMore(ctx context.Context, asked map[string]int64) error {
	sizes := r.cases[0].sizes
	for seed := 1; seed < r.p.seeds(); seed++ {
		in, err := r.p.feeds(r.model, r.model, sizes, seed)
		if err != nil {
			return &unprovedError{err}
		}
		if r.large = !r.hasRoom(in); r.large {
			return nil
		}
		want, err := r.p.original(ctx, r.model, in, r.names)
		if err != nil {
			return err
		}
		r.add(sizes, in, want)
	}
	if other, ok := r.fit.Near(grown(sizes, asked, 1, 1)); ok && !maps.Equal(other, sizes) {
		if _, err := r.addIfRuns(ctx, inputs.Options{Sizes: other}); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(graphops.NamedTypes(r.model.Graph().FeedInputs()), isSigned) {
		return nil
	}
	_, err := r.addIfRuns(ctx, inputs.Options{Sizes: sizes, Signed: true})
	return err
}

func isSigned(t graphops.NamedType) bool {
	return t.Type.Kind == graphops.TypeTensor && t.Type.Elem.Kind() == tensor.KindSigned
}

// least and timesFirst limit the time for a case on which the original may not run: least plus
// timesFirst times the time of the first case. The limit is needed because a loop may never end on
// such inputs.
const least, timesFirst = time.Second, 10

// addIfRuns adds a case if the original runs on it.
func (r *reference) addIfRuns(ctx context.Context, o inputs.Options) (ran bool, err error) {
	types := graphops.NamedTypes(r.model.Graph().FeedInputs())
	o.Model, o.Seed = r.model, uint64(len(r.cases))
	in, err := r.p.generated(types, o)
	if err != nil {
		return false, ended(ctx, err)
	}
	if !r.hasRoom(in) {
		return false, nil
	}
	limited, cancel := context.WithTimeout(ctx, least+timesFirst*r.took)
	defer cancel()
	want, err := r.p.run(limited, r.model, in, r.names)
	if err != nil {
		return false, ctx.Err()
	}
	r.add(o.Sizes, in, want)
	return true, nil
}

// wider are the factors by which sizes grow for an output that shows little at the first sizes.
// Multiples are used so that divisors of the sizes stay divisors.
var wider = []int64{3, 7}

// awaken adds cases as long as an output is constant or nearly so, which would show little. It
// tries inputs that are not negative, for which more operators give a useful result, and then
// larger sizes.
func (r *reference) awaken(ctx context.Context, asked map[string]int64) error {
	fill, err := inputs.ParseFill("uniform")
	if err != nil {
		return err
	}
	first := r.cases[0].sizes
	tries := []map[string]int64{first}
	for _, by := range wider {
		if sizes, ok := r.fit.Near(grown(first, asked, by, 0)); ok && !maps.Equal(sizes, first) {
			tries = append(tries, sizes)
		}
	}
	start := time.Now()
	for _, sizes := range tries {
		if len(r.silent) == 0 || r.p.Patience > 0 && time.Since(start) > r.p.Patience/8 {
			break
		}
		ran, err := r.addIfRuns(ctx, inputs.Options{Sizes: sizes, Fill: fill})
		if err != nil {
			return err
		}
		if ran {
			r.listen()
		}
	}
	return nil
}

// grown returns sizes in which every size that was not requested is multiplied by a factor, and
// then increased by a number.
func grown(sizes, asked map[string]int64, by, plus int64) map[string]int64 {
	out := maps.Clone(sizes)
	for symbol, n := range sizes {
		if _, is := asked[symbol]; !is {
			out[symbol] = n*by + plus
		}
	}
	return out
}
