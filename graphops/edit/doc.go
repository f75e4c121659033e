// Package edit changes models by hand: names, nodes, attributes, types, where
// constants are kept. Every function takes a model and a place in it, gives a new
// model that a runtime takes if it took the old one, and tells what it did.
//
// An edit is a function of a model and a place. One step wraps each (package steps), so that
// flag, form, recipe, preview and report are the same for all.
package edit
