package session

import (
	"io"

	"lathe/graphops"
)

// Finding is something that a step reports about a node.
type Finding struct {
	Place  *graphops.Place // in the model that the step ran on
	Node   int
	Text   string
	Remedy string // how to fix it, or why it cannot be fixed
	// IsMended reports whether the step itself fixes it.
	IsMended bool
}

// Finder is a report with findings about nodes.
type Finder interface {
	Report
	Findings() []Finding
	// WriteRest writes the report without the findings.
	WriteRest(w io.Writer) error
}
