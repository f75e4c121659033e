// Package edit has the manual changes to models: of names, nodes, attributes and types, and of
// where constants are stored. Each function takes a model and a place in it, and returns a new
// model and a report. A runtime accepts the new model if it accepted the old one.
//
// An edit can make types wrong that the model declares for values. Such types are in doubt. They
// are removed before the edit (forget), and after the edit a runtime is asked for them again
// (recall).
//
// Each edit is wrapped by a step (package steps), so that flags, form, recipe, preview and report
// work in the same way for all.
package edit
