package reporting

import (
	"lathe/graphops/check"
	"lathe/session"
)

// Diagnosis is a report on what is wrong with a model.
type Diagnosis interface {
	session.Report
	// Diagnosed returns the problems, the worst first. It includes those that only the runtime
	// found.
	Diagnosed() []check.Problem
	// Verdict returns what the runtime says about the model, in one line, or "" if the runtime was
	// not asked.
	Verdict() string
}
