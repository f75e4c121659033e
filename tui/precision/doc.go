// Package precision is the dialog that selects what to quantize and shows what that would save, and the
// dialog with the distribution of a weight or an activation.
package precision
