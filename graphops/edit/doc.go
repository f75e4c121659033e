// Package edit changes models by hand: names, nodes, attributes, types, where
// constants are kept. Every function takes a model and a place in it, gives a new
// model that a runtime takes if it took the old one, and tells what it did.
package edit
