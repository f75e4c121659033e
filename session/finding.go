package session

import (
	"io"

	"lathe/graphops"
	"lathe/graphops/check"
)

// Finding is something that a step tells of a node.
type Finding struct {
	Place  *graphops.Place // of the model that the step was taken on
	Node   int
	Text   string
	Remedy string // what mends it, or why nothing does
	// IsMended tells that the step does so itself.
	IsMended bool
}

// Finder is a report that tells of nodes.
type Finder interface {
	Report
	Findings() []Finding
	// WriteRest writes what the report tells besides.
	WriteRest(w io.Writer) error
}

// Diagnosis is a report on what is wrong with a model.
type Diagnosis interface {
	Report
	// Diagnosed are the problems, the worst first; what only a runtime has found is
	// among them.
	Diagnosed() []check.Problem
	// Verdict is in a line what the runtime says of the model; "" where it was not
	// asked.
	Verdict() string
}
