// Package dim calculates with sizes that are not numbers yet: a Dim is an
// integer expression in symbols, such as batch, 2*seq+1 or floor(h/2), kept in
// one normal form, so that equal expressions compare equal.
//
// # Normal form
//
// A Dim is a sum of products with integer coefficients. The factors are atoms:
// a symbol, an unknown, floor(a/b), max(a,…), min(a,…) or broadcast(a,…), whose
// arguments are Dims in normal form. Rounding up is floor((a+b-1)/b), a remainder is
// a-b*floor(a/b). Whole multiples leave a floor: floor((4*h+3)/2) is 2*h+1.
//
// Text is the normal form with two liberties, which read back as the same Dim: a floor
// takes back the whole multiples of what it holds, so that floor(h/2)+h is
// floor(3*h/2), and what is subtracted stands last.
//
// # Texts that are read
//
// Besides String's own text, Parse and OfText read what sympy, PyTorch, ONNX Runtime's
// symbolic shape inference and onnx-ir write: + - * / // % ** and parentheses, floor,
// ceiling, Max, Min, Mod, sqrt of a square, Abs, Piecewise where its conditions are
// decided or make a maximum or minimum of it, and PyTorch's FloorDiv, CeilDiv, CleanDiv,
// IntTrueDiv, PythonMod, PowByNatural, TruncToInt, CeilToInt and their like. Inside of a
// floor or ceiling quotients and decimals are exact fractions: floor(h/4-1/4)+1 is
// floor((h+3)/4), floor(1.5*h) is floor(3*h/2). A whole text that is a fraction, as h/2,
// is not a size, and OfText takes it for a name.
//
// A decimal is taken for exact if its value is a whole number over a power of two up to
// 65,536, as 2.0, 0.5 and 0.0625 are. Any other one, as 0.333333 or 1.6, was rounded when
// it was written, and the text that holds it stays a name. A runtime calculates such
// a product in floating point; it is assumed that the product is exact there, which
// in float32 is so for products below 2^24.
//
// broadcast(a,b) is the size of an axis that two operands share by the rules of
// broadcasting: the one that is not 1, where the other one is.
//
// # What is assumed
//
// A symbol stands for a size of at least 1, an unknown for one of at least 0;
// so seq[1:] has seq-1 elements and the last row of batch rows is one row. A
// division by an expression assumes that it is not 0.
//
// # Unknowns and faults
//
// An unknown is a size that nothing is known of except that it equals itself.
// Text shows it, and every expression that it is in, as "?". An expression that would
// grow past MaxTerms terms or MaxText bytes becomes an unknown.
//
// A fault is what comes of an overflow of 64 bits or a division by zero. It goes
// through all further arithmetic, and Err tells it.
package dim
