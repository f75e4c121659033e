package reduce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/session/layers"
	"lathe/session/ort"
)

// Options bound a reduction.
type Options struct {
	// Budget is how long it may take; 0 for ever.
	Budget time.Duration
	Layers layers.Options
	// Progress hears after every try. It may be nil.
	Progress func(Progress)
}

// Progress is how far a reduction is.
type Progress struct {
	From, Nodes int // of the whole, and of the smallest part so far, those in bodies included
	Tried       int
}

// Stop is why a reduction ended before it was minimal.
type Stop string

// The reasons.
const (
	Finished    Stop = ""
	OutOfTime   Stop = "time"
	Interrupted Stop = "interrupted"
)

// Result is what a reduction found.
type Result struct {
	Part
	// Original is what was wrong with the whole, Symptom what is with the part.
	Original, Symptom Symptom
	From, Nodes       int // main graph, bodies and functions
	Tried             int
	Took              time.Duration
	// Minimal tells that no node, or no region of two models, can be taken away.
	Minimal bool
	Stopped Stop
	Notes   []string
}

// ErrSound is the error of models with which nothing is wrong.
var ErrSound = errors.New("nothing is wrong with it")

var errBudget = errors.New("the time for the reduction is over")

// Reduce finds a small part of models that shows what is wrong with the whole. An ended
// context or budget leaves the smallest part so far.
func Reduce(ctx context.Context, whole Part, sides Sides, o Options) (*Result, error) {
	r := &reduction{sides: sides, o: o, start: time.Now()}
	if o.Budget > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, o.Budget, errBudget)
		defer cancel()
	}
	if err := r.begin(ctx, whole); err != nil {
		return nil, err
	}
	err := r.rounds(ctx)
	if err == nil {
		err = r.polish(ctx)
	}
	switch {
	case err == nil:
	case errors.Is(context.Cause(ctx), errBudget):
		r.result.Stopped, r.result.Minimal = OutOfTime, false
	case ctx.Err() != nil:
		r.result.Stopped, r.result.Minimal = Interrupted, false
	default:
		return nil, err
	}
	r.result.Nodes, r.result.Took = size(r.result.B), time.Since(r.start)
	return &r.result, nil
}

// reduction is one run of Reduce. The part of its result is the smallest so far.
type reduction struct {
	sides  Sides
	o      Options
	start  time.Time
	result Result
}

// begin settles what is wrong, and drops from the part what that does not need.
func (r *reduction) begin(ctx context.Context, p Part) error {
	found, err := r.sides.observe(ctx, p)
	if err == nil && p.Feeds != nil && len(found) > 0 && (found[0].Stage == ort.Loading || found[0].Kind == Timeout) {
		// What happens while loading needs no values. A limit of time does not tell when.
		loading := Part{B: p.B}
		early, failed := r.sides.observe(ctx, loading)
		if err = failed; len(early) > 0 {
			found, p = early, loading
		}
	}
	switch {
	case err != nil:
		return err
	case len(found) == 0:
		return ErrSound
	case found[0].Kind == NotFinite || p.A == p.B && found[0].Kind != Differs:
		p.A = nil
	}
	r.result.Part, r.result.Original, r.result.Symptom = p, found[0], found[0]
	r.result.From = size(p.B)
	return nil
}

// size counts the nodes of a model, those in bodies and functions included.
func size(m *graphops.Model) int {
	n := 0
	for range m.AllNodes() {
		n++
	}
	return n
}

// maxOpened bounds how deep bodies and calls are gone into: a function can call itself.
const maxOpened = 128

// rounds searches, goes into bodies and functions, and searches there, as long as the
// symptom goes along.
func (r *reduction) rounds(ctx context.Context) error {
	for range maxOpened {
		if err := r.round(ctx); err != nil {
			return err
		}
		opened, err := r.open(ctx)
		if err == nil && !opened {
			r.tellKept()
		}
		if err != nil || !opened {
			return err
		}
	}
	r.result.Notes = append(r.result.Notes, fmt.Sprintf("bodies and functions deeper than %d are not gone into", maxOpened))
	return r.round(ctx)
}

