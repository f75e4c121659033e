package search

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Search looks for the smallest assignment that meets the targets.
type Search struct {
	Units    []Unit
	Targets  []Target
	Original Outcome // of the assignment that leaves all units as they are
	Oracle   Oracle
	// Heard is called after each trial with all of them. It may be nil.
	Heard func(trials []Trial)
}

// run is a search in progress.
type run struct {
	*Search
	trials []Trial
	tried  map[string]int // the index of a trial by its assignment
	// tolerated is the noise that limits on the loss of accuracy seem to allow, from phase each on.
	tolerated float64
	alone     [][]effect // of each choice of each unit, if it is the only one; index 0 is choice 0

	forecasts []forecast // the pool of refine, sorted by size
}

// effect is what a choice does if it is the only one.
type effect struct {
	possible bool
	saves    int64
	loads    []float64
}

// Run searches, and returns all trials, the original first. If the context ends, it returns the trials
// until then beside the error.
func (s *Search) Run(ctx context.Context) ([]Trial, error) {
	r := &run{Search: s, tried: map[string]int{}}
	r.note(make(Assignment, len(s.Units)), s.Original)
	if len(s.Units) == 0 {
		return r.trials, nil
	}
	for _, phase := range []func(context.Context) (done bool, err error){r.everything, r.guess, r.each, r.refine, r.trace} {
		if done, err := phase(ctx); done || err != nil {
			return r.trials, err
		}
	}
	return r.trials, nil
}

// try returns the outcome of an assignment, which is asked for once.
func (r *run) try(ctx context.Context, a Assignment) (*Outcome, error) {
	if at, ok := r.tried[string(a)]; ok {
		return &r.trials[at].Outcome, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o, err := r.Oracle.Try(ctx, a)
	if err != nil {
		return nil, err
	}
	r.note(a, o)
	return &r.trials[len(r.trials)-1].Outcome, nil
}

func (r *run) note(a Assignment, o Outcome) {
	r.tried[string(a)] = len(r.trials)
	r.trials = append(r.trials, Trial{a, o})
	if r.Heard != nil {
		r.Heard(r.trials)
	}
}

// meets reports whether an outcome keeps the limits on errors.
func (r *run) meets(o *Outcome) bool { return Load(r.Targets, o) <= 1 }

// everything tries the choice of each unit that is estimated to save most. If that meets the targets, nothing
// is noticeably smaller.
func (r *run) everything(ctx context.Context) (done bool, err error) {
	a := make(Assignment, len(r.Units))
	for i, u := range r.Units {
		saves := int64(0)
		for k, c := range u.Choices {
			if c.Saves > saves {
				a[i], saves = byte(k+1), c.Saves
			}
		}
	}
	o, err := r.try(ctx, a)
	return err == nil && r.meets(o), err
}

// pair is one choice of one unit.
type pair struct {
	unit, choice int
	Choice
}

// worth is the bytes that a choice saves for its noise.
func (p pair) worth() float64 {
	if p.Noise == 0 {
		return math.Inf(1)
	}
	return float64(p.Saves) / p.Noise
}

// pairs returns the choices of all units, the most bytes for the least noise first.
func (r *run) pairs() (out []pair) {
	for i, u := range r.Units {
		for k, c := range u.Choices {
			out = append(out, pair{i, k + 1, c})
		}
	}
	slices.SortStableFunc(out, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.worth(), a.worth()), cmp.Compare(b.Saves, a.Saves))
	})
	return out
}

// guess tries assignments that take choices in the order of their worth by the estimates. It bisects
// for how many of them meet the targets, so that a good point is known after few trials.
func (r *run) guess(ctx context.Context) (bool, error) {
	var path []Assignment
	a := make(Assignment, len(r.Units))
	for _, p := range r.pairs() {
		if now := int(a[p.unit]); now == 0 || r.Units[p.unit].Choices[now-1].Saves < p.Saves {
			a = a.with(p.unit, p.choice)
			path = append(path, a)
		}
	}
	for low, high := 0, len(path); low < high; {
		middle := (low + high) / 2
		o, err := r.try(ctx, path[middle])
		if err != nil {
			return false, err
		}
		if r.meets(o) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return false, nil
}

// each tries each choice alone.
func (r *run) each(ctx context.Context) (bool, error) {
	for _, p := range r.pairs() {
		if _, err := r.try(ctx, r.only(p.unit, p.choice)); err != nil {
			return false, err
		}
	}
	r.tolerate()
	r.weigh()
	return false, nil
}

// only returns the assignment of one choice.
func (r *run) only(unit, choice int) Assignment {
	return make(Assignment, len(r.Units)).with(unit, choice)
}

// weigh notes what each choice does alone. All of them were tried.
func (r *run) weigh() {
	none := len(r.loads(&r.Original))
	r.alone = make([][]effect, len(r.Units))
	for i, u := range r.Units {
		r.alone[i] = []effect{{true, 0, make([]float64, none)}}
		for k := range u.Choices {
			o := &r.trials[r.tried[string(r.only(i, k+1))]].Outcome
			saves := r.Original.Bytes - o.Bytes
			r.alone[i] = append(r.alone[i], effect{o.Failed == "" && saves > 0, saves, r.loads(o)})
		}
	}
}

// saved returns the bytes that an assignment is predicted to save.
func (r *run) saved(a Assignment) (out int64) {
	for i, c := range a {
		out += r.alone[i][c].saves
	}
	return out
}

// predicted returns the load that an assignment is predicted to have, if noises add.
func (r *run) predicted(a Assignment) float64 {
	total := make([]float64, len(r.alone[0][0].loads))
	for i, c := range a {
		e := r.alone[i][c]
		if !e.possible {
			return math.Inf(1)
		}
		for k, v := range e.loads {
			total[k] += v
		}
	}
	return most(total)
}
