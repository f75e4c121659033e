// Package axes makes axes of a model dynamic, names and freezes them, finds what holds a
// dynamic axis at a number, and repairs it.
//
// # Relations
//
// The search works on what nodes demand of each other's sizes. Shape inference collects
// these demands, and each is a relation between two sizes:
//
//   - two sizes are equal, as the inner axes of a MatMul;
//   - two sizes are equal or one of them is 1, as axes that are broadcast;
//   - one size is a multiple of the other, as the channels of a convolution in groups;
//   - one size is at most the other, as the rows of a table and the positions in it.
//
// A relation between numbers alone is decided during inference. The others are expressions
// in the symbols of the model. The first two can be solved for a constant; the last two
// only hold or do not hold. A relation that holds for every size of the freed axes needs
// nothing. One that does not hold and cannot be solved becomes a pin if it asks for a
// number, and otherwise a warning that says where the model works, as "works only where
// n is a multiple of 4". That a size must be no smaller than a number, as every window
// wants it, is not reported: no model takes every size, however small.
//
// Relations also fix the size of a freed axis that has a symbol instead of a number: the
// first relation that allows a single size decides, and the default is 1. The remaining
// constants are judged at that size.
//
// # Pins
//
// A pin is a constant that fits only one size of a freed axis: an element of the shape
// that a Reshape, Expand or ConstantOfShape reads, a repeat of a Tile, the end of a Slice,
// the count of a Loop, or an axis of a stored tensor. The search puts a symbol in the
// place of every such element and infers the shapes of the model. The demands are then
// equations in the freed axes and those symbols. An equation that does not hold with the
// constants as they are is solved for one of the symbols. Its constant is a pin, and the
// solution is what would have to stand there. Of several solutions the search takes the
// one that keeps the axes in their order. It repeats until a round solves nothing, since
// a solution can reveal a size that was not known before.
//
// A Reshape can also lose an axis although no node demands it, as [1,-1] moves a batch
// into the other axis. Its input and output are split into groups of axes with the same
// number of elements at the old sizes. A freed axis must come out of its group, which is
// one more equation.
//
// # Repairs
//
// An element becomes 0 if a Reshape copies the axis, and -1 if it is the only element that
// the others leave open. Otherwise it is computed from the shape of the input that has the
// axis. At the old size each of these is the constant.
//
// # How a change is made
//
// What happens in `lathe axes m.onnx --dynamic input:0=batch --repair -o out.onnx`:
//
//  1. [Change] writes batch into the type of the input and infers the model (shape.Infer), with
//     a symbol in the place of every element of a constant that could be a size. A rule of
//     package shape that requires something of two sizes reports a shape.Demand unless it holds
//     for every size.
//  2. solve.go treats the demands as equations in batch and those symbols, node by node, and
//     finds the pins.
//  3. repair.go chooses a replacement for each pinned constant: 0, -1, an Expand, or nodes that
//     compute the size from the shape of an input. build.go writes a size expression as
//     operators.
//  4. The repaired model is inferred again. Declared types that differ are corrected. Package
//     proof runs the original and the result.
//
// Equations find pins that a list of patterns misses. A list knows only what its author has
// seen: of 38 models that PyTorch exported at batch 1, a search for that 1 in shapes made 15
// dynamic, the equations all.
package axes
