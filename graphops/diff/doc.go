// Package diff determines the differences between two models. It first matches parts of one model
// with parts of the other (Match), by structure and with names as additional evidence. It then
// compares the matching parts (Compare), so that a renamed or moved node is not a difference, and a
// changed node is reported alone.
//
// # Equal and identical
//
// Two models are equal if they have the same interface and compute the same by the same nodes. The
// following must agree: inputs and outputs with names, order, types and shapes; operators,
// attributes and edges; elements of constants, as far as they were compared; opsets and functions.
// The following may differ between equal models, but not between identical ones, and is reported:
//
//   - names of inner values and nodes, and the order of nodes;
//   - whether a constant is an initializer or a Constant node;
//   - attributes that state their default, or what follows from a weight's shape;
//   - the order of operands if it does not matter to the operator;
//   - documentation, metadata, producer, IR version, and inner types that only one model declares.
//
// Models are identical only if all elements of constants were compared.
//
// If an attribute has the same value on both sides but another meaning in the operator's version of
// the other model, the node counts as changed (meaning.go). An example is the default axis of a
// Softmax before and from opset 13 on. If the shapes show that both compute the same, it is not a
// change.
//
// # Matching
//
// The label of a node is its operator, its attributes and the small constants that it reads. Two
// hashes are computed for each node: one of everything that it is computed from, and one of
// everything that is computed from it, by position. The second hash differs for all nodes that an
// output depends on, because following edges backwards from an output by position leads to one node
// only. Repeated parts, such as the layers of a transformer or a chain of equal nodes, are
// therefore not confused. After a change the first hash differs, and before it the second. Between
// two changes, both differ; these nodes are found along the edges from matched neighbours, in the
// order of evidence.
//
// The two hashes can disagree, as for a row of equal nodes from which one was removed. Each hash is
// then tried, and the match with fewest differences is used. Two exporters can also write a network
// so differently at both ends that neither hash helps. In that case a third reading is tried, which
// starts with nodes that are the only readers of a weight, and aligns the nodes between them in
// order.
//
// Copies of a constant made by Identity nodes count as that constant. An input or output whose name
// does not occur in the other model is matched with the one in the same position if their types
// agree and nothing contradicts it. Names count as evidence if the names of nodes matched by
// structure agree; they never decide alone. Hashes only decide what is compared with what, never
// what is equal.
//
// # How a comparison is made
//
// What happens in `lathe diff a.onnx b.onnx`, and in the workbench after C:
//
//  1. [Match] pairs places, outer before inner: bodies by the nodes that contain them, functions by
//     name and then by content.
//  2. For each pair of places it computes both hashes. Nodes whose hashes occur once on each side
//     are anchors (anchors.go). A change modifies one hash after it and the other before it.
//  3. Nodes between two changes are reached from matched neighbours. judge.go weighs the evidence
//     for each candidate pair; the best pair is joined and adds its own neighbours as candidates.
//     Nodes that nothing distinguishes are paired in order. If the hashes disagree, several
//     readings are tried and the one with the fewest differences is kept (reading.go).
//  4. [Compare] compares matched nodes by attributes and edges, and constants by their first bytes
//     or by elements. A difference is marked if it only describes, or if it follows from another
//     one, so that only causes are counted.
//  5. rows.go orders the rows: nodes of A in file order, with the nodes that only B has inserted
//     where they belong. The report and the workbench show these rows.
package diff
