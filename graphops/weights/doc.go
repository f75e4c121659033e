// Package weights examines the tensors of a model: their numbers and how these are distributed,
// single elements, and which tensors are equal. Numbers are read in parts, so the memory it needs
// is limited. Each pass stops soon after its context is cancelled.
package weights
