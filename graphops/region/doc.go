// Package region cuts a model at some of its values. The region of a cut value is the part of the
// model between this value and the other cut values. Running a region on given values shows what
// its nodes do, independent of errors in the nodes before it.
//
// In a cut model, the cut values are inputs, under their own names. What the model computes for
// them are outputs, under other names. One run therefore gives the results of all regions, and each
// region computes from exactly the values that are passed to the run.
//
// Only the main graph is cut. A node with bodies is in one region as a whole.
package region
