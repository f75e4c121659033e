// Package counterpart determines which values of one model correspond to which values of another.
// The second model was created from the first by quantization, fusion or simplification, or both
// are exports of the same program.
//
// # Method
//
// There are two kinds of evidence, structure and names, and each alone can mislead. Package diff
// matches nodes by structure, but can only guess behind an operator that was replaced. Names
// survive quantization, fusion and simplification. If two exports number their values differently,
// however, equal names mean different values.
//
// Package diff therefore compares names with the pairs that the structure proves. If they agree with
// these, a pair with equal names takes precedence over a pair that the structure only suggests. If
// they do not agree, such a pair counts if the same operator produces both values.
//
// If model B quantizes and dequantizes a value, the value of A corresponds to two values of B: the
// original and the dequantized one. Both form pairs, so that the readers of the dequantized value
// are not regarded as part of the quantization.
//
// Only values of the main graph are matched. A node with bodies, and a call of a function, count as
// one node, and the values inside are not considered.
package counterpart
