// Package search has the prompt for a filter, and the dialog that jumps to a node, value or module by
// some letters of its name.
package search
