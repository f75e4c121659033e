package quant

import (
	"errors"
	"fmt"
)

// Report says what happened to the nodes of a model.
type Report struct {
	// Quantized lists the nodes that now compute in integers, in graph order.
	Quantized []Quantized
	// Skipped lists nodes that could be expected among them but are not.
	Skipped []Skipped
	// Departures lists, sorted, in which points the result differs from that of the reference.
	Departures []Departure
	Warnings   []string
}

// Quantized is a node that was quantized.
type Quantized struct {
	// the place of the node, as graphops.Place.String returns it; "" for the main graph
	Place  string
	Index  int    // position of the node in its place, in the model with functions inlined
	Node   string // its name
	Op     string
	Weight string // the name of its constant; "" if it has none
	// BytesBefore and BytesAfter are the sizes of the weight, the latter with scales and zero
	// points. A weight that several nodes read is counted only at the first.
	BytesBefore, BytesAfter int64
}

// Skipped is a node that was left in float32.
type Skipped struct {
	Place  string
	Index  int
	Node   string
	Op     string
	Reason string // why, as text to follow "node:"
}

// String returns the node and the reason.
func (s Skipped) String() string {
	node := fmt.Sprintf("node %q", s.Node)
	if s.Node == "" {
		node = fmt.Sprintf("node %d", s.Index)
	}
	return fmt.Sprintf("%s (%s) %s", node, s.Op, s.Reason)
}

// LeftOut returns the error for a model all of whose candidates were skipped.
func LeftOut(skipped []Skipped) error {
	if len(skipped) == 1 {
		return fmt.Errorf("%w: the only candidate was skipped: %s", ErrNothing, skipped[0])
	}
	return fmt.Errorf("%w: all %d candidates were skipped; the first one: %s", ErrNothing, len(skipped), skipped[0])
}

// ErrNothing is the error for a model in which nothing could be quantized. The report returned
// with it says why.
var ErrNothing = errors.New("nothing to quantize")
