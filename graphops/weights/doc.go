// Package weights examines the tensors of a model: their numbers and the distribution of these,
// single elements, and which tensors are equal. Memory is bounded by a window, and each pass stops
// soon after its context is done.
package weights
