package session

import (
	"lathe/bench"
	"lathe/bench/profile"
)

// Timed is a report on the time of each node of a model.
type Timed interface {
	// Cells returns a cell for each node of the main graph, by position. nodes is the number of
	// nodes.
	Cells(nodes int) []profile.Cell
	// ByModule returns the modules of the model, each outer module before its inner ones.
	ByModule() []profile.Module
}

// Measured is a report on the time of whole models.
type Measured interface {
	Measurement() *bench.Report
}
