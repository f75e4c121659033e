package wire

import (
	"time"

	"lathe/graphops/tensor"
)

// The limits of decoding.
const (
	MaxSequences = 4096    // of a batch
	MaxPositions = 1 << 24 // of a cache
	MaxAxes      = 8       // of an input that changes, and of a cache
	MaxAvoided   = 64      // tokens that are not chosen
)

// Decode prepares a session for Generate: which of its inputs change from run to run, and how its
// caches are kept. It replaces what an earlier one prepared.
type Decode struct {
	Session  uint64  `cbor:"1,keyasint,omitempty"`
	Batch    int64   `cbor:"2,keyasint,omitempty"` // the number of sequences
	Capacity int64   `cbor:"3,keyasint,omitempty"` // the most positions of a sequence
	Changing []Input `cbor:"4,keyasint,omitempty"`
	Caches   []Cache `cbor:"5,keyasint,omitempty"`
	// Fixed are the inputs that stay as they are. Their bytes follow as Data.
	Fixed  []Value `cbor:"6,keyasint,omitempty"`
	Logits string  `cbor:"7,keyasint,omitempty"` // the output with the scores of the next token
	// Settle ends a Generate only when the session's threads are idle, as that of Bind.
	Settle bool `cbor:"8,keyasint,omitempty"`
	// Chooser, if not 0, is a session that chooses the tokens: of a model with the input "scores" and
	// the outputs "tokens" and "ids". Scores and ids then stay in the memory of the device.
	Chooser uint64 `cbor:"9,keyasint,omitempty"`
}

// Fill is what the elements of an input are.
type Fill uint8

// The fills. Input.Add is added to all but the ids and the random numbers.
const (
	FillIDs    Fill = iota + 1 // token ids: batch × new positions
	FillZero                   // 0
	FillCount                  // the position, which grows along the last axis
	FillPast                   // the number of past positions
	FillTotal                  // the number of past and new positions
	FillAgain                  // 1 if there are past positions, otherwise 0
	FillRandom                 // small random numbers, the same in every run
	FillValid                  // along the last axis, 1 for each position of FillTotal, then 0
)

// Of is what is added to the size of an axis.
type Of uint8

// What is added to the size of an axis.
const (
	OfNothing Of = iota
	OfNew        // the new positions of a run
	OfPast       // the positions in the cache before a run
	OfTotal      // both
)

// Axis is the size of an axis.
type Axis struct {
	Size int64 `cbor:"1,keyasint,omitempty"`
	Of   Of    `cbor:"2,keyasint,omitempty"`
}

// Input is an input that changes from run to run.
type Input struct {
	Name  string       `cbor:"1,keyasint,omitempty"`
	DType tensor.DType `cbor:"2,keyasint,omitempty"`
	Axes  []Axis       `cbor:"3,keyasint,omitempty"`
	Fill  Fill         `cbor:"4,keyasint,omitempty"`
	Add   int64        `cbor:"5,keyasint,omitempty"`
}

// Keep is how the present of a run becomes the past of the next one.
type Keep uint8

// The ways in which caches are kept.
const (
	// KeepShared makes both one buffer with room for Capacity positions.
	KeepShared Keep = iota + 1
	// KeepSwapped has buffers with such room, which change places.
	KeepSwapped
	// KeepPassed lets the runtime allocate each present, which is the next past.
	KeepPassed
	// KeepCopied does the same in host memory, and copies each present.
	KeepCopied
	// KeepFirst takes the present of the run without past positions as the past of all later runs.
	KeepFirst
)

// Cache is a past and its present.
type Cache struct {
	Past    string       `cbor:"1,keyasint,omitempty"`
	Present string       `cbor:"2,keyasint,omitempty"`
	DType   tensor.DType `cbor:"3,keyasint,omitempty"`
	// Dims are the sizes of the past. That of the axis Axis-1, if Axis is not 0, is replaced by the
	// number of positions, but by at most Most, if that is not 0.
	Dims []int64 `cbor:"4,keyasint,omitempty"`
	Axis int64   `cbor:"5,keyasint,omitempty"`
	Most int64   `cbor:"6,keyasint,omitempty"`
	Keep Keep    `cbor:"7,keyasint,omitempty"`
}

// Decoding ends the answer to Decode.
type Decoding struct {
	CacheBytes int64 `cbor:"1,keyasint,omitempty"` // of the buffers that exist; those that are swapped come later
	OnDevice   bool  `cbor:"2,keyasint,omitempty"` // whether the caches are in the memory of a device
}

// Generate runs a prompt, and chooses tokens greedily. Each token is fed to the next run, in the worker.
type Generate struct {
	Session uint64 `cbor:"1,keyasint,omitempty"`
	// Restart goes to a state with Depth positions. If that is not 0, the caches contain small random
	// numbers. Otherwise the state is that after the last Generate.
	Restart bool  `cbor:"2,keyasint,omitempty"`
	Depth   int64 `cbor:"3,keyasint,omitempty"`
	// Prompt has the ids of each sequence, one sequence after the other. They are run in runs of at
	// most Chunk positions; 0 means all at once.
	Prompt []int64 `cbor:"4,keyasint,omitempty"`
	Chunk  int64   `cbor:"5,keyasint,omitempty"`
	// Mark remembers the state after the prompt. Restart does so, too.
	Mark bool `cbor:"6,keyasint,omitempty"`
	// Repeat, if above 0, is how often the prompt is run, each time from the mark on, unless
	// Duration has passed before. The state stays as it is.
	Repeat int64 `cbor:"7,keyasint,omitempty"`
	// Steps is how many runs with one token follow, until Duration has passed, if it is not 0.
	Steps    int64         `cbor:"8,keyasint,omitempty"`
	Duration time.Duration `cbor:"9,keyasint,omitempty"`
	// Wrap, if above 0, goes back to the mark before a step whenever the caches contain this
	// number of positions.
	Wrap  int64  `cbor:"10,keyasint,omitempty"`
	Place uint64 `cbor:"11,keyasint,omitempty"` // as that of Block
	// Timed leaves tokens and margins out of the answer.
	Timed bool `cbor:"12,keyasint,omitempty"`
	// Avoid are tokens that are never chosen, such as the one that would end the text.
	Avoid []int64 `cbor:"13,keyasint,omitempty"`
}

// Generated ends the answer to Generate.
type Generated struct {
	// Prompts are the runs of the prompt, Steps those with one token.
	Prompts []GeneratedRun `cbor:"1,keyasint,omitempty"`
	Steps   []GeneratedRun `cbor:"2,keyasint,omitempty"`
	// Tokens are the chosen tokens: of the prompt, if there was one, and of each step, and of each of
	// these one of each sequence. Margins says by how much the score is above the second one; NaN if a
	// score is NaN, or if a chooser chose.
	Tokens   []int64   `cbor:"3,keyasint,omitempty"`
	Margins  []float64 `cbor:"4,keyasint,omitempty"`
	Position int64     `cbor:"5,keyasint,omitempty"` // the number of positions in the caches
	// CacheBytes are those of the buffers for caches.
	CacheBytes int64 `cbor:"6,keyasint,omitempty"`
}

// GeneratedRun is the time of a run, from the preparation of its inputs until its tokens are known,
// and the part of it in which the runtime ran the model.
type GeneratedRun struct {
	Whole time.Duration `cbor:"1,keyasint,omitempty"`
	Run   time.Duration `cbor:"2,keyasint,omitempty"`
}
