package reporting

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/runtime"
)

// Prober is a step that can run a model up to some values inside it. The worker keeps these values,
// so that a person can inspect them.
type Prober interface {
	session.Step
	// ProbeOptions returns the options of the step that matter for Probe: those for the inputs and
	// for how to run.
	ProbeOptions() []session.Option
	// Probe runs the nodes that compute the named values of the main graph. The
	// caller closes the probe.
	Probe(ctx context.Context, env session.Env, m *graphops.Model, names []string) (*Probe, error)
}

// Probe is a set of values of a model. They are in the worker that computed them.
type Probe struct {
	// Values have types and shapes but no elements; Look fetches the elements. Inputs of the model
	// do have their elements, because the worker does not compute them.
	Values []execution.Got
	Case   string       // the case of inputs, such as "seed 0"
	Fed    []inputs.Fed // the inputs that were needed
	Notes  []string
	Facts  runtime.Facts
	On     string // the launcher of the worker, or "" on this machine
	// Opt is the optimization level with which the model ran. IsProbing is set if the level was
	// lowered for the probe. At the requested level, each inspected value would be an additional
	// output, which can prevent a fusion and so change other values.
	Opt       string
	IsProbing bool

	held runtime.Loaded // nil if nothing was run
}

// NewProbe returns a probe of values that a loaded model holds. held may be nil.
func NewProbe(held runtime.Loaded) *Probe { return &Probe{held: held} }

// IsHeld reports whether a worker has the values.
func (p *Probe) IsHeld() bool { return p.held != nil }

// Look returns what want requests of a value. It may be called concurrently.
func (p *Probe) Look(ctx context.Context, want execution.Want) (got execution.Got, err error) {
	err = p.held.Look(ctx, []execution.Want{want}, func(g execution.Got) error {
		got = g
		return nil
	})
	return got, err
}

// Close ends the worker, if there is one, and waits until it has ended.
func (p *Probe) Close() error {
	if p.held == nil {
		return nil
	}
	return p.held.Close()
}
