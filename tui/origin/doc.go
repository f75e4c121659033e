// Package origin is the pane that says where the model and its nodes come from: metadata, the source
// code of the exporter, and the calls that made a node.
package origin
