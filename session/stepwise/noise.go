package stepwise

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops/perturb"
	"lathe/session/compare"
)

// roundings is how often the model is run with other rounding.
const roundings = 3

// compare compares runs. If something differs by more than the tolerance of the type, the model's own
// rounding is measured, and they are compared again.
func (k *check) compare(ctx context.Context, r *reference, j *judge, runs []*seen, caches []cache) (*compared, error) {
	c, err := r.compare(ctx, j, runs, caches)
	if err != nil || len(c.differences) == 0 || j.asked || j.own != nil {
		return c, err
	}
	if err := k.measure(ctx, r, j); err != nil {
		return nil, err
	}
	again, err := r.compare(ctx, j, runs, caches)
	if err != nil || len(again.differences) > 0 {
		return again, err
	}
	for _, name := range slices.Concat(r.rows, presents(r.caches)) {
		if own := j.own[name]; own != nil && own.max > 0 && own.snr() < j.leastDB {
			return nil, refuse("rounding dominates: all tokens at once, rounded otherwise, differ in output %q by %.3g (%s), and at least %.0f dB are needed to judge", name, own.max, compare.Decibels(own.snr()), j.leastDB)
		}
	}
	return again, nil
}

// measure measures how far the model is from itself if it rounds differently.
func (k *check) measure(ctx context.Context, r *reference, j *judge) error {
	j.own = map[string]*noise{}
	for _, name := range slices.Concat(r.rows, presents(r.caches)) {
		j.own[name] = &noise{}
	}
	if err := k.perturbed(ctx, r, j); err != nil || !k.o.Quantized {
		return err
	}
	for _, n := range []int64{1, r.prefix, r.tokens - 1} {
		if n < 1 || n >= r.tokens {
			continue
		}
		s, err := r.first(ctx, n)
		if err != nil {
			return asRefusal(ctx, err)
		}
		if err := r.addNoise(j, s); err != nil {
			return asRefusal(ctx, err)
		}
	}
	j.why += ", and as far as runs with fewer tokens are from each other, because the model quantizes while it runs"
	return nil
}

// perturbed runs copies that round differently.
func (k *check) perturbed(ctx context.Context, r *reference, j *judge) error {
	if k.o.Open == nil {
		return nil
	}
	p, err := perturb.New(ctx, k.o.Inputs.Model)
	if err != nil || p == nil {
		return err
	}
	run, end, err := k.o.Open(ctx, p.Model)
	if err != nil {
		k.report.left(fmt.Sprintf("the model's own rounding: a copy that rounds differently does not load: %s", err))
		return ctx.Err()
	}
	defer end()
	for seed := range uint64(roundings) {
		in, err := r.empty()
		if err != nil {
			return err
		}
		feeds, err := r.feeds(0, r.tokens, in, shift{})
		if err != nil {
			return err
		}
		got, err := run(ctx, p.Feeds(feeds, seed))
		if err != nil {
			k.report.left(fmt.Sprintf("the model's own rounding: a copy that rounds differently does not run: %s", err))
			return ctx.Err()
		}
		for _, g := range got {
			if own := j.own[g.Name]; own != nil && g.Value.IsTensor() {
				a, errA := r.whole.out[g.Name].Float64s()
				b, errB := g.Value.Tensor.Float64s()
				if errA == nil && errB == nil {
					own.add(a, b)
				}
			}
		}
	}
	j.why += fmt.Sprintf("; or %d times the model's own rounding, measured with a copy that rounds differently", slack)
	return nil
}

// addNoise adds how far a run over fewer tokens is from that over all.
func (r *reference) addNoise(j *judge, s *seen) error {
	for at := range s.n {
		for _, name := range r.rows {
			a, errA := rowAt(r.whole, name, at)
			b, errB := rowAt(s, name, at)
			if errA != nil || errB != nil {
				return refuse("output %q has no rows for positions", name)
			}
			j.own[name].add(a, b)
		}
		for _, c := range r.caches {
			if c.way != growing && c.way != roomy {
				continue
			}
			a, errA := slice(r.whole.out[c.present], c.axis, at)
			b, errB := slice(s.out[c.present], c.axis, at)
			if errA != nil || errB != nil {
				return refuse("output %q has no position %d", c.present, at)
			}
			j.own[c.present].add(a, b)
		}
	}
	return nil
}

// depends changes the first token. If nothing that comes out at the last position changes by much, the
// comparison shows nothing about the cache.
func (k *check) depends(ctx context.Context, r *reference, j *judge) error {
	changed := *r.decoder
	changed.all = k.otherFirst(r)
	s, err := changed.first(ctx, r.run, r.tokens, shift{})
	if err != nil {
		return asRefusal(ctx, err)
	}
	most := 0.0
	look := func(name string, a, b []float64, err error) {
		if err == nil && a != nil {
			most = max(most, j.gap(name, a, b).used)
		}
	}
	for _, name := range r.rows {
		a, err := rowAt(r.whole, name, r.tokens-1)
		b, _ := rowAt(s, name, r.tokens-1)
		look(name, a, b, err)
	}
	for _, c := range r.caches {
		if c.way == growing || c.way == roomy {
			a, err := slice(r.whole.out[c.present], c.axis, r.tokens-1)
			b, _ := slice(s.out[c.present], c.axis, r.tokens-1)
			look(c.present, a, b, err)
		}
	}
	k.report.Sensitivity = number(most)
	if most <= leastSensitivity {
		return refuse("with another first token the last position changes by only %.2g of what is allowed, so that a fault of the cache would not show", most)
	}
	return nil
}

// leastSensitivity is by how many times the tolerance the last position must change with another
// first token.
const leastSensitivity = 3
