// Package region cuts a model at some of its values. The region of one such value is the part of
// the model between it and the others. Running it on given values shows what these nodes alone do,
// independent of errors before them.
//
// A cut model has the cut values as inputs, under their names, and outputs what it computes for
// them under other names. One run thus gives the results of all regions, each for exactly the
// values it is fed.
//
// Only the main graph is cut; a node with bodies is in one region as a whole.
package region
