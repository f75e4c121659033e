package runtime

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
	// Run runs the model and yields what each element of want requests. If want is empty, it yields
	// all outputs with all elements. yield must not call methods of the Loaded.
	Run(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error
	// Hold does what Run does, and then the worker keeps the values for Look. They replace the
	// values of an earlier Hold.
	Hold(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error
	// Look yields what each element of want requests of the values that Hold kept.
	Look(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error) error
	// Bind sets the inputs of the runs that Block and BlockAt time.
	Bind(ctx context.Context, in graphops.Feeds, b ort.Binding) error
	// Block runs the model on the bound inputs again and again, until the number of runs or the
	// duration is reached. It returns the time of every run, measured inside the worker.
	Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error)
	// BlockAt does what Block does, starting on a CPU core that the number place selects. Equal
	// numbers select the same core. With 0 the operating system chooses.
	BlockAt(ctx context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error)
	// Replay replays the graph that blocks replay, and yields what want requests of the outputs that
	// this writes. It returns an error if blocks replay none.
	Replay(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error) error
	// Stages times the parts of runs on the bound inputs, such as the copies to and from the
	// device. It returns nil if the model runs on the CPU, because then nothing is copied.
	Stages(ctx context.Context, runs int, d time.Duration) (*ort.Stages, error)
	// Queue returns how many requests the blocks have answered, and in which time. The counts are
	// zero unless Bind set a rate at which requests arrive.
	Queue() ort.Queue
	// Chooser loads a serialized model for ort.Decode.Chooser beside the model, on the same provider. It
	// is an error if the provider does not run all of its nodes.
	Chooser(ctx context.Context, model []byte) (*ort.Session, error)
	// Decode prepares the worker for Generate.
	Decode(ctx context.Context, d ort.Decode) (ort.Decoding, error)
	// Generate runs a prompt and chooses tokens greedily. Each token is fed to the next run.
	Generate(ctx context.Context, g ort.Generation) (*ort.Generated, error)
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

// RunWhole runs a model and returns all outputs with all elements.
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
	// UnknownOptions are options of the provider whose names its library does not contain.
	UnknownOptions []string
	// Warnings are the runtime's warnings about the model.
	Warnings []string
}

// Execution says how a model is run. The zero value leaves all choices to the runtime.
type Execution struct {
	Providers    []ort.Provider // in order of preference; empty means cpu
	Opt          string         // disable, basic, extended, layout or all; "" is all
	Threads      int64          // threads within one operator; 0 lets the runtime decide
	InterThreads int64          // threads between operators, if Parallel is set
	Parallel     bool           // run independent branches at the same time

	NoArena         bool
	NoMemoryPattern bool
	Deterministic   bool
	Config          map[string]string // session config entries
	CustomOps       []string          // paths of libraries with custom operators

	Timeout     time.Duration // limit for every load and run; 0 for none
	MemoryLimit int64         // limit for the worker, in bytes; 0 for none
	// Reuse allows the use of a worker that has run another model before. Such a worker exists only
	// while something is prepared (Workers.Prepare). The peak memory that is reported then covers all
	// models of the worker.
	Reuse bool
	// AnyLibrary takes the library that will most likely be chosen, without waiting for the choice.
	// It is for work that any library can do. The choice may ask a Python interpreter, which may
	// take longer than the work itself.
	AnyLibrary bool

	On   string // the launcher of the worker, or "" on this machine
	Send bool   // with On: send the model from this machine
	// StartTimeout is how long the launcher may take to start the worker; 0 means 30 seconds.
	StartTimeout time.Duration
	// Progress is called during work other than loading and running: connecting to a machine, or
	// searching for the node that causes a crash. While a model is sent, done and total are bytes;
	// otherwise they are 0. It may be nil.
	Progress func(phase string, done, total int64)

	Placement bool // record which provider runs which node
	Profile   bool // time every node
	Dump      bool // keep the optimized graph
	Wait      bool // wait for the device after each kernel, if the provider has a setting for that
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
		Placement: o.Placement, Profile: o.Profile, Dump: o.Dump, Wait: o.Wait,
	}, nil
}
