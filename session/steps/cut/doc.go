// Package cut has the steps that make a part of a model, or a model for another use: prune, axes
// and export.
package cut
