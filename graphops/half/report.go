package half

import (
	"errors"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// ErrNothing is the error of a model in which nothing could be converted. A report
// comes with it that tells why.
var ErrNothing = errors.New("nothing to convert")

// Report tells what became of a model.
type Report struct {
	// Converted are the nodes that compute in the target type, Kept those that could
	// and stay in float32, in the order of the places and of the nodes in them.
	Converted []Converted
	Kept      []Kept
	// Weights are the constants that were converted, Wide those that stay in float32.
	Weights []Weight
	Wide    []Weight
	// Casts is how many Casts were added.
	Casts int
	// Dropped is how many Casts of the model were to the type that their input has become.
	Dropped int
	// Departures are the points, sorted, on which the result differs from the
	// reference's. There is no reference for bfloat16.
	Departures []Departure
	Warnings   []string
}

// Converted is a node that computes in the target type.
type Converted struct {
	Place *graphops.Place
	Index int // of the node in its place
	Node  string
	Op    string
	// Weight is the first converted constant that the node reads, "" where it reads
	// none; Bytes are the size in float32 of all. A constant that several nodes read is
	// counted at the first.
	Weight string
	Bytes  int64
}

// Kept is a node that stays in float32.
type Kept struct {
	Place  *graphops.Place
	Index  int
	Node   string
	Op     string
	Reason string // to follow "node:"
}

// Weight is a constant.
type Weight struct {
	Name  string
	Place *graphops.Place
	tensor.Narrowed
}

// Truncated are the weights of which numbers became others than rounding alone would
// make of them.
func (r *Report) Truncated() []Weight {
	var out []Weight
	for _, w := range r.Weights {
		if w.Changed() > 0 {
			out = append(out, w)
		}
	}
	return out
}
