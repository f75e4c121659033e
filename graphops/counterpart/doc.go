// Package counterpart tells which values of one model are values of another: the
// original and what a quantization, a fusion, a simplification or another export made
// of it.
//
// # What is found
//
// Two things speak for a pair, and each misleads alone. Package diff matches nodes by
// structure; behind an operator that was replaced it guesses. Names survive quantization,
// fusion and simplification, and mean nothing between two exports that number them anew.
// So names are believed where they agree with what the structure is certain of, and then
// they go before what the structure guesses; else only the same operator in the same
// place of the graph counts.
//
// A value that B quantizes and dequantizes stands for the same value of A twice: as it
// was and as it came back. Both are pairs, so that what reads the second is no part of the
// quantization.
//
// Values of the main graph are matched. A node that holds bodies, and one that calls a
// function of the model, is one node: what happens inside of it is not seen.
package counterpart
