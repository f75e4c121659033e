package half

import (
	"errors"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// ErrNothing is the error for a model in which nothing could be converted. The report returned with
// it says why.
var ErrNothing = errors.New("nothing to convert")

// Report says what happened to a model.
type Report struct {
	// Converted lists the nodes that compute in the target type, and Kept those that could but stay
	// in float32, in the order of the places and of the nodes in them.
	Converted []Converted
	Kept      []Kept
	// Weights lists the constants that were converted, and Wide those that stay in float32.
	Weights []Weight
	Wide    []Weight
	// Casts is the number of Casts that were added.
	Casts int
	// Dropped is the number of Casts of the original model that were removed because they no longer
	// change the type.
	Dropped int
	// Departures lists, sorted, in which points the result differs from that of the reference. For
	// bfloat16 there is no reference.
	Departures []Departure
	Warnings   []string
}

// Converted is a node that computes in the target type.
type Converted struct {
	Place *graphops.Place
	Index int // of the node in its place
	Node  string
	Op    string
	// Weight is the name of the first converted constant that the node reads, "" if it reads none.
	// Bytes is the total size of all of them in float32. A constant that several nodes read is
	// counted only at the first.
	Weight string
	Bytes  int64
}

// Kept is a node that stays in float32.
type Kept struct {
	Place  *graphops.Place
	Index  int
	Node   string
	Op     string
	Reason string // text to follow "node:"
}

// Weight is a constant.
type Weight struct {
	Name  string
	Place *graphops.Place
	tensor.Narrowed
}

// Truncated returns the weights in which numbers were changed by more than rounding.
func (r *Report) Truncated() []Weight {
	var out []Weight
	for _, w := range r.Weights {
		if w.Changed() > 0 {
			out = append(out, w)
		}
	}
	return out
}
