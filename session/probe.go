package session

import (
	"context"

	"lathe/graphops"
	"lathe/session/inputs"
)

// Prober is a step that can run a model up to values inside it and leave them
// where they are, to be looked at.
type Prober interface {
	Step
	// ProbeOptions are those of the step's options that say what is run on, and how.
	ProbeOptions() []Option
	// Probe runs what makes the named values of the main graph. Whoever calls it
	// closes the probe.
	Probe(ctx context.Context, env Env, m *graphops.Model, names []string) (*Probe, error)
}

// Probe is values of a model, held where they were made.
type Probe struct {
	// Values have types and shapes, and no elements: Look brings what is wanted of
	// those. Inputs of the model have theirs; nothing was run for them.
	Values []graphops.Got
	Case   string       // what it ran on, as "seed 0"
	Fed    []inputs.Fed // what of it was needed
	Notes  []string
	Facts  Facts
	On     string // the launcher behind which it ran, "" for here
	// Opt is how far the runtime optimized the part that was run. IsProbing tells
	// that it was not to: an output amid what would be fused keeps it from fusing, and
	// other values change with it.
	Opt       string
	IsProbing bool

	held Loaded // nil where nothing was run
}

// NewProbe is a probe of values that a session holds; nil for none.
func NewProbe(held Loaded) *Probe { return &Probe{held: held} }

// IsHeld reports whether a worker holds the values.
func (p *Probe) IsHeld() bool { return p.held != nil }

// Look tells what is wanted of a value that is held. Several may look at once.
func (p *Probe) Look(ctx context.Context, want graphops.Want) (got graphops.Got, err error) {
	err = p.held.Look(ctx, []graphops.Want{want}, func(g graphops.Got) error {
		got = g
		return nil
	})
	return got, err
}

// Close ends the worker, if there is one, and waits for it.
func (p *Probe) Close() error {
	if p.held == nil {
		return nil
	}
	return p.held.Close()
}
