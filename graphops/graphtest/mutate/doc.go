// Package mutate changes models so that they stay nearly valid: what a runtime takes
// up and stumbles over later. The same base and seed give the same model. Only tests
// import it.
//
// A [Base] is where a mutant starts: a small model of one operator or construct.
// [New] changes one to three things of it, [Reduce] takes away what a failure does
// not need, and an [Archive] keeps what is left.
package mutate
