// Package forms has the dialogs about steps: the form in which a person sets the options of a step,
// the list of jobs with their results, and the list of steps that can be changed.
package forms
