package steps

import (
	"lathe/graphops/check"
	"lathe/session"
)

// StepOf returns the step that fixes a problem, with its options set.
func StepOf(f *check.Fix) (session.Step, error) {
	return session.StepOf(f, func(name string) session.Step {
		if s, ok := New(name); ok {
			return s
		}
		return nil
	})
}
