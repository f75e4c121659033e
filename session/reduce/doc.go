// Package reduce finds the smallest part of a model that still shows a fault.
//
// # What is kept
//
// A Symptom describes the fault precisely enough to distinguish it from others: its kind, the
// runtime's message without names and numbers, the operator that it is about, the signal of a
// crash, or the size of a difference. A part counts only if it shows the same symptom. A search
// that accepted any failure would end at a fault that cutting itself introduced.
//
// # How parts are made
//
// Any set of nodes can be a part. What they read from other nodes becomes inputs, and what other
// nodes read from them becomes outputs. Inputs have the inferred types and get the values that the
// sound side has there. If the type of an input is not known, the node that computes it joins the
// part. For two models, the units are not nodes but the regions between values that both have
// (package layers), and one part is made of each model.
//
// # How it is searched
//
// The node that the runtime names, or that package layers finds, is tried alone first. Otherwise
// the search removes halves of the topological order from the end and from the beginning, and then
// units in between (see search). The last round removes each unit by itself, so the result is
// 1-minimal: it needs every single unit. Nodes with bodies and calls of functions are then replaced
// by their contents, and the search continues inside.
package reduce
