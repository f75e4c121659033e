package session

import (
	"lathe/bench"
	"lathe/bench/profile"
)

// Timed is a report on the time of each node of a model.
type Timed interface {
	// Cells returns a cell for each node of a main graph with this number of nodes, by
	// position.
	Cells(nodes int) []profile.Cell
	// ByModule returns the modules of the model, outer modules before the inner ones.
	ByModule() []profile.Module
}

// Measured is a report on the time of whole models.
type Measured interface {
	Measurement() *bench.Report
}
