// Package session is one working session on a model: the steps that a person
// can take, the history of what was taken, the recipe that says it again, and
// the jobs that run meanwhile. It knows no terminal; commands, recipes and the
// workbench are three faces of the same steps.
package session
