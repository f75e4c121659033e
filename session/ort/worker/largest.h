// The largest of many float32 numbers.
#ifndef LATHE_LARGEST_H
#define LATHE_LARGEST_H

#include <stdint.h>

// Numbers are compared in pieces. Eight pieces are compared at the same time.
enum { PIECE = 256, PARTS = 8 };

// largest_of_piece returns the largest of up to PIECE numbers, -INFINITY if all are NaN. nan is set if
// one is NaN.
float largest_of_piece(const float *x, int count, int *nan);

// largest_of_parts writes the largest numbers of PARTS pieces that begin apart numbers after each other.
void largest_of_parts(const float *x, int64_t apart, float *largest, int *nan);

#endif
