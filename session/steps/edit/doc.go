// Package edit has the steps that change a model in one place: annotate, attribute, bypass,
// constants, delete, insert, merge, metadata and rename.
package edit
