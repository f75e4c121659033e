// Package weights looks into the tensors of a model: what numbers they hold, how
// those are distributed, single elements, and which tensors are equal. Nothing is
// held in memory beyond a window; every pass stops soon after its context is done.
package weights
