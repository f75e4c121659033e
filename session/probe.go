package session

import (
	"context"

	"lathe/graphops"
	"lathe/session/inputs"
)

// Prober is a step that can run a model up to values inside it and keep these
// values in the worker, where they can be looked at.
type Prober interface {
	Step
	// ProbeOptions returns the step's options for the inputs and for how to run.
	ProbeOptions() []Option
	// Probe runs the nodes that compute the named values of the main graph. The
	// caller closes the probe.
	Probe(ctx context.Context, env Env, m *graphops.Model, names []string) (*Probe, error)
}

// Probe is values of a model, held by the worker that computed them.
type Probe struct {
	// Values have types and shapes but no elements; Look fetches these. Inputs of the
	// model have their elements, as nothing was run for them.
	Values []graphops.Got
	Case   string       // the case of inputs, such as "seed 0"
	Fed    []inputs.Fed // the inputs that were needed
	Notes  []string
	Facts  Facts
	On     string // the launcher of the worker, "" for this machine
	// Opt is the optimization level of the part that was run. IsProbing reports whether
	// the level was lowered for the probe: an output amid nodes that would be fused
	// prevents the fusion, which changes other values.
	Opt       string
	IsProbing bool

	held Loaded // nil if nothing was run
}

// NewProbe returns a probe of values that a loaded model holds. held may be nil.
func NewProbe(held Loaded) *Probe { return &Probe{held: held} }

// IsHeld reports whether a worker holds the values.
func (p *Probe) IsHeld() bool { return p.held != nil }

// Look returns what is wanted of a held value. It may be called concurrently.
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
