package shape

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// Demand is a relation of two sizes that must hold when the model runs. It holds only for some
// sizes of the symbols, or for none, which is also a Problem.
//
// A demand in a body applies if the body runs, and one in a function applies at each call. AtMost
// is recorded only once for two sizes in a place, for the first node. Other relations are recorded
// for each node.
type Demand struct {
	Place    *graphops.Place
	Node     int
	A, B     Source
	Relation Relation
	// Loading is set if the runtime checks it when it loads the model. It then accepts no symbol
	// instead of a number.
	Loading bool
	// Tolerated is set if ONNX Runtime may run the model even if the demand does not hold,
	// because the result is then empty or it depends on the data.
	Tolerated bool
	// why is a format for the two sizes, or says where the second one comes from, or is empty.
	why string
}

// Relation is the required relation of two sizes.
type Relation int

// The relations of a size A to a size B.
const (
	Equals     Relation = iota
	Broadcasts          // they are equal, or one of them is 1
	Multiple            // A is a multiple of B
	AtMost              // A is at most B
	Spreads             // A is B or 1
)

// Holds reports whether two sizes are in the relation.
func (r Relation) Holds(a, b int64) bool {
	switch r {
	case Broadcasts:
		return a == b || a == 1 || b == 1
	case Multiple:
		return b != 0 && a%b == 0
	case AtMost:
		return a <= b
	case Spreads:
		return a == b || a == 1
	default:
		return a == b
	}
}

// Source is a size and where it comes from.
type Source struct {
	Size  dim.Dim
	Input int // index among the node's inputs
	Axis  int // axis of that input; -1 if it is not a single axis
}

// The reasons for demands of several operators.
const (
	somethingLeft = "%[2]s must be at least %[1]s, or nothing is left"
	cacheHolds    = "a cache must have room for %s steps; it has room for %s"
	rowsThere     = "a table needs %s rows for the indices; it has %s"
)

// Condition returns the relation as a formula or a phrase: "n = 3", "n is a multiple of 4".
func (d Demand) Condition() string {
	a, b := sizeText(d.A.Size), sizeText(d.B.Size)
	_, number := d.A.Size.Number()
	if number && d.Relation != Multiple {
		a, b = b, a
	}
	switch d.Relation {
	case Broadcasts:
		return fmt.Sprintf("%s = %s, or one of them is 1", a, b)
	case Spreads:
		return fmt.Sprintf("%s = %s, or %[1]s = 1", a, b)
	case Multiple:
		return fmt.Sprintf("%s is a multiple of %s", a, b)
	case AtMost:
		if number {
			return fmt.Sprintf("%s is at least %s", a, b)
		}
		return fmt.Sprintf("%s is at most %s", a, b)
	default:
		return fmt.Sprintf("%s = %s", a, b)
	}
}

// Text says what is required of the sizes, without the node: "a window of 7 must fit into
// height+2", or the condition.
func (d Demand) Text() string {
	switch {
	case strings.Contains(d.why, "%"):
		return fmt.Sprintf(d.why, sizeText(d.A.Size), sizeText(d.B.Size))
	case d.why != "":
		return d.Condition() + ": " + d.why
	default:
		return d.Condition()
	}
}

// String returns the text with the node.
func (d Demand) String() string {
	return fmt.Sprintf("%s: %s", NodeName(d.Node, d.Place.Graph.Nodes()[d.Node]), d.Text())
}
