package reporting

import (
	"lathe/bench"
	"lathe/bench/profile"
)

// Timed is a report on the time of each node of a model.
type Timed interface {
	// Cells returns the time of each node of the main graph, in the order of the nodes. nodes is
	// their number.
	Cells(nodes int) []profile.Cell
	// ByModule returns the modules of the model, each outer module before its inner ones.
	ByModule() []profile.Module
}

// Measured is a report on the time of whole models.
type Measured interface {
	Measurement() *bench.Report
}
