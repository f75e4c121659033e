package reporting

import (
	"fmt"
	"slices"

	"lathe/graphops/check"
	"lathe/session"
)

// StepOf returns the step that fixes a problem, with its options set. fresh returns a new step with
// this name, or nil if there is no such step.
func StepOf(f *check.Fix, fresh func(name string) session.Step) (session.Step, error) {
	step := fresh(f.Step)
	if step == nil {
		return nil, fmt.Errorf("there is no step %q", f.Step)
	}
	options := step.Options()
	for _, s := range f.Options {
		i := slices.IndexFunc(options, func(o session.Option) bool { return o.Name == s.Option })
		if i < 0 {
			return nil, fmt.Errorf("%s: there is no option %q", f.Step, s.Option)
		}
		if err := options[i].Set(s.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Step, err)
		}
	}
	return step, nil
}
