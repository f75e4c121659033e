package stepwise

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// seen is one run: the positions that it was over, the caches that it was fed, and what came out.
type seen struct {
	from, n int64
	fed     graphops.Feeds
	out     map[string]tensor.Tensor
}

// end returns the number of positions after the run.
func (s *seen) end() int64 { return s.from + s.n }

// over runs the model over the positions from p to p+n.
func (d *decoder) over(ctx context.Context, run Run, p, n int64, caches graphops.Feeds, by shift) (*seen, error) {
	in, err := d.feeds(p, n, caches, by)
	if err != nil {
		return nil, err
	}
	got, err := run(ctx, in)
	if err != nil {
		return nil, err
	}
	s := &seen{from: p, n: n, fed: caches, out: map[string]tensor.Tensor{}}
	for _, g := range got {
		if g.Value.IsTensor() {
			s.out[g.Name] = g.Value.Tensor
		}
	}
	return s, nil
}

// first runs the model over the first n positions.
func (d *decoder) first(ctx context.Context, run Run, n int64, by shift) (*seen, error) {
	caches, err := d.empty()
	if err != nil {
		return nil, err
	}
	return d.over(ctx, run, 0, n, caches, by)
}

// walk runs the model over all tokens in several runs. Each run gets what the one before left in the
// caches. counts are the numbers of tokens. If a run fails, it returns the runs before it too.
func (d *decoder) walk(ctx context.Context, run Run, counts []int64, caches []cache, by shift) ([]*seen, error) {
	state, err := d.empty()
	if err != nil {
		return nil, err
	}
	var out []*seen
	at := int64(0)
	for i, n := range counts {
		with := by
		if at == 0 {
			with = shift{}
		}
		s, err := d.over(ctx, run, at, n, state, with)
		if err != nil {
			return out, fmt.Errorf("the run of %d tokens after %d: %w", n, at, err)
		}
		out, at = append(out, s), at+n
		if state, err = next(caches, s, i == 0); err != nil {
			return out, err
		}
	}
	return out, nil
}

// next returns the caches for the run after s. Keys and values of an encoder come from the first run,
// if it returns any.
func next(caches []cache, s *seen, isFirst bool) (graphops.Feeds, error) {
	out := maps.Clone(s.fed)
	for _, c := range caches {
		t, ok := s.out[c.present]
		switch {
		case c.way == constant && (!isFirst || !ok || t.Len() == 0):
			continue
		case !ok:
			return nil, fmt.Errorf("output %q, which continues the cache %q, is missing", c.present, c.past)
		}
		out[c.past] = graphops.TensorValue(t)
	}
	return out, nil
}

// single returns how many tokens the runs have: a prefix, and then one token at a time.
func (d *decoder) single(prefix int64) []int64 {
	counts := slices.Repeat([]int64{1}, int(d.tokens-prefix))
	if prefix > 0 {
		counts = append([]int64{prefix}, counts...)
	}
	return counts
}

// slice returns the elements at a position of an axis.
func slice(t tensor.Tensor, axis int, at int64) ([]float64, error) {
	if axis < 0 || axis >= len(t.Shape) || at < 0 || at >= t.Shape[axis] {
		return nil, fmt.Errorf("a value of %s has no position %d on axis %d", tensor.FormatShape(t.Shape), at, axis)
	}
	part, err := cut(t, axis, at, 1)
	if err != nil {
		return nil, err
	}
	return part.Float64s()
}
