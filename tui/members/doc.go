// Package members is the screen that opens for a folder whose models form one pipeline: a list of
// its models, and below it the wires of the selected one. Enter opens a model, and whoever leaves it
// comes back to this list.
//
// The report on the folder is complete before the screen opens, so that app, the tea.Model, waits
// for nothing.
package members
