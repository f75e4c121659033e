// Package history is the list of stored results of a model: benchmarks, profiles, validations and
// quantizations of earlier sessions, to show again or to compare with.
package history
