// Package axes is the pane with the axes of inputs and outputs and their symbols, and the preview of a
// change of axes.
package axes
