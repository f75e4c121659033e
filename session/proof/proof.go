// Package proof runs a model and a changed version of it side by side, to show that both compute
// the same.
//
// A model that computes in another way, for example after a fusion, may round differently. It is
// near the original if no output is farther from it than rounding explains, see Near. Passes that
// cause larger differences are found and left out, see Sound.
//
// A model whose axes were changed must give the same bits as the original at sizes at which both
// run. At other sizes only the changed model runs, because an axis of the original is a fixed
// number. Then every item along that axis must equal the original's result for that item alone. A
// kernel may round differently for another number of rows, so items are compared within a
// tolerance, which the result states together with the largest difference.
//
// What is shown holds for the inputs that were tried. Inputs that the user does not give are
// generated from the values that the readers of an input allow, see package inputs.
package proof

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
	"lathe/session/sizing"
)

// Prover compares models on inputs that are given or generated.
type Prover struct {
	Runner graphops.Runner
	// Optimized runs models with the runtime's optimizations. It never judges a change. It is only
	// used to find out whether an original that does not run would run with optimizations. It may
	// be nil.
	Optimized graphops.Runner
	// Inputs are the user's inputs. Those that are missing are generated.
	Inputs Inputs
	// Seeds is how many inputs are tried for a size; 0 means defaultSeeds.
	Seeds int
	// Patience limits the time of the original. If one input takes longer, NearAt and Sound try no
	// further one. 0 means no limit. The result lists what was tried.
	Patience time.Duration
	// MaxBytes limits the inputs of one run; 0 means the limit of package inputs.
	MaxBytes int64
	// Learned is where searches for sizes store what they found out.
	Learned sizing.Store
	// Ran is called after every run; it may be nil.
	Ran func()
}

// defaultSeeds is the default number of inputs. Two are enough, because they are random and have no
// numbers in common, so that exchanged axes or weights lead to differences.
const defaultSeeds = 2

// limit is how many bytes the inputs of one run may take, and the cases that a reference keeps.
func (p *Prover) limit() int64 { return cmp.Or(p.MaxBytes, inputs.DefaultMaxBytes) }

func (p *Prover) seeds() int {
	if p.Seeds > 0 {
		return p.Seeds
	}
	return defaultSeeds
}

// unprovedError says that the models could not be compared. It does not mean that the changed model
// is wrong: the original has no usable inputs, does not run, or gives different results in each
// run.
type unprovedError struct{ Err error }

func (e *unprovedError) Error() string { return "not proved: " + e.Err.Error() }

func (e *unprovedError) Unwrap() error { return e.Err }

// run evaluates values of a model, or all of its outputs if names is nil.
func (p *Prover) run(ctx context.Context, m *graphops.Model, in graphops.Feeds, names []string) (map[string]graphops.Value, error) {
	if names == nil {
		names = outputsOf(m)
	}
	got := map[string]graphops.Value{}
	err := p.each(ctx, p.Runner, m, in, names, func(name string, v graphops.Value) { got[name] = v })
	return got, err
}

// each runs a model and passes every value to take, one at a time, without keeping them.
func (p *Prover) each(ctx context.Context, on graphops.Runner, m *graphops.Model, in graphops.Feeds, names []string, take func(name string, v graphops.Value)) error {
	came := 0
	err := on.Run(ctx, m, in, graphops.Whole(names...), func(g graphops.Got) error {
		came++
		take(g.Name, g.Value)
		return nil
	})
	if err == nil && came < len(names) {
		err = fmt.Errorf("the runtime returned %d of %d values", came, len(names))
	}
	if p.Ran != nil && err == nil {
		p.Ran()
	}
	return err
}

// outputsOf returns the names of a model's outputs without repetitions.
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

// Difference is a difference between the changed model and the original.
type Difference struct {
	Sizes map[string]int64 // the sizes tried
	// Value is an output. It is empty if the changed model did not run at all, or if it must not be
	// run for Reason.
	Value string
	At    string // the part of the value, or "" for all of it
	Item  int64  // index along the freed axis; -1 if whole values were compared
	Index []int64
	// Want and Got are the elements at Index. If values cannot be compared by element, Reason is
	// set instead.
	Want, Got string
	Reason    string
	Err       error  // why it did not run
	Remark    string // what is known about the cause, or ""
}

// String says what the changed model does, for example "does not run at batch=2: …".
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
	return fmt.Sprintf("differs%s: %s is %s at %v, and %s in the original", at, what, d.Got, d.Index, d.Want)
}

// element fills in the elements that differ most, and their index. If w is nil, no numbers differ,
// only bits.
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

// Feeds returns the inputs of a model at sizes from Settle, for a seed.
func (p *Prover) Feeds(m *graphops.Model, sizes map[string]int64, seed int) (graphops.Feeds, error) {
	return p.feeds(m, m, sizes, seed)
}
