// Elements of tensors as numbers, and the best of many scores.
#ifndef LATHE_SCORES_H
#define LATHE_SCORES_H

#include "api.h"

// The type and the sizes of a tensor.
struct shape {
  ONNXTensorElementDataType type;
  size_t rank;
  int64_t dims[8];
  int64_t elements;
};

// shape_of reads the shape of a tensor. It is an error if it has more than 8 axes.
OrtStatus *shape_of(const OrtValue *value, struct shape *out);

// type_bytes returns the bytes of an element whose type put_integer and put_real know, otherwise 0.
size_t type_bytes(ONNXTensorElementDataType type);

// put_integer and put_real write an element. They do nothing if they do not know the type.
void put_integer(ONNXTensorElementDataType type, void *data, int64_t at, int64_t x);
void put_real(ONNXTensorElementDataType type, void *data, int64_t at, double x);

// scatter fills a tensor whose type put_real knows with small random numbers. They are the same in every
// run of the program.
void scatter(void *data, size_t bytes, ONNXTensorElementDataType type);

// The best score: the first of the largest, and by how much it is above the largest other one. The
// margin is NaN if a score is NaN. at is -1 if the scores are not floating-point numbers. Scores at the
// places avoided do not count.
struct best {
  int64_t at;
  double margin;
};

struct best best_score(ONNXTensorElementDataType type, const void *data, int64_t first, int64_t count,
                       const int64_t *avoided, int avoids);

#endif
