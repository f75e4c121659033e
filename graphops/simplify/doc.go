// Package simplify makes graphs smaller and faster: constants are folded, what
// does nothing is removed, neighbours are merged, and patterns that have an
// operator of their own become that operator.
//
// # Passes
//
// A pass is a row of a table (table.go): a name, what it does, why the result is
// the same, and which passes come before it. Most look at one node and what is
// around it. A pass that is optional runs when it is asked for by name. Passes run
// again and again until none finds anything, so a second run of Simplify changes
// nothing.
//
// What is simplified is the main graph, bodies and functions alike; a pass sees a
// node of a body with the values around the body, and never sees an attribute
// that a function takes from its call.
//
// # Equality
//
// A result gives the same bits, or, where a pass says so, the same numbers up to
// rounding. It holds for every size that the types of the inputs allow, a symbol
// being 1 at least. That is what the passes are written to keep; package
// session/proof tries it.
//
// # Growth
//
// Constants that are computed ahead can be larger than what they are computed
// from. Options.MaxGrowth bounds by how much all of them together may grow.
//
// # How a simplification is made
//
// What happens in `lathe simplify m.onnx --fuse -o out.onnx`:
//
//  1. rewrite.Load turns the model into nodes and values that point at each other. Constant
//     nodes become constants. Tests call rewrite.Model.Check after every pass.
//  2. [Simplify] repeats rounds. A round infers types and small integers as expressions
//     (rewrite's Model.Infer), then offers each node once to every pass. Optional passes run
//     when the others find nothing, because they look for whole patterns. A round without a
//     change ends the loop. A value that a pass moves keeps its type; for a new value, the pass
//     sets the type.
//  3. Shape arithmetic is removed without running it. Sizes are equal if their expressions are
//     equal, so the computed shape of a Reshape becomes [0,-1,8,64] if that is right for all
//     sizes. The nodes that computed it are then dead. Declared types of inner values are not
//     believed, because exporters declare the sizes that they traced.
//  4. Other constants are computed by package evaluate if the result is defined to the bit. Most
//     models need nothing else. What remains goes to the [Runner], many nodes in one model, a
//     few megabytes at a time. Options.RunnerAhead says early whether a runner will be needed,
//     so that its worker can start meanwhile. Views of weights, and factors that are multiplied
//     into weights, are transforms that happen while the weight is written.
//  5. Every change records which nodes of the loaded model it replaces (rewrite's
//     Model.Touched). The report and the workbench use that.
//  6. trial.Simplify calls proof.Sound, which runs the result beside the original. If they are
//     not near, it searches by halving for the passes to leave out. "Near" is a few units in the
//     last place of the output's usual magnitude, or what other roundings do to the original
//     itself. Package perturb measures the latter on a copy that rounds differently in every
//     operator. The original with the runtime's optimizations would be a bad reference, because
//     a wrong optimization would excuse itself. Integers, booleans and texts must be equal. An
//     output is undecided if rounding alone decides its value. If nothing could be proved, the
//     first line of the report says so and the answer is no.
//
// Bodies keep the names of their values where they can. Renaming all of them broke
// com.microsoft.BeamSearch, which finds the inputs of its bodies by name. A name is changed only
// if the body reads a value around it that has the same name.
//
// All passes are in one package. A package for each family would have to export the shared
// vocabulary (views, layers, clusters) and the families would still import each other, because a
// fusion uses the same views and constants as a removal.
package simplify
