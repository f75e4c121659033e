// Package tensors is the pane about the tensors of a row: statistics, a histogram, a heat map, the
// elements, and tensors that are equal.
package tensors
