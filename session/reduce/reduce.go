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

// Options limit a reduction and observe it.
type Options struct {
	// Budget limits its time; 0 means no limit.
	Budget time.Duration
	Layers layers.Options
	// Progress is called after every attempt. It may be nil.
	Progress func(Progress)
}

// Progress is the state of a reduction.
type Progress struct {
	// number of nodes of the whole model and of the smallest part so far, including those in bodies
	From, Nodes int
	Tried       int
}

// Stop is why a reduction ended before the result was minimal.
type Stop string

// The reasons.
const (
	Finished    Stop = ""
	OutOfTime   Stop = "time"
	Interrupted Stop = "interrupted"
)

// Result is the result of a reduction.
type Result struct {
	Part
	// Original is the symptom of the whole model. Symptom is the symptom of the part.
	Original, Symptom Symptom
	From, Nodes       int // number of nodes before and after, including those in bodies and functions
	Tried             int
	Took              time.Duration
	// Minimal is set if no node, or no region of two models, can be removed.
	Minimal bool
	Stopped Stop
	Notes   []string
}

// ErrSound is the error of a reduction of models that show no fault.
var ErrSound = errors.New("nothing is wrong with it")

var errBudget = errors.New("the time for the reduction is over")

// Reduce finds a small part of models that shows the fault of the whole. If the context or the
// budget ends, the result is the smallest part so far.
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

// reduction is one run of Reduce. The part in its result is the smallest so far.
type reduction struct {
	sides  Sides
	o      Options
	start  time.Time
	result Result
}

// begin determines the symptom and drops what it does not need from the part.
func (r *reduction) begin(ctx context.Context, p Part) error {
	found, err := r.sides.observe(ctx, p)
	if err == nil && p.Feeds != nil && len(found) > 0 && (found[0].Stage == ort.Loading || found[0].Kind == Timeout) {
		// A fault while loading does not need inputs. After a timeout it is not known whether it
		// happened while loading.
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

// size counts the nodes of a model, including those in bodies and functions.
func size(m *graphops.Model) int {
	n := 0
	for range m.AllNodes() {
		n++
	}
	return n
}

// maxOpened limits how often bodies and calls are opened, since a function can call itself.
const maxOpened = 128

// rounds searches, opens bodies and functions, and searches inside, as long as the symptom stays.
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
	r.result.Notes = append(r.result.Notes, fmt.Sprintf("bodies and functions deeper than %d are not examined", maxOpened))
	return r.round(ctx)
}

// round searches once for a smaller set of units of the current part.
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

// subject splits the part into units and returns the units with which the search begins. If two
// models are compared but no part of both shows the failure, for example because they have no
// values in common, the search continues with only the model that fails.
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

// begun returns the units with which the search begins. These are the units of a hint if they show
// the symptom, and otherwise all units. It returns nil if cutting the model into units makes the
// symptom disappear.
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
	r.result.Notes = append(r.result.Notes, "the symptom disappears if inner values become inputs and outputs: the whole model is needed")
	return nil, nil
}

// hint is a set of units that is likely to be the answer.
type hint struct {
	set   []int
	wants func(Symptom) bool
}

// hints returns small sets of units that are likely to show the symptom: the node that the runtime
// names, and the region in which the error arises. If that region is used, its own symptom replaces
// that of the whole.
func (r *reduction) hints(s *subject) []hint {
	var out []hint
	want := r.result.Symptom
	if len(want.Nodes) == 1 {
		if u := s.unitOf(func(u unit) bool { return slices.Contains(u.b, want.Nodes[0].Node) }); u >= 0 {
			out = append(out, hint{[]int{u}, want.same})
		}
	}
	if want.Kind == Differs && s.layers != nil && s.layers.First != nil && s.layers.First.Local {
		if u := s.unitOf(func(u unit) bool { return u.layer == s.layers.First.Layer }); u >= 0 {
			out = append(out, hint{[]int{u}, func(t Symptom) bool { return t.Kind == Differs }})
		}
	}
	return out
}

// fails reports whether a part shows the symptom. If it does, the part becomes the current result.
func (r *reduction) fails(ctx context.Context, s *subject, set []int, outputs []string) (bool, error) {
	return r.tries(ctx, s, set, outputs, r.result.Symptom.same)
}

// tries cuts a part. It keeps the part if it shows a wanted symptom and is not larger than the
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

// keeps runs a part. If it shows a wanted symptom and is not larger than the current result, it
// becomes the result. keeps returns true if the part shows a wanted symptom.
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
			// The first size of the error stays the reference. Otherwise it could shrink step by step.
			r.result.Symptom.Strain = strain
		}
	}
	if r.o.Progress != nil {
		r.o.Progress(Progress{r.result.From, size(r.result.B), r.result.Tried})
	}
	return i >= 0, nil
}
