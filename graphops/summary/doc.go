// Package summary says what a model consists of: which parts repeat, what kind of part they are, and
// their sizes. It reads no weights and runs nothing. All it states follows from the graph. If a
// kind or a size is not certain, it is left out.
//
// # Marks
//
// A mark is a node, or a few nodes, by which a part is recognized: an attention, a product with
// weights, a convolution, a recurrent layer, an addition of a residual, and a few other operators.
// They are found once, in the whole place. Operators that are marks are rows of tables.
//
// # Parts
//
// The parts come from the first of these sources that has them:
//
//   - Modules: sibling modules whose names differ in a number, such as layers.0 to layers.31
//     (package scope), if the marks in them are of the same kind. Modules of the same kind and
//     the same path, apart from numbers, are one part, even if they have different sizes, such
//     as the blocks of the stages of a network.
//   - Residuals: without names, the nodes between two additions of residuals around convolutions.
//   - Repetition: the longest sequence of marks, with their sizes, that follows itself.
//   - Single marks: convolutions, recurrent layers and others that are in no part. Products with
//     weights count only if there is no other part.
//
// What the kind of a part is, is a row in kinds.
//
// # Limits
//
// The time is linear in the number of nodes. Repetition is searched for only among the first
// maxRepeated marks. Names are raw text, which callers must clean before they print it.
package summary
