package session

import (
	"context"
	"io"
	"time"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/session/ort"
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
	// Run evaluates outputs and yields what is wanted of each; all of them, whole,
	// where none is named. Yield must not use the session.
	Run(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error
	// Hold is Run and keeps the values where they are, in place of those that it
	// kept before, for Look.
	Hold(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error
	// Look yields what is wanted of values that Hold kept.
	Look(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error) error
	// Bind fixes the inputs of the runs that Block times.
	Bind(ctx context.Context, in graphops.Feeds, b ort.Binding) error
	// Block runs the model on the bound inputs until either limit is reached and
	// returns the time of every run, measured inside the worker.
	Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error)
	// BlockAt is Block, begun on the processor that a place above 0 stands for.
	BlockAt(ctx context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error)
	// Stages times what runs on the bound inputs consist of, on a device with memory of its
	// own; nil on the host.
	Stages(ctx context.Context, runs int, d time.Duration) (*ort.Stages, error)
	// Queue tells of the requests that blocks have answered, where they arrive at a rate.
	Queue() ort.Queue
	// Placement tells which provider runs which node, of a session that was loaded
	// with Execution.Placement.
	Placement(ctx context.Context) (ort.Placement, error)
	// Memory is what the session's worker and its allocators hold.
	Memory(ctx context.Context) (ort.MemoryUse, error)
	// Machine is the machine that the worker is on, and the worker on it.
	Machine(ctx context.Context) (machine.State, error)
	// EndProfile writes the runtime's profile as JSON, of a session that was loaded with
	// Execution.Profile.
	EndProfile(ctx context.Context, w io.Writer) error
	// Optimized is the graph that the optimizations made, of a session that was loaded
	// with Execution.Dump. Weights that they made cannot be read.
	Optimized(ctx context.Context) (*graphops.Model, error)
	// Close ends the session and its worker.
	Close() error
}

// RunWhole evaluates all outputs.
func RunWhole(ctx context.Context, l Loaded, in graphops.Feeds) ([]graphops.Got, error) {
	var out []graphops.Got
	err := l.Run(ctx, in, nil, func(g graphops.Got) error {
		out = append(out, g)
		return nil
	})
	return out, err
}

// Facts is what a session says of itself.
type Facts struct {
	LibraryVersion string
	Provider       string // the execution provider that attached, as "cpu"
	Refused        []ort.Refusal
	LoadTime       time.Duration
	// Warnings are the runtime's own about the model.
	Warnings []string
}

// Execution says how a model is run. The zero value leaves everything to the
// runtime.
type Execution struct {
	Providers    []ort.Provider // a preference; empty is cpu
	Opt          string         // disable, basic, extended, layout or all; "" is all
	Threads      int64          // within an operator; 0 lets the runtime decide
	InterThreads int64          // between operators, with Parallel
	Parallel     bool           // run independent branches at the same time

	NoArena         bool
	NoMemoryPattern bool
	Deterministic   bool
	Config          map[string]string // session config entries
	CustomOps       []string          // paths of libraries with operators of their own

	Timeout     time.Duration // of every load and run; 0 for none
	MemoryLimit int64         // of the worker, in bytes; 0 for none
	// Reuse allows a worker that has had another model before, where Prepare was called. The
	// most memory that Facts tell is then that of all its models.
	Reuse bool
	// AnyLibrary takes the library that will most likely be chosen without waiting for the
	// choice, which an interpreter may take longer to answer than the work does.
	AnyLibrary bool

	On   string // the launcher of the worker, "" for one of this machine
	Send bool   // with On: the model is here, and is sent there
	// StartTimeout is how long the launcher may take; 0 stands for half a minute.
	StartTimeout time.Duration
	// Progress hears what is done beyond a plain load and run: reaching a machine, looking
	// for the node of a crash. It may be nil.
	Progress func(Progress)

	Placement bool // note which node goes where
	Profile   bool // time every node
	Dump      bool // keep the graph as optimizations leave it
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
