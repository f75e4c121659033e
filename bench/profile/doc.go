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
//
// # A profile
//
// What happens in `lathe profile m.onnx`:
//
//  1. steps.Profile loads the model twice: as it is, and with profiling and a dump of the
//     optimized graph, so that the session that times nodes also writes the graph that it runs.
//     The two sessions run in turns.
//  2. Loaded.EndProfile streams the trace from the worker into [Read], which keeps the times of
//     each node in each run and drops an event as soon as its run is over.
//  3. [Explain] finds the nodes of the trace in the optimized graph (match.go), and those of
//     that graph in the model (join.go), by the values that both have and by names.
//  4. Package cost computes, for the sizes of the run, how much each node had to do. What the
//     machine reaches is measured once for each machine, library, provider and number of
//     threads. [Peak] compares the two.
//  5. [Result.Cells] and [Result.Modules] give the same numbers for the rows and the modules of
//     the main graph, also for a stored result.
package profile
