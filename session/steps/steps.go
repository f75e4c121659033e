// Package steps defines the steps: their options, and the reports of what they did. There is one
// file per step, and its report is in a file beside it. The work is done by other packages, the
// engines.
package steps

import (
	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/quantization"
	"lathe/session/steps/cut"
	"lathe/session/steps/edit"
	"lathe/session/steps/look"
)

// All returns a new value of every step, in the order in which they are listed for people.
func All() []session.Step {
	list := []session.Step{
		&look.Inspect{}, &look.Check{NewStep: newStep}, &cut.Prune{}, &cut.Axes{},
		&edit.Annotate{}, &edit.Attribute{}, &edit.Bypass{}, &edit.Constants{}, &edit.Delete{}, &edit.Insert{}, &edit.Merge{}, &edit.Metadata{}, &edit.Rename{},
		&cut.Export{}, &TorchExport{}, &TorchTask{}, &Simplify{}, &Optimize{},
	}
	for _, mode := range quantization.QuantizeModes() {
		list = append(list, &Quantize{quantization.Quantization{Mode: mode}})
	}
	return append(list, &RunModel{}, &Validate{}, &look.Diff{}, &Bench{}, &Profile{}, &look.Report{})
}

// newStep returns a new step by its name, or nil if there is none.
func newStep(name string) session.Step {
	s, _ := New(name)
	return s
}

// StepOf returns the step that fixes a problem, with its options set.
func StepOf(f *check.Fix) (session.Step, error) { return session.StepOf(f, newStep) }

// New returns a new step by its name.
func New(name string) (session.Step, bool) {
	for _, s := range All() {
		if s.Name() == name {
			return s, true
		}
	}
	return nil, false
}

// Names returns the names of the steps.
func Names() []string {
	var out []string
	for _, s := range All() {
		out = append(out, s.Name())
	}
	return out
}
