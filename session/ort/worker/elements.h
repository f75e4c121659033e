// Shapes of tensors, and their elements as numbers.
#ifndef LATHE_ELEMENTS_H
#define LATHE_ELEMENTS_H

#include "api.h"

// Numbers of ONNXTensorElementDataType.
enum {
  TYPE_FLOAT = 1, TYPE_UINT8, TYPE_INT8, TYPE_UINT16, TYPE_INT16, TYPE_INT32, TYPE_INT64,
  TYPE_BOOL = 9, TYPE_FLOAT16, TYPE_DOUBLE, TYPE_UINT32, TYPE_UINT64, TYPE_BFLOAT16 = 16
};

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

// float_of_bits returns the float32 with these bits, float_of_half the value of a float16.
float float_of_bits(uint32_t bits);
float float_of_half(uint16_t h);

// scatter fills a tensor whose type put_real knows with small random numbers. They are the same in every
// run of the program.
void scatter(void *data, size_t bytes, ONNXTensorElementDataType type);

#endif
