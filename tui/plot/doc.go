// Package plot draws numbers in cells: bars and heat maps. It does not know about tensors or
// colors.
package plot
