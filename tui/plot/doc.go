// Package plot draws numbers in cells: bars and heat maps. It knows neither
// tensors nor colours.
package plot
