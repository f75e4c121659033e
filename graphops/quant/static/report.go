package static

import "lathe/graphops/quant"

// Report tells what became of a model.
type Report struct {
	// Quantized are the nodes of which something is quantized now, in the order of
	// the graph.
	Quantized []quant.Quantized
	// Skipped are nodes that could be expected among them.
	Skipped []quant.Skipped
	// Removed are the Relu and Clip that saturation does the work of.
	Removed []string
	// Departures are the points, sorted, on which the result differs from the
	// reference's.
	Departures []Departure
	Warnings   []string
}
