#include "elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

OrtStatus *shape_of(const OrtValue *value, struct shape *out) {
  OrtTensorTypeAndShapeInfo *info = NULL;
  OrtStatus *status = ort_GetTensorTypeAndShape(value, &info);
  if (status) return status;
  if (!(status = ort_GetTensorElementType(info, &out->type)) && !(status = ort_GetDimensionsCount(info, &out->rank))) {
    if (out->rank > sizeof out->dims / sizeof *out->dims) {
      status = ort_CreateStatus(1, "a tensor has more than 8 axes");
    } else {
      status = ort_GetDimensions(info, out->dims, out->rank);
    }
  }
  out->elements = 1;
  for (size_t i = 0; !status && i < out->rank; i++) out->elements *= out->dims[i];
  ort_ReleaseTensorTypeAndShapeInfo(info);
  return status;
}

size_t type_bytes(ONNXTensorElementDataType type) {
  switch (type) {
  case TYPE_UINT8: case TYPE_INT8: case TYPE_BOOL: return 1;
  case TYPE_UINT16: case TYPE_INT16: case TYPE_FLOAT16: case TYPE_BFLOAT16: return 2;
  case TYPE_FLOAT: case TYPE_INT32: case TYPE_UINT32: return 4;
  case TYPE_INT64: case TYPE_UINT64: case TYPE_DOUBLE: return 8;
  default: return 0;
  }
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

float float_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

// The nearest number towards zero. Numbers that are too small become 0, those that are too large infinite.
static uint16_t half_of(float x) {
  const uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000;
  const int exponent = (int)(bits >> 23 & 0xff) - 127 + 15;
  if (exponent <= 0) return (uint16_t)sign;
  if (exponent >= 31) return (uint16_t)(sign | 0x7c00);
  return (uint16_t)(sign | (uint32_t)exponent << 10 | (bits >> 13 & 0x3ff));
}

float float_of_half(uint16_t h) {
  const int exponent = h >> 10 & 0x1f, mantissa = h & 0x3ff;
  float x;
  if (exponent == 31) {
    x = mantissa ? NAN : INFINITY;
  } else {
    x = exponent ? ldexpf((float)(mantissa | 0x400), exponent - 25) : ldexpf((float)mantissa, -24);
  }
  return h & 0x8000 ? -x : x;
}

void put_real(ONNXTensorElementDataType type, void *data, int64_t at, double x) {
  switch (type) {
  case TYPE_FLOAT: ((float *)data)[at] = (float)x; return;
  case TYPE_DOUBLE: ((double *)data)[at] = x; return;
  case TYPE_FLOAT16: ((uint16_t *)data)[at] = half_of((float)x); return;
  case TYPE_BFLOAT16: ((uint16_t *)data)[at] = (uint16_t)(bits_of((float)x) >> 16); return;
  case TYPE_INT8: ((int8_t *)data)[at] = (int8_t)(x * 200); return;   // of quantized caches
  case TYPE_UINT8: ((uint8_t *)data)[at] = (uint8_t)(128 + x * 200); return;
  default: put_integer(type, data, at, (int64_t)x);
  }
}

void put_integer(ONNXTensorElementDataType type, void *data, int64_t at, int64_t x) {
  switch (type) {
  case TYPE_UINT8: case TYPE_INT8: ((int8_t *)data)[at] = (int8_t)x; return;
  case TYPE_BOOL: ((uint8_t *)data)[at] = x != 0; return;
  case TYPE_UINT16: case TYPE_INT16: ((int16_t *)data)[at] = (int16_t)x; return;
  case TYPE_INT32: case TYPE_UINT32: ((int32_t *)data)[at] = (int32_t)x; return;
  case TYPE_INT64: case TYPE_UINT64: ((int64_t *)data)[at] = x; return;
  case TYPE_FLOAT: case TYPE_DOUBLE: case TYPE_FLOAT16: case TYPE_BFLOAT16: put_real(type, data, at, (double)x); return;
  default: return;
  }
}

void scatter(void *data, size_t bytes, ONNXTensorElementDataType type) {
  uint64_t state = 0x9E3779B97F4A7C15u;
  const size_t element = type_bytes(type);
  for (size_t i = 0; i < bytes / element; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    put_real(type, data, i, ((double)(state >> 40) / (double)(1 << 24) - 0.5) * 0.1);
  }
}
