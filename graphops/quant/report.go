package quant

import (
	"errors"
	"fmt"
)

// Report tells what became of the nodes of a model.
type Report struct {
	// Quantized are the nodes that compute in integers now, in the order of the
	// graph.
	Quantized []Quantized
	// Skipped are nodes that could be expected among them.
	Skipped []Skipped
	// Departures are the points, sorted, on which the result differs from the
	// reference's.
	Departures []Departure
	Warnings   []string
}

// Quantized is a node that was quantized.
type Quantized struct {
	Place  string // of the node, as graphops.Place tells it; "" for the main graph
	Index  int    // of the node in its place, in the model with calls of functions inlined
	Node   string // its name
	Op     string
	Weight string // its constant, "" where it has none
	// BytesBefore and BytesAfter are the size of the weight, with its scales and
	// zero points. A weight that several nodes read is counted at the first.
	BytesBefore, BytesAfter int64
}

// Skipped is a node that was left in float32.
type Skipped struct {
	Place  string
	Index  int
	Node   string
	Op     string
	Reason string // what is in the way, to follow "node:"
}

// String is the node and what is in its way.
func (s Skipped) String() string {
	node := fmt.Sprintf("node %q", s.Node)
	if s.Node == "" {
		node = fmt.Sprintf("node %d", s.Index)
	}
	return fmt.Sprintf("%s (%s) %s", node, s.Op, s.Reason)
}

// LeftOut is the error of a model all of whose candidates are left out.
func LeftOut(skipped []Skipped) error {
	if len(skipped) == 1 {
		return fmt.Errorf("%w: the only candidate is left out: %s", ErrNothing, skipped[0])
	}
	return fmt.Errorf("%w: all %d candidates are left out, the first of them: %s", ErrNothing, len(skipped), skipped[0])
}

// ErrNothing is the error of a model in which nothing could be quantized. The
// report that comes with it tells why.
var ErrNothing = errors.New("nothing to quantize")
