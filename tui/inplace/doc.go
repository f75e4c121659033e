// Package inplace edits what the model says about one row, where it is shown: attributes, names and
// types. Each line of its dialog is a line of a step (attribute, rename, annotate), so that an edit is
// checked, recorded and undone like any other step.
package inplace
