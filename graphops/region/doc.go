// Package region cuts a model at some of its values. What of the model lies between such
// values and one of them is that value's region: a run of it on given values shows what
// these nodes alone do, whatever went wrong before them.
//
// A cut model takes the cut values as inputs, under their names, and gives what it
// computes for them under other names. So one run gives all regions, each on exactly what
// it is fed.
//
// Nodes of the main graph are cut apart; one that holds bodies is in one region as a whole.
package region
