// Package session is one working session on a model: the steps that a person
// can take, the history of the steps taken, the recipe that repeats them, and
// the jobs that run in the background. It does not know a terminal: commands,
// recipes and the workbench all use the same steps.
package session
