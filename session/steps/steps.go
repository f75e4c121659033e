// Package steps lists the steps. A step binds options to an engine and reports what the engine did.
// The steps are in packages by family, which do not import each other; what several families share
// is in packages flags, reporting, filling, trial, sides, timing and quantization.
package steps

import (
	"slices"
	"sync"

	"lathe/session"
	"lathe/session/quantization"
	"lathe/session/steps/cut"
	"lathe/session/steps/edit"
	"lathe/session/steps/look"
	"lathe/session/steps/measure"
	"lathe/session/steps/quantize"
	"lathe/session/steps/shrink"
	"lathe/session/steps/torch"
	"lathe/session/steps/validate"
)

// All returns a new value of every step, in the order in which they are listed for people.
func All() []session.Step {
	list := []session.Step{
		&look.Inspect{}, &look.Check{NewStep: newStep}, &cut.Prune{}, &cut.Axes{},
		&edit.Annotate{}, &edit.Attribute{}, &edit.Bypass{}, &edit.Constants{}, &edit.Delete{}, &edit.Insert{}, &edit.Merge{}, &edit.Metadata{}, &edit.Rename{}, &edit.Replace{},
		&cut.Export{}, &torch.Export{}, &torch.Task{}, &shrink.Simplify{}, &shrink.Optimize{},
	}
	for _, mode := range quantization.Modes() {
		list = append(list, &quantize.Quantize{Quantization: quantization.Quantization{Mode: mode}})
	}
	return append(list, &quantize.Sensitivity{}, &quantize.Auto{}, &quantize.Compare{}, &measure.RunModel{}, &validate.Validate{}, &validate.Accuracy{}, &look.Diff{}, &measure.Bench{}, &measure.Profile{}, &look.Report{})
}

// newStep returns a new step by its name, or nil if there is none.
func newStep(name string) session.Step {
	s, _ := New(name)
	return s
}

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
func Names() []string { return slices.Clone(names()) }

// names are found once, because every command asks for them several times when it starts.
var names = sync.OnceValue(func() []string {
	var out []string
	for _, s := range All() {
		out = append(out, s.Name())
	}
	return out
})
