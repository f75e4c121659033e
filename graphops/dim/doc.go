// Package dim calculates with sizes that need not be numbers. A Dim is an integer expression in
// symbols, such as batch, 2*seq+1 or floor(h/2). It is kept in a normal form, so that expressions
// with the same value have the same form and can be compared.
//
// # Normal form
//
// A Dim is a sum of products with integer coefficients. The factors are atoms: a symbol, an
// unknown, floor(a/b), max(a,…), min(a,…) or broadcast(a,…), whose arguments are Dims in normal
// form. A term is one of the products with its coefficient. Rounding up is floor((a+b-1)/b), and a
// remainder is a-b*floor(a/b). Multiples of the divisor are moved out of a floor:
// floor((4*h+3)/2) is 2*h+1.
//
// The text of a Dim (String) differs from the normal form in two points. Multiples are moved back
// into a floor, so that floor(h/2)+h is written floor(3*h/2), and terms that are subtracted come
// last. Parse reads it back as the same Dim.
//
// # Texts that are read
//
// Besides the text of String, Parse and OfText read the expressions that sympy, PyTorch, ONNX
// Runtime's symbolic shape inference and onnx-ir write: + - * / // % ** and parentheses, floor,
// ceiling, Max, Min, Mod, sqrt of a square, Abs, Piecewise if each condition is true or false for
// all sizes or makes it a maximum or minimum, and PyTorch's FloorDiv, CeilDiv, CleanDiv,
// IntTrueDiv, PythonMod, PowByNatural, TruncToInt, CeilToInt and similar functions. Inside a floor
// or ceiling, quotients and decimals are exact fractions: floor(h/4-1/4)+1 is floor((h+3)/4), and
// floor(1.5*h) is floor(3*h/2). If the whole text is a fraction, such as h/2, it is not a size, and
// OfText treats it as a name.
//
// A decimal is regarded as exact if it is a whole number divided by a power of two up to 65,536,
// such as 2.0, 0.5 and 0.0625. Any other decimal, such as 0.333333 or 1.6, was rounded when it was
// written, and the text that contains it is treated as a name. A runtime calculates a product with
// a decimal in floating point. It is assumed that the product is exact there, which in float32 is
// true for products below 2^24.
//
// broadcast(a,b) is the size of an axis that two operands share according to the rules of
// broadcasting: if one of them is 1, it is the other.
//
// # Assumptions
//
// A symbol is at least 1, and an unknown at least 0. For example, a slice from index 1 of an axis
// of size seq therefore has seq-1 elements. If an expression is a divisor, it is assumed not to be
// 0.
//
// # Unknowns and errors
//
// An unknown is a size about which nothing is known, except that it equals itself. Its text, and
// that of each expression which contains it, is "?". An expression that would exceed MaxTerms terms
// or MaxText bytes becomes an unknown.
//
// An overflow of 64 bits or a division by zero makes a Dim an error. All further arithmetic with it
// gives the same error, which Err returns.
//
// # Sizes of a run
//
// A run uses a number for each size. Sizes has these numbers, for messages and reports.
package dim
