#include "scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

// Numbers of ONNXTensorElementDataType.
enum {
  TYPE_FLOAT = 1, TYPE_UINT8, TYPE_INT8, TYPE_UINT16, TYPE_INT16, TYPE_INT32, TYPE_INT64,
  TYPE_BOOL = 9, TYPE_FLOAT16, TYPE_DOUBLE, TYPE_UINT32, TYPE_UINT64, TYPE_BFLOAT16 = 16
};

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

static float float_of_bits(uint32_t bits) {
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

static float float_of_half(uint16_t h) {
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

// Scores are compared in pieces.
enum { PIECE = 256, LANES = 16 };

// Four numbers that one instruction compares. They need not be aligned.
typedef float quad __attribute__((vector_size(16), aligned(4)));
typedef int32_t mask __attribute__((vector_size(16)));

// Eight and four numbers of 16 bits.
typedef int16_t eight __attribute__((vector_size(16), aligned(2)));
typedef int16_t four __attribute__((vector_size(8), aligned(2)));

static quad larger(quad a, quad b) {
  const mask is = b > a;  // false if b is NaN
  return (quad)((is & (mask)b) | (~is & (mask)a));
}

// The bits of infinity in a type of 16 bits. A number whose bits are above them is NaN.
static int16_t infinity_of(ONNXTensorElementDataType type) { return type == TYPE_FLOAT16 ? 0x7c00 : 0x7f80; }

// The ranks of four numbers of 16 bits: integers in the same order. Those of NaN are NaN.
static quad ranks(four h, int16_t infinity) {
  const mask wide = __builtin_convertvector(h, mask), sign = wide >> 31, size = wide & 0x7fff;
  const mask nan = size > infinity;
  return (quad)((mask)__builtin_convertvector((size ^ sign) - sign, quad) | nan);
}

// Writes the ranks of up to PIECE numbers of 16 bits.
static void rank(const int16_t *from, int count, int16_t infinity, float *into) {
  int16_t rest[4] = {0};
  for (int i = 0; i < count; i += 4) {
    const int left = count - i;
    if (left < 4) memcpy(rest, from + i, (size_t)left * sizeof *rest);
    const quad q = ranks(*(const four *)(left < 4 ? rest : from + i), infinity);
    memcpy(into + i, &q, sizeof q);
  }
}

// Writes up to PIECE scores as numbers in the same order: those of types of 16 bits are their ranks.
static const float *as_floats(ONNXTensorElementDataType type, const void *data, int64_t first, int count, float *into) {
  switch (type) {
  case TYPE_FLOAT:
    return (const float *)data + first;
  case TYPE_DOUBLE:
    for (int i = 0; i < count; i++) into[i] = (float)((const double *)data)[first + i];
    return into;
  case TYPE_BFLOAT16:
  case TYPE_FLOAT16:
    rank((const int16_t *)data + first, count, infinity_of(type), into);
    return into;
  default:
    return NULL;
  }
}

// The score whose number as_floats wrote.
static double score_of(ONNXTensorElementDataType type, float x) {
  if (type != TYPE_FLOAT16 && type != TYPE_BFLOAT16) return x;
  const uint16_t size = (uint16_t)(x < 0 ? -x : x);
  const float score = type == TYPE_FLOAT16 ? float_of_half(size) : float_of_bits((uint32_t)size << 16);
  return x < 0 ? -score : score;
}

// The largest number of a piece. nan is set if one is NaN.
static float largest_portable(const float *x, int count, int *nan) {
  quad a = {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, b = a, c = a, d = a;
  mask odd = {0};
  int i = 0;
  for (; i + LANES <= count; i += LANES) {
    const quad *q = (const quad *)(x + i);
    const quad e = q[0], f = q[1], g = q[2], h = q[3];
    a = larger(a, e);
    b = larger(b, f);
    c = larger(c, g);
    d = larger(d, h);
    odd |= (e != e) | (f != f) | (g != g) | (h != h);
  }
  const quad all = larger(larger(a, b), larger(c, d));
  float best = -INFINITY;
  for (int k = 0; k < 4; k++) {
    best = all[k] > best ? all[k] : best;
    *nan |= odd[k];
  }
  for (; i < count; i++) {
    best = x[i] > best ? x[i] : best;
    *nan |= x[i] != x[i];
  }
  return best;
}

#ifdef __x86_64__
// The same with eight numbers an instruction. MAXPS returns its second operand if one of the two is NaN,
// so that a NaN never replaces a number.
__attribute__((target("avx2"))) static float largest_avx2(const float *x, int count, int *nan) {
  __m256 a = _mm256_set1_ps(-INFINITY), b = a, odd = _mm256_setzero_ps();
  int i = 0;
  for (; i + LANES <= count; i += LANES) {
    const __m256 e = _mm256_loadu_ps(x + i), f = _mm256_loadu_ps(x + i + 8);
    a = _mm256_max_ps(e, a);
    b = _mm256_max_ps(f, b);
    odd = _mm256_or_ps(odd, _mm256_cmp_ps(e, f, _CMP_UNORD_Q));
  }
  *nan |= _mm256_movemask_ps(odd);
  float lanes[8];
  _mm256_storeu_ps(lanes, _mm256_max_ps(a, b));
  _mm256_zeroupper();  // some compilers leave it out; SSE instructions after it would be slow
  float best = largest_portable(x + i, count - i, nan);
  for (int k = 0; k < 8; k++) best = lanes[k] > best ? lanes[k] : best;
  return best;
}

// Whether the processor has AVX2 and LATHE_KERNELS allows it.
static int has_avx2(void) {
  static int known;  // 1 or 2; every thread finds the same
  int state = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!state) {
    const char *kernels = getenv("LATHE_KERNELS");
    state = __builtin_cpu_supports("avx2") && !(kernels && !strcmp(kernels, "portable")) ? 2 : 1;
    __atomic_store_n(&known, state, __ATOMIC_RELAXED);
  }
  return state == 2;
}
#endif

static float largest(const float *x, int count, int *nan) {
#ifdef __x86_64__
  if (has_avx2()) return largest_avx2(x, count, nan);
#endif
  return largest_portable(x, count, nan);
}

// The largest rank of a piece of numbers of 16 bits, -INFINITY if all are NaN. nan is set if one is.
// Ranks fit into 16 bits, so that one instruction compares eight.
static float largest_rank(const int16_t *x, int count, int16_t infinity, int *nan) {
  enum { NONE = INT16_MIN };
  eight most = {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE}, odd = {0};
  int i = 0;
  for (; i + 8 <= count; i += 8) {
    const eight h = *(const eight *)(x + i), sign = h >> 15, size = h & 0x7fff;
    const eight out = size > infinity, r = (((size ^ sign) - sign) & ~out) | (out & NONE);
    const eight above = r > most;
    most = (above & r) | (~above & most);
    odd |= out;
  }
  int16_t best = NONE;
  for (int k = 0; k < 8; k++) {
    best = most[k] > best ? most[k] : best;
    *nan |= odd[k];
  }
  float rest[8], last = -INFINITY;
  rank(x + i, count - i, infinity, rest);
  last = largest(rest, count - i, nan);
  return best != NONE && best > last ? best : last;
}

// The largest score of a piece, as a number of as_floats.
static float largest_of(ONNXTensorElementDataType type, const void *data, int64_t first, int count, int *nan) {
  if (type == TYPE_FLOAT16 || type == TYPE_BFLOAT16) {
    return largest_rank((const int16_t *)data + first, count, infinity_of(type), nan);
  }
  float into[PIECE];
  return largest(as_floats(type, data, first, count, into), count, nan);
}

// Reports whether some of the places avoided are in a piece.
static int avoids_in(int64_t at, int count, const int64_t *avoided, int avoids) {
  for (int i = 0; i < avoids; i++) {
    if (avoided[i] >= at && avoided[i] < at + count) return 1;
  }
  return 0;
}

// A piece of scores, in which those to be avoided are the least.
static const float *piece_of(ONNXTensorElementDataType type, const void *data, int64_t first, int64_t at, int count,
                             const int64_t *avoided, int avoids, float *into) {
  const float *x = as_floats(type, data, first + at, count, into);
  for (int i = 0; x && i < avoids; i++) {
    if (!avoids_in(at, count, avoided + i, 1)) continue;
    if (x != into) x = memcpy(into, x, (size_t)count * sizeof *into);
    into[avoided[i] - at] = -INFINITY;
  }
  return x;
}

struct best best_score(ONNXTensorElementDataType type, const void *data, int64_t first, int64_t count,
                       const int64_t *avoided, int avoids) {
  float into[PIECE], best = -INFINITY, second = -INFINITY;
  if (!as_floats(type, data, first, 0, into)) return (struct best){-1, NAN};
  int64_t piece = 0;
  int nan = 0;
  for (int64_t at = 0; at < count; at += PIECE) {
    const int n = (int)(count - at < PIECE ? count - at : PIECE);
    const float most = avoids_in(at, n, avoided, avoids)
      ? largest(piece_of(type, data, first, at, n, avoided, avoids, into), n, &nan)
      : largest_of(type, data, first + at, n, &nan);
    if (most > best) {
      second = best;
      best = most;
      piece = at;
    } else if (most > second) {
      second = most;
    }
  }
  const int n = (int)(count - piece < PIECE ? count - piece : PIECE);
  const float *x = piece_of(type, data, first, piece, n, avoided, avoids, into);
  int64_t at = -1;
  for (int i = 0; i < n; i++) {
    if (at < 0 && x[i] == best) {
      at = piece + i;
    } else if (x[i] > second) {
      second = x[i];
    }
  }
  if (at < 0) at = 0;  // all are NaN
  return (struct best){at, nan ? NAN : score_of(type, best) - score_of(type, second)};
}
