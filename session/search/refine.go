package search

import (
	"cmp"
	"context"
	"math"
	"slices"
)

const (
	// noticeable is the part of the best size by which another assignment must be smaller to be tried.
	noticeable = 1.0 / 512
	// doubt is the ratio of loads up to which a prediction may be wrong: 3 dB.
	doubt = 2.0
	// patience is how many trials in a row may find nothing better.
	patience = 40
)

// refine tries assignments that are predicted to be smaller than the best one.
func (r *run) refine(ctx context.Context) (bool, error) {
	pool := r.priced(r.pool())
	bySize(pool)
	for misses := 0; misses < patience; {
		if r.tolerate() {
			r.weigh()
			pool = r.priced(assignmentsOf(pool))
			bySize(pool)
		}
		next := r.next(pool)
		if next == nil {
			break
		}
		before := r.best()
		if _, err := r.try(ctx, next); err != nil {
			return false, err
		}
		if misses++; r.best() < before {
			misses = 0
			pool = append(pool, r.priced(r.near(next))...)
			bySize(pool)
		}
	}
	r.forecasts = pool
	return false, nil
}

// best returns the size of the smallest assignment that keeps the limits on errors.
func (r *run) best() int64 {
	out := r.Original.Bytes
	for i := range r.trials {
		if o := &r.trials[i].Outcome; o.Failed == "" && o.Bytes < out && r.meets(o) {
			out = o.Bytes
		}
	}
	return out
}

// forecast is an assignment with its predicted size and load.
type forecast struct {
	of   Assignment
	size int64
	load float64
}

func (r *run) priced(list []Assignment) []forecast {
	out := make([]forecast, len(list))
	for i, a := range list {
		out[i] = forecast{a, r.Original.Bytes - r.saved(a), r.predicted(a)}
	}
	return out
}

func assignmentsOf(pool []forecast) (out []Assignment) {
	for _, f := range pool {
		out = append(out, f.of)
	}
	return out
}

func bySize(pool []forecast) {
	slices.SortStableFunc(pool, func(a, b forecast) int { return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.load, b.load)) })
}

// next returns the assignment of the pool to try: the smallest one that is predicted to keep the limits;
// if none is, that with the smallest load among those that may keep them. It returns nil if none may, or
// none is noticeably smaller than the best one. The pool is sorted by size.
func (r *run) next(pool []forecast) (unsure Assignment) {
	limit := r.best() - int64(noticeable*float64(r.best()))
	lightest, of := doubt, r.corrections()
	for _, f := range pool {
		if f.size >= limit {
			break
		}
		if _, known := r.tried[string(f.of)]; known || f.load > doubt*of.most {
			continue
		}
		load := f.load * of.ratio(f.of)
		if load <= 1 {
			return f.of
		}
		if load < lightest {
			unsure, lightest = f.of, load
		}
	}
	return unsure
}

// correction is how a measured load of a combination compares with the prediction.
type correction struct {
	of    Assignment
	ratio float64 // the logarithm of measured by predicted
}

type corrections struct {
	list []correction
	most float64 // the largest factor by which a measured load was below its prediction, at least 1
}

// corrections compares the trials of several choices with their predictions.
func (r *run) corrections() *corrections {
	out := &corrections{most: 1}
	for i := range r.trials {
		t := &r.trials[i]
		load, plain := r.load(&t.Outcome), r.predicted(t.Assignment)
		if t.Assignment.changed() < 2 || !(load > 0 && plain > 0) || math.IsInf(load, 0) || math.IsInf(plain, 0) {
			continue
		}
		ratio := math.Log(load / plain)
		out.list = append(out.list, correction{t.Assignment, ratio})
		out.most = max(out.most, math.Exp(-ratio))
	}
	return out
}

// ratio returns the factor that corrects the prediction for an assignment: the mean of the
// logarithms of known ratios, in which one of an assignment that differs in d units counts 4^-d. A
// prediction without an error counts as if it was known at a distance of 3 units.
func (c *corrections) ratio(a Assignment) float64 {
	sum, weights := 0.0, math.Pow(0.25, 3)
	for _, k := range c.list {
		d := 0
		for i, x := range a {
			if k.of[i] != x {
				d++
			}
		}
		w := math.Pow(0.25, float64(d))
		sum, weights = sum+w*k.ratio, weights+w
	}
	return math.Exp(sum / weights)
}

const (
	// fewStates is up to how many assignments all of them are in the pool.
	fewStates = 1 << 16
	// heaviest is the largest predicted load in the pool: errors may turn out 10 dB smaller.
	heaviest = 10
	// beam is how many incomplete assignments are followed if there are more.
	beam = 1 << 11
)

// state is an assignment of the first units.
type state struct {
	of    Assignment
	saves int64
	loads []float64
}

// pool returns the assignments among which to choose. If there are too many to list, those are left
// out to which another one is preferable: it is smaller and has a smaller load.
func (r *run) pool() []Assignment {
	states := []state{{make(Assignment, len(r.Units)), 0, make([]float64, len(r.alone[0][0].loads))}}
	limit := fewStates
	if r.assignments() > fewStates {
		limit = 4 * beam
	}
	for i := range r.Units {
		var grown []state
		for _, s := range states {
			for c, e := range r.alone[i] {
				if next := s.and(i, c, e); e.possible && most(next.loads) <= heaviest {
					grown = append(grown, next)
				}
			}
		}
		if states = grown; len(states) > limit {
			states = undominated(states)
		}
	}
	out := make([]Assignment, len(states))
	for i, s := range states {
		out[i] = s.of
	}
	return out
}

// assignments returns how many there are, at most infinity.
func (r *run) assignments() float64 {
	out := 1.0
	for _, u := range r.Units {
		out *= float64(len(u.Choices) + 1)
	}
	return out
}

// and returns the state with another unit assigned.
func (s state) and(unit, choice int, e effect) state {
	out := state{s.of, s.saves + e.saves, slices.Clone(s.loads)}
	if choice > 0 {
		out.of = s.of.with(unit, choice)
	}
	for k, v := range e.loads {
		out.loads[k] += v
	}
	return out
}

// undominated returns the states to which no other one is preferable, thinned evenly to the beam.
func undominated(states []state) (out []state) {
	slices.SortStableFunc(states, func(a, b state) int {
		return cmp.Or(cmp.Compare(b.saves, a.saves), cmp.Compare(most(a.loads), most(b.loads)))
	})
	lightest := math.Inf(1)
	for _, s := range states {
		if load := most(s.loads); load < lightest {
			out, lightest = append(out, s), load
		}
	}
	if len(out) <= beam {
		return out
	}
	thin := make([]state, beam)
	for i := range thin {
		thin[i] = out[i*(len(out)-1)/(beam-1)]
	}
	return thin
}

// near returns the assignments that differ from another one in one unit.
func (r *run) near(a Assignment) (out []Assignment) {
	for i := range a {
		for c, e := range r.alone[i] {
			if c != int(a[i]) && e.possible {
				out = append(out, a.with(i, c))
			}
		}
	}
	return out
}
