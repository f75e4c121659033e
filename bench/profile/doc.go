// Package profile makes sense of ONNX Runtime's profile: how long each node of a
// run took, which nodes of the model that was given those are, and how much of what
// the machine can do they reached.
//
// # Time
//
// The runtime writes a trace with an event for every node of every run, in whole
// microseconds, and one for the run. Read makes of it the time of each node in each
// run; what counts is the median over the runs, the first ones left out. A node that
// holds bodies has the time that it spends outside of them. What of a run is in no
// node is overhead: choosing, allocating, and taking the times themselves.
//
// # Nodes
//
// The runtime runs a graph that its optimizations made: nodes are fused, renamed,
// inserted and folded. Join leads each of them back to the nodes of the model, as
// far as names of nodes and values tell; see there.
//
// # Bounds
//
// A node does 2 × multiply-accumulates operations and moves some bytes. Divided by
// what the machine reaches at best, both are times that the node cannot go below, and
// the larger one tells what it is bound by (S. Williams, A. Waterman, D. Patterson,
// "Roofline: an insightful visual performance model for multicore architectures",
// Communications of the ACM 52(4), 2009). A node that takes many times as long as
// either is bound by neither: see Bound.
//
// A trace is hostile input: it is read as it arrives, and what is kept of it is bounded.
package profile
