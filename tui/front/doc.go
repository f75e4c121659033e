// Package front is the dialog that shows the models that a search for types found: a chart of size against
// error, and a list. Enter makes the selected model the one in the workbench.
package front
