// Package edit has the manual changes to models: of names, nodes, attributes, types, and where
// constants are stored. Each function takes a model and a place in it and returns a new model and a
// report. A runtime accepts the new model if it accepted the old one.
//
// Each edit is wrapped by a step (package steps), so that flags, form, recipe, preview and report
// work in the same way for all.
package edit
