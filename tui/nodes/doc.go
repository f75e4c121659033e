// Package nodes is the pane with the list of rows: inputs, nodes and outputs with their columns. It
// also has the dialog that chooses the columns.
package nodes