// round searches among the units of the part.
func (r *reduction) round(ctx context.Context) error {
	r.result.Minimal = false
	s, start, err := r.subject(ctx)
	if err != nil || start == nil {
		return err
	}
	if err := (&search{fails: func(set []int) (bool, error) { return r.fails(ctx, s, set, nil) }}).minimize(start); err != nil {
		return err
	}
	r.result.Minimal = true
	return nil
}

// subject takes the part apart and finds what to begin with. Where two models do not show a
// failure that way, as where they share no values, the one that fails is looked at by itself.
func (r *reduction) subject(ctx context.Context) (*subject, []int, error) {
	s, err := newSubject(ctx, r.result.Part, r.sides.Plain, r.o.Layers)
	var start []int
	if err == nil {
		start, err = r.begun(ctx, s)
	}
	if r.result.A == nil || r.result.Symptom.Kind == Differs || ctx.Err() != nil || start != nil {
		return s, start, err
	}
	r.result.A = nil
	return r.subject(ctx)
}

// begun is a set of units to begin with: what a hint names, else all; nil where a part of
// all units does not show the symptom.
func (r *reduction) begun(ctx context.Context, s *subject) ([]int, error) {
	for _, h := range r.hints(s) {
		ok, err := r.tries(ctx, s, h.set, nil, h.wants)
		if ok || err != nil {
			return h.set, err
		}
	}
	ok, err := r.fails(ctx, s, s.all(), nil)
	if ok || err != nil {
		return s.all(), err
	}
	if r.result.A != nil && r.result.Symptom.Kind != Differs {
		return nil, nil
	}
	r.result.Notes = append(r.result.Notes, "with the values between as inputs and outputs the symptom goes away: the whole model is needed")
	return nil, nil
}

// hint is a set of units that is likely to be the answer.
type hint struct {
	set   []int
	wants func(Symptom) bool
}

// hints are the node that the runtime names, and the region that makes the error. What that
// region does wrong is what the search is about from there on.
func (r *reduction) hints(s *subject) []hint {
	var out []hint
	want := r.result.Symptom
	if len(want.Nodes) == 1 {
		if u := s.unitOf(func(u unit) bool { return slices.Contains(u.b, want.Nodes[0].Node) }); u >= 0 {
			out = append(out, hint{[]int{u}, want.Same})
		}
	}
	if want.Kind == Differs && s.layers != nil && s.layers.First != nil && s.layers.First.Local {
		if u := s.unitOf(func(u unit) bool { return u.layer == s.layers.First.Layer }); u >= 0 {
			out = append(out, hint{[]int{u}, func(t Symptom) bool { return t.Kind == Differs }})
		}
	}
	return out
}

// fails reports whether a part shows the symptom.
func (r *reduction) fails(ctx context.Context, s *subject, set []int, outputs []string) (bool, error) {
	return r.tries(ctx, s, set, outputs, r.result.Symptom.Same)
}

// tries cuts a part, and keeps it if it shows what is wanted and is no larger than the
// smallest so far.
func (r *reduction) tries(ctx context.Context, s *subject, set []int, outputs []string, wanted func(Symptom) bool) (bool, error) {
	if ctx.Err() != nil {
		return false, context.Cause(ctx)
	}
	p, err := s.cut(ctx, set, outputs)
	if errors.Is(err, errUncut) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return r.keeps(ctx, p, wanted)
}

// keeps tries a part.
func (r *reduction) keeps(ctx context.Context, p Part, wanted func(Symptom) bool) (bool, error) {
	found, err := r.sides.observe(ctx, p)
	if err != nil {
		return false, err
	}
	r.result.Tried++
	i := slices.IndexFunc(found, wanted)
	if i >= 0 && size(p.B) <= size(r.result.B) {
		strain := r.result.Symptom.Strain
		r.result.Part, r.result.Symptom = p, found[i]
		if found[i].Class == r.result.Original.Class && strain > 0 {
			r.result.Symptom.Strain = strain // smaller and smaller errors are not the same one
		}
	}
	if r.o.Progress != nil {
		r.o.Progress(Progress{r.result.From, size(r.result.B), r.result.Tried})
	}
	return i >= 0, nil
}
