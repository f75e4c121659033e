package wire

import (
	"time"

	"lathe/graphops/tensor"
	"lathe/session/ort/ep"
)

// Load creates a session. The id of the request becomes the id of the session.
type Load struct {
	Source Source `cbor:"1,keyasint,omitempty"`
	Path   string `cbor:"2,keyasint,omitempty"` // with FromPath
	// Bytes is the length of what follows as Data, with FromModel and FromStructure.
	Bytes int64 `cbor:"3,keyasint,omitempty"`
	// ExternalFolder is the folder of external data if the model is sent as bytes.
	ExternalFolder string  `cbor:"4,keyasint,omitempty"`
	Options        Options `cbor:"5,keyasint,omitempty"`
	// Files are the files listed by Opened from which the model is read. They must be unchanged.
	Files  []File            `cbor:"6,keyasint,omitempty"`
	Unread map[string]string `cbor:"7,keyasint,omitempty"` // as in Opened
	// Compile compiles the model instead, and creates no session. The answer is Compiled.
	Compile *Compile `cbor:"8,keyasint,omitempty"`
	// Allow says what the worker may still use from now on; nil if the model is Lathe's own.
	Allow *Allow `cbor:"9,keyasint,omitempty"`
}

// Compile says where a compiled model is written. The provider is the first of the chain that works.
type Compile struct {
	Path  string `cbor:"1,keyasint,omitempty"` // on the worker's machine
	Embed bool   `cbor:"2,keyasint,omitempty"` // store what is compiled in the model, not beside it
	// Weights is the name of a file beside the model for the weights of nodes that are not compiled;
	// empty stores them in the model.
	Weights string `cbor:"3,keyasint,omitempty"`
}

// Compiled ends the answer to a Load with Compile.
type Compiled struct {
	Provider string        `cbor:"1,keyasint,omitempty"`
	Refused  []Refusal     `cbor:"2,keyasint,omitempty"` // as in Loaded
	Took     time.Duration `cbor:"3,keyasint,omitempty"`
	Log      []LogLine     `cbor:"4,keyasint,omitempty"` // as in Loaded
}

// Source says where a model comes from.
type Source int32

// The sources of a model: a file on the worker's machine, a model that follows as Data, and a
// structure that follows as Data and refers to files.
const (
	FromPath Source = iota + 1
	FromModel
	FromStructure
)

// Options are the options of a session. Zero values mean the runtime's defaults.
type Options struct {
	Optimization Optimization `cbor:"1,keyasint,omitempty"`
	IntraThreads int64        `cbor:"2,keyasint,omitempty"`
	InterThreads int64        `cbor:"3,keyasint,omitempty"`
	Parallel     bool         `cbor:"4,keyasint,omitempty"` // run independent branches at the same time
	// Providers are in order of preference: the first that works is used. Empty means cpu.
	Providers []Provider        `cbor:"5,keyasint,omitempty"`
	Config    map[string]string `cbor:"6,keyasint,omitempty"`
	// NoArena allocates host memory directly from the system.
	NoArena         bool `cbor:"7,keyasint,omitempty"`
	NoMemoryPattern bool `cbor:"8,keyasint,omitempty"`
	// Deterministic prefers kernels that give the same result in each run.
	Deterministic bool     `cbor:"9,keyasint,omitempty"`
	CustomOps     []string `cbor:"10,keyasint,omitempty"` // paths of libraries with custom operators
	// Placement records which node is placed on which provider, for the request Placement.
	Placement bool `cbor:"11,keyasint,omitempty"`
	// Profile measures the time of each node from the start, for EndProfile.
	Profile  bool             `cbor:"12,keyasint,omitempty"`
	FreeDims map[string]int64 `cbor:"13,keyasint,omitempty"` // sizes of free dimensions, by symbol
	Dump     bool             `cbor:"14,keyasint,omitempty"` // keep the optimized graph, for the request Dump
	// Wait makes providers wait for their device after each start of a kernel, if they have a
	// setting for that (ep.Provider.Blocking).
	Wait bool `cbor:"15,keyasint,omitempty"`
}

// Optimization is a level of graph optimization.
type Optimization int32

// The levels of graph optimization. The default leaves the choice to the runtime.
const (
	OptimizeDefault Optimization = iota
	OptimizeDisable
	OptimizeBasic
	OptimizeExtended
	OptimizeLayout
	OptimizeAll
)

// Provider is an execution provider with its options.
type Provider struct {
	Name    string            `cbor:"1,keyasint,omitempty"`
	Options map[string]string `cbor:"2,keyasint,omitempty"`
	Device  string            `cbor:"3,keyasint,omitempty"` // as in ep.Pick
}

// Loaded ends the answer to a Load.
type Loaded struct {
	Inputs   []Port        `cbor:"1,keyasint,omitempty"`
	Outputs  []Port        `cbor:"2,keyasint,omitempty"`
	Provider string        `cbor:"3,keyasint,omitempty"` // the one that is used
	Refused  []Refusal     `cbor:"4,keyasint,omitempty"` // the preferred ones that did not work, in order
	Took     time.Duration `cbor:"5,keyasint,omitempty"` // time to create the session only
	Log      []LogLine     `cbor:"6,keyasint,omitempty"` // warnings and errors of the runtime
	Device   *ep.Device    `cbor:"7,keyasint,omitempty"` // of a plug-in's provider; nil for any other
	// Unknown are options of the provider whose names its library does not contain.
	Unknown []string `cbor:"8,keyasint,omitempty"`
}

// LogLine is one message of the runtime's log.
type LogLine struct {
	Severity int32  `cbor:"1,keyasint,omitempty"` // OrtLoggingLevel: 2 is a warning
	Location string `cbor:"2,keyasint,omitempty"` // the source line of the runtime
	Message  string `cbor:"3,keyasint,omitempty"`
}

// Port is an input or output of a model.
type Port struct {
	Name string `cbor:"1,keyasint,omitempty"`
	// Kind is "tensor", or the whole type of anything else: "seq(map(i64,f32))".
	Kind  string       `cbor:"2,keyasint,omitempty"`
	DType tensor.DType `cbor:"3,keyasint,omitempty"` // element type of a tensor
	// HasShape is false for a tensor of unknown rank, which differs from a scalar.
	HasShape bool  `cbor:"4,keyasint,omitempty"`
	Dims     []Dim `cbor:"5,keyasint,omitempty"`
}

// Dim is one dimension of a port.
type Dim struct {
	Value  int64  `cbor:"1,keyasint,omitempty"` // -1 if the size is not fixed
	Symbol string `cbor:"2,keyasint,omitempty"`
}

// Refusal is a provider that did not work, and why.
type Refusal struct {
	Provider string `cbor:"1,keyasint,omitempty"`
	Reason   string `cbor:"2,keyasint,omitempty"`
	// Plugin is the path of the library that has the provider; empty if ONNX Runtime has it.
	Plugin string `cbor:"3,keyasint,omitempty"`
}
