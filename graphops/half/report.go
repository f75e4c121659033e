package half

import (
	"errors"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// errNothing is the error if nothing in a model can be converted. The report that is returned with
// it tells the reasons.
var errNothing = errors.New("nothing to convert")

// Report says what a conversion did.
type Report struct {
	// Converted lists the nodes that compute in the target type. Kept lists the other nodes that
	// read or produce float32. Both are in the order of the places, and of the nodes in them.
	Converted []Converted
	Kept      []Kept
	// Weights lists the constants that were converted, and Wide those that stay in float32. Count
	// counts the changes of their numbers.
	Weights []Weight
	Wide    []Weight
	// Casts is the number of Casts that were added.
	Casts int
	// Dropped is the number of Casts that were removed because they no longer change the type.
	Dropped  int
	Warnings []string
}

// Converted is a node that computes in the target type.
type Converted struct {
	Place *graphops.Place
	Index int // of the node in its place
	Node  string
	Op    string
	// Weight is the name of the first converted constant that the node reads; "" if there is none.
	// Bytes is the total size of all of them in float32. A constant that several nodes read is only
	// counted for the first node.
	Weight string
	Bytes  int64
	inputs []*rewrite.Value
}

// Kept is a node that reads or produces float32 and was not converted.
type Kept struct {
	Place  *graphops.Place
	Index  int
	Node   string
	Op     string
	Reason string // text to follow "node:"
}

// Weight is a constant, with the numbers of elements that changed by more than rounding.
type Weight struct {
	Name  string
	Place *graphops.Place
	tensor.Narrowed
	source source // of a converted constant
}

// Truncated returns the converted weights in which numbers changed by more than rounding.
func (r *Report) Truncated() []Weight {
	var out []Weight
	for _, w := range r.Weights {
		if w.Changed() > 0 {
			out = append(out, w)
		}
	}
	return out
}
