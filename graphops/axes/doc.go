// Package axes makes axes of a model dynamic, names and fixes them, finds the constants that fit
// only one size of a dynamic axis, and repairs them.
//
// In this package, an axis is freed if a symbol replaces its size. Its old size is the number that
// it had before.
//
// # Relations
//
// The search starts from the sizes that nodes demand of each other. Shape inference collects
// these demands. Each is a relation between two sizes:
//
//   - two sizes are equal, such as the inner axes of a MatMul;
//   - two sizes are equal or one of them is 1, such as axes that are broadcast;
//   - one size is a multiple of the other, such as the channels of a convolution in groups;
//   - one size is at most the other, such as the number of positions and that of the rows of the
//     table in which they are looked up.
//
// Shape inference itself decides a relation between two numbers. All other relations are between
// expressions in the symbols of the model. The first two kinds can be solved for a constant. The
// last two only hold or do not hold. Nothing must be done about a relation that holds for every
// size of the freed axes. A relation that does not hold and cannot be solved becomes a pin if it
// requires a number. Otherwise it becomes a warning that says when the model works, such as "works
// only where n is a multiple of 4". It is not reported that a size must be at least some number, as
// for the window of a pooling: no model accepts arbitrarily small sizes.
//
// If a freed axis had no number but a symbol, relations also determine its old size: it is the size
// that the first relation with only one solution allows, and otherwise 1. The constants of the
// model are judged at the old sizes.
//
// # Pins
//
// A pin is a constant that fits only one size of a freed axis: an element of the shape that a
// Reshape, Expand or ConstantOfShape reads, a repeat of a Tile, the end of a Slice, the count of a
// Loop, or an axis of a stored tensor. The search replaces each such element by a symbol and infers
// the shapes of the model. The demands then are equations in the freed axes and these symbols. If
// an equation does not hold with the constants as they are, it is solved for one of the symbols.
// The constant that the symbol replaced is a pin, and the solution is the expression that should
// stand in its place. If there are several solutions, the search chooses the one that keeps the
// axes in their order. It repeats until a round solves nothing, because a solution can make a size
// known that was unknown before.
//
// A Reshape can also lose an axis although no node makes a demand. For example, [1,-1] merges the
// batch into the other axis. The search therefore splits the input and output of a Reshape into
// groups of axes with the same number of elements at the old sizes. A freed axis must remain in its
// group, which is one more equation.
//
// # Repairs
//
// An element becomes 0 if a Reshape copies the axis, and -1 if it is the only element that the
// others do not determine. Otherwise it is computed from the shape of the input that has the axis.
// At the old size, each of these has the value of the constant.
//
// # How a change is made
//
// What happens in `lathe axes m.onnx --dynamic input:0=batch --repair -o out.onnx`:
//
//  1. [Change] writes batch into the type of the input and infers the shapes (shape.Infer), with a
//     symbol in place of each element of a constant that could be a size. If the operator of a node
//     requires a relation between two sizes, package shape reports a shape.Demand, unless the
//     relation holds for every size.
//  2. solve.go treats the demands as equations in batch and those symbols, node by node, and
//     finds the pins.
//  3. repair.go chooses a replacement for each pin: 0, -1, an Expand, or nodes that compute the
//     size from the shape of an input. build.go translates an expression of sizes into operators.
//  4. The shapes of the repaired model are inferred again, and declared types that differ are
//     corrected. Package proof runs the original and the result.
//
// Equations find pins that a list of known patterns misses, because such a list contains only what
// its author has seen. Of 38 models that PyTorch exported at batch 1, searching shapes for the
// number 1 made 15 dynamic; the equations made all of them dynamic.
package axes
