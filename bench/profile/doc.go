// Package profile evaluates ONNX Runtime's profile: how long each node of a run took, which
// nodes of the given model these are, and which fraction of the machine's peak they reached.
//
// # Time
//
// The runtime writes a trace with an event for every node of every run, in whole microseconds, and
// one event for each run. Read computes the time of each node in each run. The reported time is the
// median over the runs, without the first ones. The time of a node with bodies excludes the time of
// the nodes inside them. The part of a run that is in no node is overhead: scheduling, allocation,
// and measuring the times themselves.
//
// Providers of a GPU only start work on their device. With [WithWaits] the runtime waits for the
// device after each node, and [ReadWaits] removes the waits from the times. [Clock] says which of
// these a profile has.
//
// # Nodes
//
// The runtime runs an optimized graph: nodes are fused, renamed, inserted and folded. The type join
// maps each of them back to nodes of the model, as far as the names of nodes and values allow.
//
// # Bounds
//
// A node does 2 × multiply-accumulates operations and moves some number of bytes. Divided by the
// machine's peak rates, both give times that the node cannot be faster than, and the larger one is
// its bound (S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance
// model for multicore architectures", Communications of the ACM 52(4), 2009). A node that takes
// more than two and a half times as long as both is bound by neither.
//
// A trace is untrusted input: it is read as a stream, and the amount kept is limited.
//
// # A profile
//
// What happens in `lathe profile m.onnx`:
//
//  1. measure.Profile loads the model twice: once normally, and once with profiling and a dump of the
//     optimized graph, so that the session that times nodes also writes the graph that it runs.
//     The two sessions run alternately. On a device the second session is loaded again, with waits
//     (profile_timed.go).
//  2. Loaded.EndProfile streams the trace from the worker into [Read], which keeps the times of
//     each node in each run and drops an event as soon as its run is over.
//  3. [Explain] finds the nodes of the trace in the optimized graph (match.go), and the nodes of
//     that graph in the model (join.go), by the values that both have and by names.
//  4. Package cost computes, for the sizes of the run, how much each node had to do. The machine's
//     peak is measured once for each machine, library, provider and number of threads. [Peak]
//     compares the two.
//  5. [Result.Cells] and [Result.Modules] give the same numbers for the rows and the modules of
//     the main graph, also for a stored result.
package profile
