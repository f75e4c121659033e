// Package steps binds options to engines, one file per step, each with its
// typed report beside it. What a step does is the engine's business.
package steps

import "lathe/session"

// All makes a fresh value of every step, in the order in which a person meets
// them.
func All() []session.Step {
	list := []session.Step{
		&Inspect{}, &Check{}, &Prune{}, &Axes{},
		&Annotate{}, &Attribute{}, &Bypass{}, &Constants{}, &Delete{}, &Insert{}, &Merge{}, &Metadata{}, &Rename{},
		&Export{}, &TorchExport{}, &TorchTask{}, &Simplify{}, &Optimize{},
	}
	for _, mode := range QuantizeModes() {
		list = append(list, &Quantize{Mode: mode})
	}
	return append(list, &RunModel{}, &Validate{}, &Diff{}, &Bench{}, &Profile{}, &Report{})
}

// New makes a fresh step by name.
func New(name string) (session.Step, bool) {
	for _, s := range All() {
		if s.Name() == name {
			return s, true
		}
	}
	return nil, false
}

// Names lists the steps.
func Names() []string {
	var out []string
	for _, s := range All() {
		out = append(out, s.Name())
	}
	return out
}
