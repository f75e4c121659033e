package stepwise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"lathe/graphops/tensor"
)

// The things that are compared.
const (
	whatRow    = "row"          // a row of an output
	whatNew    = "new position" // a position in a cache that the run added
	whatOld    = "old position" // a position in a cache that the run must not change
	whatLength = "length"       // the number of positions in a cache
	whatState  = "state"        // a state after all tokens
)

// Difference is a place in which two ways to run a model differ.
type Difference struct {
	// Position is that of the token at which it shows, counted from 0.
	Position int64  `json:"position"`
	Output   string `json:"output"`
	What     string `json:"what"`
	// Slot is the position in the cache that differs, -1 for other outputs.
	Slot int64 `json:"slot"`
	// Sequence is the sequence of the batch.
	Sequence int64         `json:"sequence"`
	MaxAbs   tensor.Number `json:"max_abs"`
	// Used is the share of the tolerance, above 1.
	Used tensor.Number `json:"used"`

	layer int
	run   *seen
	cache *cache
}

// reference is the model that runs over all tokens at once.
type reference struct {
	*decoder
	run   Run
	whole *seen
	parts map[int64]*seen // runs over the first tokens only, by their number
}

// over returns the run over the first n tokens.
func (r *reference) first(ctx context.Context, n int64) (*seen, error) {
	if s := r.parts[n]; s != nil {
		return s, nil
	}
	s, err := r.decoder.first(ctx, r.run, n, shift{})
	if err == nil {
		r.parts[n] = s
	}
	return s, err
}

// row returns the row of an output for a position. If the output has only the last row, it comes from
// a run that ends there.
func (r *reference) row(ctx context.Context, output string, at int64) ([]float64, error) {
	if row, err := rowAt(r.whole, output, at); row != nil || err != nil {
		return row, err
	}
	s, err := r.first(ctx, at+1)
	if err != nil {
		return nil, err
	}
	return rowAt(s, output, at)
}

// rowAt returns the row of an output for a position. It is nil if the output has no row for it.
func rowAt(s *seen, output string, at int64) ([]float64, error) {
	t, ok := s.out[output]
	switch {
	case !ok || len(t.Shape) < 2:
		return nil, fmt.Errorf("output %q has no axis with positions", output)
	case t.Shape[1] == s.n:
		return slice(t, 1, at-s.from)
	case t.Shape[1] == 1 && at == s.end()-1:
		return slice(t, 1, 0)
	case t.Shape[1] == 1:
		return nil, nil
	}
	return nil, fmt.Errorf("output %q has %d rows for %d tokens", output, t.Shape[1], s.n)
}

// compared is a comparison of runs over some tokens each with the run over all tokens.
type compared struct {
	differences []Difference
	rows, slots int64 // numbers of rows and of positions in caches that were compared
}

// compare compares the runs. caches says which present belongs to which past.
func (r *reference) compare(ctx context.Context, j *judge, runs []*seen, caches []cache) (*compared, error) {
	c := &compared{}
	for _, s := range runs {
		for i := range caches {
			if err := r.compareCache(c, j, s, &caches[i]); err != nil {
				return nil, err
			}
		}
		if err := r.compareRows(ctx, c, j, s); err != nil {
			return nil, err
		}
	}
	if last := runs[len(runs)-1]; last.end() == r.tokens {
		if err := r.compareStates(c, j, last, caches); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(c.differences, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Position, b.Position), cmp.Compare(order(a.What), order(b.What)), cmp.Compare(a.layer, b.layer))
	})
	return c, nil
}

func order(what string) int {
	return slices.Index([]string{whatLength, whatOld, whatNew, whatRow, whatState}, what)
}

// compareRows compares the rows of outputs.
func (r *reference) compareRows(ctx context.Context, c *compared, j *judge, s *seen) error {
	for _, output := range r.rows {
		for at := s.from; at < s.end(); at++ {
			b, err := rowAt(s, output, at)
			if err != nil {
				return err
			}
			if b == nil {
				continue
			}
			a, err := r.row(ctx, output, at)
			if err != nil {
				return err
			}
			c.rows++
			if g := j.gap(output, a, b); j.differs(g) {
				c.add(Difference{Position: at, Output: output, What: whatRow, Slot: -1, Sequence: sequence(g.at, len(b), r.batch), run: s}, g)
			}
		}
	}
	return nil
}

func (c *compared) add(d Difference, g gap) {
	d.MaxAbs, d.Used = tensor.Number(g.abs), tensor.Number(g.used)
	c.differences = append(c.differences, d)
}

// sequence returns the sequence of a batch that an element of a row belongs to.
func sequence(at, elements int, batch int64) int64 {
	return int64(at) * batch / max(int64(elements), 1)
}

// compareCache compares what a run left in a cache: old positions must be what they were, and new ones
// what the run over all tokens made.
func (r *reference) compareCache(c *compared, j *judge, s *seen, of *cache) error {
	if of.way != growing && of.way != roomy {
		return nil
	}
	present, whole := s.out[of.present], r.whole.out[of.present]
	was := s.fed[of.past].Tensor
	d := Difference{Position: s.from, Output: of.present, layer: of.layer, run: s, cache: of}
	if want := lengthAfter(s, of); len(present.Shape) <= of.axis || present.Shape[of.axis] != want {
		d.What, d.Slot = whatLength, want
		c.add(d, gap{abs: math.Inf(1), used: math.Inf(1)})
		return nil
	}
	for at := range s.end() {
		a, what := was, whatOld
		if at >= s.from {
			a, what = whole, whatNew
		}
		if r.whole == s && what == whatNew {
			continue
		}
		x, err := slice(a, of.axis, at)
		if err != nil {
			return err
		}
		y, err := slice(present, of.axis, at)
		if err != nil {
			return err
		}
		c.slots++
		g := j.gap(of.present, x, y)
		if !j.differs(g) {
			continue
		}
		d.What, d.Slot, d.Position = what, at, max(at, s.from)
		c.add(d, g)
	}
	return nil
}

// lengthAfter returns the number of positions that a cache has after a run.
func lengthAfter(s *seen, of *cache) int64 {
	if of.way == growing {
		return s.end()
	}
	return s.fed[of.past].Tensor.Shape[of.axis]
}

// compareStates compares the states after all tokens.
func (r *reference) compareStates(c *compared, j *judge, last *seen, caches []cache) error {
	for i := range caches {
		of := &caches[i]
		if of.way != replaced {
			continue
		}
		a, err := r.whole.out[of.present].Float64s()
		if err != nil {
			return err
		}
		b, err := last.out[of.present].Float64s()
		if err != nil {
			return err
		}
		c.slots++
		if g := j.gap(of.present, a, b); j.differs(g) {
			c.add(Difference{Position: r.tokens - 1, Output: of.present, What: whatState, Slot: -1, layer: of.layer, run: last, cache: of}, g)
		}
	}
	return nil
}
