// Package mutate changes models so that they remain nearly valid: a runtime starts to process them
// and may fail later. The same base and seed give the same model. Only tests import it.
//
// A mutant starts from a [Base], a small model with one operator or construct. [New] makes one to
// three changes to it, [Reduce] removes what a failure does not need, and an [Archive] stores the
// result.
package mutate
