// Package counterpart determines which values of one model correspond to which values of another
// one that was created from it by quantization, fusion or simplification, or that is another export
// of the same program.
//
// # Method
//
// There are two kinds of evidence, and each alone can mislead. Package diff matches nodes by
// structure, but can only guess after an operator that was replaced. Names survive quantization,
// fusion and simplification, but mean nothing if two exports number values differently. Names are
// therefore used if they agree with the matches about which the structure is certain. They then
// take precedence over the guesses of the structure. Otherwise, only the same operator in the same
// position of the graph counts.
//
// A value that B quantizes and dequantizes corresponds to two values: the original, and the
// dequantized one. Both form pairs, so that the readers of the second do not count as part of the
// quantization.
//
// Only values of the main graph are matched. A node with bodies, or a call of a function, counts as
// one node, and values inside are not considered.
package counterpart
