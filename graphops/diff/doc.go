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
// Two matched nodes, values or places are partners. A node is open as long as it has no partner.
//
// The label of a node is a hash of its operator, its attributes and the small constants that it
// reads. Two more hashes are computed for each node: one of everything that it is computed from,
// and one of everything that is computed from it. Both include the positions of inputs and outputs.
// The second hash is different for each node that an output depends on, because the path from an
// output back along the edges, with all positions, leads to one node only. Repeated parts, such as
// the layers of a transformer or a chain of equal nodes, are therefore not confused.
//
// If a node was changed, the first hash differs for all nodes after it, and the second for all
// nodes before it. Between two changes both differ. Nodes there are found by following the edges
// from partners, the most likely pairs first.
//
// Two exporters can write a network so differently at both ends that neither hash helps. If many
// differences remain, another reading starts with nodes that are the only readers of a weight, and
// aligns the nodes between them in order. The result with the fewest differences is used.
//
// A copy of a constant that an Identity node makes counts as that constant. An input or output
// whose name does not occur in the other model is matched with the one in the same position if
// their types agree and nothing contradicts it. If most nodes that were matched by structure have
// equal names, equal names count as evidence for other pairs; they never decide alone. Hashes only
// decide what is compared with what, never what is equal.
//
// # How a comparison is made
//
// What happens in `lathe diff a.onnx b.onnx`, and in the workbench after the key C:
//
//  1. [Match] pairs places, outer before inner: bodies by the nodes that contain them, functions by
//     name and then by content.
//  2. For each pair of places it computes both hashes. Nodes whose hashes occur once on each side
//     are anchors and become partners (anchors.go).
//  3. Open nodes are reached from the neighbours of partners. judge.go weighs the evidence for each
//     candidate pair. The best pair is joined, and its own neighbours become candidates. Nodes that
//     nothing distinguishes are paired in order. If many differences remain, the other reading is
//     tried, and the one with fewer differences is kept (reading.go).
//  4. [Compare] compares matched nodes by attributes and edges, and constants by their first bytes
//     or by all elements. Differences in documentation and metadata are marked (Describes), and so
//     are differences that follow from another one (Follows). Neither is counted.
//  5. rows.go orders the rows of a side-by-side view: the nodes of A in file order, with the nodes
//     that only B has inserted where they belong. The report and the workbench show these rows.
package diff
