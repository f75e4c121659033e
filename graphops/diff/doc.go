// Package diff tells what differs between two models. It first finds out what in
// one model is what in the other (Match), by structure and with names as a hint,
// and then compares what belongs together (Compare), so that a renamed or moved
// node is no difference and a changed one is told alone.
//
// # Equal, and identical
//
// Two models are equal if they offer the same interface and compute the same by
// the same nodes: inputs and outputs with their names, order, types and shapes;
// operators, attributes and edges; elements of constants, as far as they were
// compared (models are identical only if all of them were); operator sets and functions. The names of inner values and nodes, the
// order of nodes, whether a constant is an initializer or a Constant node, an
// attribute that is written out as its default or as what a weight's shape tells,
// swapped operands of an operator that does not mind, and what only describes
// (documentation, metadata, producer, IR version, inner types that one of the models
// leaves out) make models that are equal and not identical. All of it is told.
//
// A node whose attributes are the same and mean something else in the operator's version of the
// other model, as the default axis of a Softmax before and from opset 13 on, is a changed node
// (meaning.go). If the shapes show that both compute the same, it is none.
//
// # Matching
//
// A node's label is its operator, its attributes and the small constants that it
// reads. Two hashes go through each graph: of everything that a node computes
// from, and of everything that is computed from it, by position. The second is
// another one for every node that an output depends on, because a way from an
// output against the edges leads to one node only; so equal parts, such as the
// layers of a transformer or a chain of equal nodes, do not confuse it. Behind a
// change the first hash differs, before it the second; what both miss, between
// two changes, is reached from matched neighbours along the edges, best evidence
// first. Where the two hashes disagree, as in a row of equal nodes of which one is
// gone, each is tried and the match taken that leaves least to tell. Two exporters may
// write a network so differently at both ends that neither hash holds: then a reading is
// tried that begins with the nodes that alone read a weight and aligns what is between
// them in order. Copies that Identity nodes make of a constant are that constant here.
// An input or output without a namesake belongs to the one in its place if their types
// agree and nothing tells otherwise. Names count as evidence where those of what
// structure has matched agree, and decide nothing alone.
// Hashes decide what is compared with what and never what is equal.
//
// # How a comparison is made
//
// What happens in `lathe diff a.onnx b.onnx`, and in the workbench after C:
//
//  1. [Match] pairs places, outer before inner: bodies by the nodes that hold them, functions by
//     name and then by content.
//  2. In each pair of places it computes both hashes. Nodes whose hashes occur once on each side
//     are anchors (anchors.go). A change spoils one hash behind it and the other before it.
//  3. What lies between two changes is reached from matched neighbours. judge.go weighs the
//     evidence for each candidate pair; the best is joined and brings its own neighbours. Nodes
//     that nothing distinguishes are paired in order. If the hashes disagree, several readings
//     are tried and the one with the fewest differences is kept (reading.go).
//  4. [Compare] compares matched nodes attribute by attribute and edge by edge, and constants by
//     their first bytes or element by element. A difference that only describes, or that follows
//     from another, is marked, so that the answer counts causes.
//  5. rows.go orders the rows: nodes of A in the order of its file, and what only B has where it
//     belongs. The report and the workbench draw these rows.
package diff
