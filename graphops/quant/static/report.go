package static

import "lathe/graphops/quant"

// Report says what happened to a model.
type Report struct {
	// Quantized lists the nodes of which some part is now quantized, in graph order.
	Quantized []quant.Quantized
	// Skipped lists nodes that could be expected among them but are not.
	Skipped []quant.Skipped
	// Removed lists each Relu and Clip that was removed because the limits of the integers have the
	// same effect.
	Removed []string
	// Departures lists, sorted, in which points the result differs from that of the reference.
	Departures []Departure
	Warnings   []string
}
