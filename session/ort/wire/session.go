package wire

// Placement requests which node of a session is placed on which provider.
type Placement struct {
	Session uint64 `cbor:"1,keyasint,omitempty"`
}

// Nodes are some of the nodes placed on one provider. Several such replies are possible.
type Nodes struct {
	Provider string    `cbor:"1,keyasint,omitempty"` // the runtime's name: "CUDAExecutionProvider"
	Nodes    []Node    `cbor:"2,keyasint,omitempty"`
	Log      []LogLine `cbor:"3,keyasint,omitempty"` // messages about placement, in the first reply
}

// Node is a node of the graph that the runtime executes.
type Node struct {
	Name   string `cbor:"1,keyasint,omitempty"`
	Op     string `cbor:"2,keyasint,omitempty"`
	Domain string `cbor:"3,keyasint,omitempty"`
}

// Memory requests the memory use of a session's allocators.
type Memory struct {
	Session uint64 `cbor:"1,keyasint,omitempty"`
}

// MemoryUse ends the answer to Memory.
type MemoryUse struct {
	Allocators []Allocator `cbor:"1,keyasint,omitempty"`
	Peak       int64       `cbor:"2,keyasint,omitempty"` // maximum bytes of the worker so far; 0 if unknown
	Resident   int64       `cbor:"3,keyasint,omitempty"` // current bytes of the worker; 0 if unknown
}

// Allocator is one of a session's allocators.
type Allocator struct {
	Memory string `cbor:"1,keyasint,omitempty"` // the kind of memory: "Cpu", "Cuda"
	// Statistics are in bytes, by the runtime's names: "InUse", "MaxInUse", "TotalAllocated".
	Statistics map[string]int64 `cbor:"2,keyasint,omitempty"`
}

// EndProfile ends the measurement of nodes that started with the session. The profile is sent as
// Content.
type EndProfile struct {
	Session uint64 `cbor:"1,keyasint,omitempty"`
}

// Dump requests the optimized graph of a session. The session must have been loaded with
// Options.Dump.
type Dump struct {
	Session uint64 `cbor:"1,keyasint,omitempty"`
}

// Dumped follows the graph's structure, which is sent as Content.
type Dumped struct {
	Files []File `cbor:"1,keyasint,omitempty"` // with the graph's weights
	// Transformers are the optimizations that changed something, by the runtime's names, in the
	// order of their first change.
	Transformers []string `cbor:"2,keyasint,omitempty"`
}
