package nbits

import (
	"lathe/graphops/departure"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// Report says what happened to the nodes and weights of a model.
type Report struct {
	// Quantized lists the nodes that read a quantized weight, in the order of the places and of the
	// nodes in them.
	Quantized []quant.Quantized
	// Skipped lists the other nodes that could be expected among them.
	Skipped []quant.Skipped
	// Weights lists the quantized weights, each once, in the order of the nodes that read them first.
	Weights []Weight
	// Departures lists, sorted, in which points the result differs from that of the reference.
	Departures []Departure
	Warnings   []string
}

// Weight is a quantized weight.
type Weight struct {
	Name  string
	Place string // of the graph that has it, as graphops.Place.String returns it
	Nodes int    // how many nodes read it
	// BytesBefore and BytesAfter are its sizes, the latter with scales and zero points.
	BytesBefore, BytesAfter int64
	Error                   tensor.CodeError
}

func (r *Report) depart(d Departure) { r.Departures = departure.Note(r.Departures, d) }
