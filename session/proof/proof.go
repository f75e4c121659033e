// Package proof runs a model and what was made of it side by side, to show that
// they are the same.
//
// A model that computes the same in another way, as after a fusion, may round
// differently: it is near the original where no output is farther from it than
// rounding explains, see Near. Passes that go farther are found and left out, see Sound.
//
// A model whose axes were changed must give the same bits as the original where both run. Where
// only the changed one does, because an axis of the original is a number, every
// item along that axis must be what the original gives for it alone. A kernel may
// round differently for another number of rows, so items are compared within a
// tolerance, which the result states with the largest difference that was seen.
//
// What is shown holds for the inputs that were tried. What the user does not give is
// generated: the values that the readers of an input allow, see package inputs.
package proof

import (
	"context"
	"fmt"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/sizing"
)

// Prover compares models on inputs that are given or generated.
type Prover struct {
	Runner graphops.Runner
	// Optimized runs models as the runtime optimizes them. It never judges a change: it only
	// tells of an original that does not run whether optimizations make it run. It may be nil.
	Optimized graphops.Runner
	// Inputs are what models run on; what it leaves open is generated.
	Inputs Inputs
	// Seeds is how many inputs are tried at a size; 0 is DefaultSeeds.
	Seeds int
	// Patience is how long the original may take for one input before NearAt and Sound try
	// no further one; 0 is as long as it takes. What was tried is told.
	Patience time.Duration
	// MaxBytes limits the inputs of one run; 0 is the limit of package inputs.
	MaxBytes int64
	// Learned is where searches for sizes keep what they learned.
	Learned sizing.Store
	// Ran hears of every run that is done; it may be nil.
	Ran func()
}

// DefaultSeeds is enough for generated numbers, of which no two runs share any, to
// tell an axis from another one, and a weight from its neighbour.
const DefaultSeeds = 2

func (p *Prover) seeds() int {
	if p.Seeds > 0 {
		return p.Seeds
	}
	return DefaultSeeds
}

// UnprovedError tells that nothing could be compared, which says nothing about the
// changed model: the original cannot be fed, does not run, or gives something else in
// each run.
type UnprovedError struct{ Err error }

func (e *UnprovedError) Error() string { return "not proved: " + e.Err.Error() }

func (e *UnprovedError) Unwrap() error { return e.Err }

// run evaluates values of a model, all of its outputs where none is named.
func (p *Prover) run(ctx context.Context, m *graphops.Model, in graphops.Feeds, names []string) (map[string]graphops.Value, error) {
	if names == nil {
		names = outputsOf(m)
	}
	got := map[string]graphops.Value{}
	err := p.each(ctx, p.Runner, m, in, names, func(name string, v graphops.Value) { got[name] = v })
	return got, err
}

// each evaluates values one after another, none of which is kept here.
func (p *Prover) each(ctx context.Context, on graphops.Runner, m *graphops.Model, in graphops.Feeds, names []string, take func(name string, v graphops.Value)) error {
	came := 0
	err := on.Run(ctx, m, in, graphops.Whole(names...), func(g graphops.Got) error {
		came++
		take(g.Name, g.Value)
		return nil
	})
	if err == nil && came < len(names) {
		err = fmt.Errorf("%d of %d values came", came, len(names))
	}
	if p.Ran != nil && err == nil {
		p.Ran()
	}
	return err
}

// outputsOf are the names of a model's outputs, each once.
func outputsOf(m *graphops.Model) []string {
	var names []string
	seen := map[string]bool{}
	for _, v := range m.Graph().Outputs() {
		if !seen[v.Name()] {
			seen[v.Name()] = true
			names = append(names, v.Name())
		}
	}
	return names
}

// Difference is where the changed model gives something else.
type Difference struct {
	Sizes map[string]int64 // that were tried
	// Value is an output, or "" where the changed model did not run at all, or is not fit
	// to be run for Reason.
	Value string
	At    string // the part of the value, "" for all of it
	Item  int64  // along the axis that was freed; -1 where whole values were compared
	Index []int64
	// Want and Got are the elements there. Reason stands in their place where the
	// values cannot be compared by element.
	Want, Got string
	Reason    string
	Err       error  // why it did not run
	Remark    string // what is known of why it differs, or ""
}

// String says what the changed model does, as "does not run at batch=2: …".
func (d *Difference) String() string {
	if d.Remark == "" {
		return d.does()
	}
	return d.does() + "; " + d.Remark
}

func (d *Difference) does() string {
	at := ""
	if len(d.Sizes) > 0 {
		at = " at " + FormatSizes(d.Sizes)
	}
	if d.Err != nil {
		return fmt.Sprintf("does not run%s: %s", at, d.Err)
	}
	if d.Value == "" && d.Reason != "" {
		return d.Reason
	}
	what := fmt.Sprintf("value %q%s", d.Value, d.At)
	if d.Item >= 0 {
		what += fmt.Sprintf(", item %d", d.Item)
	}
	if d.Reason != "" {
		return fmt.Sprintf("differs%s: %s: %s", at, what, d.Reason)
	}
	return fmt.Sprintf("differs%s: %s is %s at %v, expected %s", at, what, d.Got, d.Index, d.Want)
}

// element fills in the worst element of a comparison.
func (d *Difference) element(w *tensor.Worst) {
	if w == nil {
		d.Reason = "the bits differ"
		return
	}
	d.Index, d.Want, d.Got = w.Index, fmt.Sprintf("%.7g", w.A), fmt.Sprintf("%.7g", w.B)
	if w.TextA != "" || w.TextB != "" {
		d.Want, d.Got = fmt.Sprintf("%q", w.TextA), fmt.Sprintf("%q", w.TextB)
	}
}

// Feeds makes the inputs of a model at sizes that Settle gave, for a seed.
func (p *Prover) Feeds(m *graphops.Model, sizes map[string]int64, seed int) (graphops.Feeds, error) {
	return p.feeds(m, m, sizes, seed)
}
