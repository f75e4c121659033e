// Package values has the tensors of a row of the model: constants in the file, and values that a
// worker computed. A worker keeps computed values for as long as somebody looks at them (Lease).
package values
