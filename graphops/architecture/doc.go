// Package architecture says how a transformer is built: the heads of its attention, its window, its
// rotary embedding, how its weights are quantized, and what its cache takes.
//
// # Facts
//
// Package summary finds the parts that repeat, and package roles the caches. For each repetition of
// a part that has attention or a cache, this package collects the facts that the nodes show. Each
// fact has its evidence. What no node shows is left out: names do not count. Repetitions with
// the same facts are one kind of layer (a [Kind]).
//
// # Rotary embedding
//
// The base follows from the table of angles, or from the vector of frequencies before a Cos. It is a
// fact only if all columns fit it, and if the rows that were compared fit their angles (angles.go).
// This is the only place where elements of weights are read: small tables as a whole, and of larger
// ones a few rows.
//
// # Work
//
// [Work] says for each node which part of the work for a token it does: attention, feed-forward, a
// normalization, the embedding, the output head, or something else (work.go).
package architecture
