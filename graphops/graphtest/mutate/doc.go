// Package mutate makes models that are nearly valid by changing valid ones. A runtime starts to
// process such a model (a mutant) and may fail later. The same base and seed always give the same
// model. Only tests import this package.
//
// A mutant starts from a [Base], a small model with one operator or construct. [New] makes one to
// three changes to it. If the mutant makes a test fail, [Reduce] removes the parts that do not
// matter, and [WriteSeeds] stores the result.
package mutate
