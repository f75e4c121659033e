// Package sizing chooses sizes for the free axes of a model's inputs before it runs. A System has
// the conditions that these sizes must satisfy. They come from the nodes (see package shape), from
// the roles of inputs (see package roles), from names of symbols, and from files beside the model.
// A Search proposes sizes for a purpose, the preferred ones first. Every proposal satisfies the
// conditions, and shape inference with these numbers found no contradiction. A caller that runs the
// model reports if the runtime rejected the sizes, and the next proposal takes that into account.
//
// Proposals are reproducible: the same model, given sizes and rejections lead to the same
// proposals. They do not depend on a clock or on the number of processors.
package sizing
