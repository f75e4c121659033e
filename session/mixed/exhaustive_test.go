//go:build cgo

package mixed

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/search"
	"lathe/session/sessiontest"
)

// everyChoice is a model in which every choice is tried.
type everyChoice struct {
	form   form
	layers int
	types  []string
}

// few are quick enough for every test run, many for ten nodes are not.
var few = []everyChoice{{plain, 4, []string{"nbits-4", "dynamic"}}, {residual, 6, []string{"nbits-4"}}, {gated, 3, []string{"nbits-8", "nbits-4", "float16"}}}

var many = func() (out []everyChoice) {
	for f := range form(4) {
		for _, t := range []string{"nbits-4", "dynamic", "float16"} {
			out = append(out, everyChoice{f, 10, []string{t}})
		}
	}
	return out
}()

// TestEveryChoice compares the result of a search with the best of all assignments: it is at most 1 % larger,
// and takes at most a third of the trials if there are enough assignments.
func TestEveryChoice(t *testing.T) {
	env := sessiontest.Env(t)
	for i, c := range few {
		c.compare(t, env, uint64(i), 1)
	}
}

// compare searches with three targets, which a quarter, half and three quarters of the assignments miss. part
// is the largest part of all assignments that the search may try.
func (c everyChoice) compare(t *testing.T, env session.Env, seed uint64, part float64) {
	t.Helper()
	m := layered(t, c.form, c.layers, -1, rand.New(rand.NewPCG(seed, 11)))
	s := &Auto{Types: c.types, NoStore: true}
	s.Quant.Dim, s.Quant.ReduceRange = []string{"batch=16"}, slices.Contains(c.types, "dynamic")
	all, original := s.all(t, env, m)
	for _, quantile := range []float64{0.25, 0.5, 0.75} {
		targets := []search.Target{{Measure: search.SNR, Bound: snrOf(all, quantile)}}
		best := search.FrontOf(targets, all)
		at, _ := best.Best(targets, original)
		s.Targets = []string{targets[0].String()}
		r := s.searched(t, env, m)
		if r.Best == 0 {
			t.Fatalf("%s %v %v: no point", formNames[c.form], c.types, s.Targets)
		}
		got, want := r.Front[r.Best-1].Bytes, best[at].Outcome.Bytes
		t.Logf("%s, %d layers, %v, %v: %d bytes, the best is %d (%+.2f %%); %d trials of %d", formNames[c.form], c.layers, c.types, s.Targets, got, want, 100*(float64(got)/float64(want)-1), r.New, len(all))
		if float64(got) > 1.01*float64(want) {
			t.Errorf("%s %v %v: %d bytes, expected at most 1 %% above %d", formNames[c.form], c.types, s.Targets, got, want)
		}
		if float64(r.New) > part*float64(len(all)) {
			t.Errorf("%s %v %v: %d trials of %d", formNames[c.form], c.types, s.Targets, r.New, len(all))
		}
	}
}

// all tries every assignment.
func (s *Auto) all(t *testing.T, env session.Env, m *graphops.Model) (out []search.Trial, original int64) {
	t.Helper()
	need, how := s.Ahead()
	defer env.Ready(t.Context(), need, how)()
	p, err := s.plan(t.Context(), env, m, true)
	if err != nil {
		t.Fatal(err)
	}
	x, undo, err := s.tester(t.Context(), env, m, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer undo()
	for a := make(search.Assignment, len(p.units)); ; {
		o, err := x.Try(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, search.Trial{Assignment: slices.Clone(a), Outcome: o})
		i := 0
		for ; i < len(a); i++ {
			if a[i]++; int(a[i]) <= len(p.units[i].Choices) {
				break
			}
			a[i] = 0
		}
		if i == len(a) {
			return out, x.original
		}
	}
}

// snrOf returns a ratio in dB that a part of the assignments has. Two digits are kept, as a target has.
func snrOf(all []search.Trial, part float64) float64 {
	var list []float64
	for _, x := range all {
		if w := x.Outcome.Worst(); w != nil && w.Noise > 0 && x.Outcome.Failed == "" {
			list = append(list, -10*math.Log10(float64(w.Noise)))
		}
	}
	slices.Sort(list)
	return math.Floor(10*list[int(part*float64(len(list)))]) / 10
}

// searched runs a search.
func (s *Auto) searched(t *testing.T, env session.Env, m *graphops.Model) *Report {
	t.Helper()
	need, how := s.Ahead()
	defer env.Ready(t.Context(), need, how)()
	out, err := s.Run(context.WithoutCancel(t.Context()), env, m)
	if err != nil {
		t.Fatal(err)
	}
	return out.Report.(*Report)
}
