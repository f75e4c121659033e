// Package simplify makes graphs smaller and faster: constants are folded, what
// does nothing is removed, neighbours are merged, and patterns that have an
// operator of their own become that operator.
//
// # Passes
//
// A pass is a row of a table (table.go): a name, what it does, why the result is
// the same, and which passes come before it. Most look at one node and what is
// around it. A pass that is optional runs when it is asked for by name. Passes run
// again and again until none finds anything, so a second run of Simplify changes
// nothing.
//
// What is simplified is the main graph, bodies and functions alike; a pass sees a
// node of a body with the values around the body, and never sees an attribute
// that a function takes from its call.
//
// # Equality
//
// A result gives the same bits, or, where a pass says so, the same numbers up to
// rounding. It holds for every size that the types of the inputs allow, a symbol
// being 1 at least. That is what the passes are written to keep; package
// session/proof tries it.
//
// # Growth
//
// Constants that are computed ahead can be larger than what they are computed
// from. Options.MaxGrowth bounds by how much all of them together may grow.
package simplify
