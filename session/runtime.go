package session

import (
	"context"
	"time"

	"lathe/graphops"
)

// Runtime runs models somewhere else: in a worker process, never in this one.
type Runtime interface {
	graphops.Runner
	graphops.Typer
	// Load makes a session of a model. A model that is a file as it stands is
	// loaded from there; an edited one runs without being written.
	Load(ctx context.Context, m *graphops.Model, o Execution) (Loaded, error)
}

// Loaded is a model in a worker, ready to run.
type Loaded interface {
	Inputs() []graphops.NamedType
	Outputs() []graphops.NamedType
	Facts() Facts
	// Run evaluates the named outputs, all where none is named.
	Run(ctx context.Context, in graphops.Feeds, want []string) ([]graphops.Got, error)
	// Bind fixes the inputs of the runs that Block times.
	Bind(ctx context.Context, in graphops.Feeds) error
	// Block runs the model on the bound inputs until either limit is reached and
	// returns the time of every run, measured inside the worker.
	Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error)
	// Close ends the session and its worker.
	Close() error
}

// Facts is what a session says of itself.
type Facts struct {
	Library        string // path of the ONNX Runtime library
	LibraryVersion string
	Provider       string // the execution provider that attached, as "cpu"
	LoadTime       time.Duration
	// PeakRSS is the most memory that the worker has had in use, in bytes; nil
	// where the system does not tell.
	PeakRSS *int64
}

// Execution says how a model is run.
type Execution struct {
	Providers []string // a preference, as {"cuda", "cpu"}; empty is cpu
	Opt       string   // disable, basic, extended, layout or all; "" is all
	Threads   int64    // within an operator; 0 lets the runtime decide
}
