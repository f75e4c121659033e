package wire

import "time"

// Bind keeps feeds as the inputs of the following blocks, replacing those bound before.
type Bind struct {
	Session uint64  `cbor:"1,keyasint,omitempty"`
	Feeds   []Value `cbor:"2,keyasint,omitempty"`
	// OutputsOnDevice leaves outputs in the provider's memory, instead of copying them to host
	// memory.
	OutputsOnDevice bool `cbor:"3,keyasint,omitempty"`
	// Settle ends a block only when the session's threads are idle: between runs they wait actively
	// for the next one.
	Settle bool `cbor:"4,keyasint,omitempty"`
	// Lanes is the number of concurrent runs of a block, each with its own outputs; 0 means 1.
	Lanes int64 `cbor:"5,keyasint,omitempty"`
	// CopyInputs binds the inputs again before each run, which copies them to a device; this time
	// counts.
	CopyInputs bool `cbor:"6,keyasint,omitempty"`
	// Rate, if above 0, is the number of requests that arrive per second, at random and
	// independently of each other. A sample is then the time from a request's arrival to its answer.
	Rate float64 `cbor:"7,keyasint,omitempty"`
	Seed int64   `cbor:"8,keyasint,omitempty"` // of the arrivals
}

// Block runs a session on its bound inputs repeatedly, until MaxRuns or the duration is reached.
type Block struct {
	Session  uint64        `cbor:"1,keyasint,omitempty"`
	MaxRuns  int64         `cbor:"2,keyasint,omitempty"`
	Duration time.Duration `cbor:"3,keyasint,omitempty"`
	// Place, if above 0, starts the block on that one of the processors that the worker may use,
	// modulo their number.
	Place uint64 `cbor:"4,keyasint,omitempty"`
}

// Samples ends the answer to a Block.
type Samples struct {
	Runs []time.Duration `cbor:"1,keyasint,omitempty"` // one entry per run, in order
	// With arriving requests: how long the block took, how much of that was spent in runs, summed
	// over lanes, and how many requests had arrived by its end but were not started.
	Span    time.Duration `cbor:"2,keyasint,omitempty"`
	Busy    time.Duration `cbor:"3,keyasint,omitempty"`
	Waiting int64         `cbor:"4,keyasint,omitempty"`
}

// StageRuns runs a session on its bound inputs and measures the stages of a run on a device. It
// ends like a Block.
type StageRuns struct {
	Session  uint64        `cbor:"1,keyasint,omitempty"`
	MaxRuns  int64         `cbor:"2,keyasint,omitempty"`
	Duration time.Duration `cbor:"3,keyasint,omitempty"`
}

// Replay replays the graph that a session's blocks replay, and requests the outputs that this writes.
// It is an error if the blocks replay none. The answer is that of a Run.
type Replay struct {
	Session uint64 `cbor:"1,keyasint,omitempty"`
	Want    []Want `cbor:"2,keyasint,omitempty"`
}

// Stages ends the answer to StageRuns. Each list has one entry per run, in order.
type Stages struct {
	// OnDevice says that the provider has its own memory; otherwise nothing is copied, and the
	// times mean nothing.
	OnDevice bool            `cbor:"1,keyasint,omitempty"`
	ToDevice []time.Duration `cbor:"2,keyasint,omitempty"`
	Enqueued []time.Duration `cbor:"3,keyasint,omitempty"`
	Complete []time.Duration `cbor:"4,keyasint,omitempty"`
	// ToHost is for an additional run whose outputs are copied to host memory.
	ToHost []time.Duration `cbor:"5,keyasint,omitempty"`
}
