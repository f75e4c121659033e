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
