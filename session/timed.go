package session

import (
	"lathe/bench"
	"lathe/bench/profile"
)

// Timed is a report that tells how long the nodes of a model take.
type Timed interface {
	// Cells are those of the nodes of a main graph with so many, by their positions.
	Cells(nodes int) []profile.Cell
	// ByModule are the modules of the model, those around before those inside.
	ByModule() []profile.Module
}

// Measured is a report that tells how long models take.
type Measured interface {
	Measurement() *bench.Report
}
