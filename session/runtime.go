package session

import (
	"context"
	"io"
	"time"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/session/ort"
)

// Runtime runs models in worker processes, never in this process.
type Runtime interface {
	graphops.Runner
	graphops.Typer
	// Load loads a model into a worker. An unchanged model is loaded from its file. An edited model
	// is sent to the worker and is not written to disk.
	Load(ctx context.Context, m *graphops.Model, o Execution) (Loaded, error)
}

// Loaded is a model in a worker, ready to run.
type Loaded interface {
	Inputs() []graphops.NamedType
	Outputs() []graphops.NamedType
	Facts() Facts
	// Run computes outputs and yields the wanted facts or elements of each. If want is empty, it
	// yields all outputs with all elements. Yield must not use the session.
	Run(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error
	// Hold is Run, but the worker then keeps the values for Look. It drops the values that an
	// earlier Hold kept.
	Hold(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error
	// Look yields the wanted facts or elements of values that Hold kept.
	Look(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error) error
	// Bind sets the inputs for the runs that Block times.
	Bind(ctx context.Context, in graphops.Feeds, b ort.Binding) error
	// Block runs the model on the bound inputs until either limit is reached and
	// returns the time of every run, measured inside the worker.
	Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error)
	// BlockAt is Block, started on the processor that place selects. Equal places select the same
	// one. Place 0 leaves the choice to the system.
	BlockAt(ctx context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error)
	// Stages times the parts of runs on the bound inputs, such as copies to the device. It returns
	// nil if the device is the CPU, which has no memory of its own.
	Stages(ctx context.Context, runs int, d time.Duration) (*ort.Stages, error)
	// Queue describes the requests that blocks have answered. It applies if requests arrive at a
	// rate.
	Queue() ort.Queue
	// Placement returns which provider runs which node. It requires
	// Execution.Placement.
	Placement(ctx context.Context) (ort.Placement, error)
	// Memory returns how much memory the worker and its allocators hold.
	Memory(ctx context.Context) (ort.MemoryUse, error)
	// Machine returns the state of the worker and of the machine that it runs on.
	Machine(ctx context.Context) (machine.State, error)
	// EndProfile writes the runtime's profile as JSON. It requires Execution.Profile.
	EndProfile(ctx context.Context, w io.Writer) error
	// Optimized returns the graph after the runtime's optimizations. It requires
	// Execution.Dump. Weights that the optimizations computed cannot be read.
	Optimized(ctx context.Context) (*graphops.Model, error)
	// Close ends the session and its worker.
	Close() error
}

// RunWhole computes all outputs with all elements.
func RunWhole(ctx context.Context, l Loaded, in graphops.Feeds) ([]graphops.Got, error) {
	var out []graphops.Got
	err := l.Run(ctx, in, nil, func(g graphops.Got) error {
		out = append(out, g)
		return nil
	})
	return out, err
}

// Facts are what a loaded model reports about itself.
type Facts struct {
	LibraryVersion string
	Provider       string // the execution provider in use, such as "cpu"
	Refused        []ort.Refusal
	LoadTime       time.Duration
	// Warnings are the runtime's warnings about the model.
	Warnings []string
}

// Execution says how a model is run. The zero value leaves all choices to the runtime.
type Execution struct {
	Providers    []ort.Provider // in order of preference; empty means cpu
	Opt          string         // disable, basic, extended, layout or all; "" is all
	Threads      int64          // within an operator; 0 lets the runtime decide
	InterThreads int64          // between operators, with Parallel
	Parallel     bool           // run independent branches at the same time

	NoArena         bool
	NoMemoryPattern bool
	Deterministic   bool
	Config          map[string]string // session config entries
	CustomOps       []string          // paths of libraries with custom operators

	Timeout     time.Duration // of every load and run; 0 for none
	MemoryLimit int64         // of the worker, in bytes; 0 for none
	// Reuse allows a worker that has run another model before, if Prepare was called. Peak memory
	// then covers all models of the worker.
	Reuse bool
	// AnyLibrary uses the library that will most likely be chosen, without waiting for the choice:
	// asking a Python interpreter may take longer than the work itself.
	AnyLibrary bool

	On   string // the launcher of the worker, or "" on this machine
	Send bool   // with On: send the model from this machine
	// StartTimeout is how long the launcher may take to start the worker; 0 means 30 seconds.
	StartTimeout time.Duration
	// Progress is called during work other than loading and running: connecting to a machine, or
	// searching for the node that causes a crash. It may be nil.
	Progress func(Progress)

	Placement bool // record which provider runs which node
	Profile   bool // time every node
	Dump      bool // keep the optimized graph
}

func (o Execution) options() (ort.SessionOptions, error) {
	level, err := ort.ParseOptimization(o.Opt)
	if err != nil {
		return ort.SessionOptions{}, err
	}
	return ort.SessionOptions{
		Optimization: level, IntraThreads: int(o.Threads), InterThreads: int(o.InterThreads), Parallel: o.Parallel,
		Providers: o.Providers, Config: o.Config, CustomOps: o.CustomOps,
		NoArena: o.NoArena, NoMemoryPattern: o.NoMemoryPattern, Deterministic: o.Deterministic,
		Placement: o.Placement, Profile: o.Profile, Dump: o.Dump,
	}, nil
}
