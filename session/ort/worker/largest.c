#include "largest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { LANES = 16 };

// Four numbers that one instruction compares. They need not be aligned.
typedef float quad __attribute__((vector_size(16), aligned(4)));
typedef int32_t mask __attribute__((vector_size(16)));

static quad larger(quad a, quad b) {
  const mask is = b > a;  // false if b is NaN
  return (quad)((is & (mask)b) | (~is & (mask)a));
}

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
#define AVX2 __attribute__((target("avx2")))

// Adds sixteen numbers to eight maxima. MAXPS returns its second operand if one of the two is NaN, so
// that a NaN never replaces a number.
AVX2 static inline void add_line(const float *x, __m256 *most, __m256 *odd) {
  const __m256 e = _mm256_loadu_ps(x), f = _mm256_loadu_ps(x + 8);
  *most = _mm256_max_ps(e, _mm256_max_ps(f, *most));
  *odd = _mm256_or_ps(*odd, _mm256_cmp_ps(e, f, _CMP_UNORD_Q));
}

AVX2 static float largest_avx2(const float *x, int count, int *nan) {
  __m256 a = _mm256_set1_ps(-INFINITY), b = a, odd = _mm256_setzero_ps();
  int i = 0;
  for (; i + 2 * LANES <= count; i += 2 * LANES) {
    add_line(x + i, &a, &odd);
    add_line(x + i + LANES, &b, &odd);
  }
  *nan |= _mm256_movemask_ps(odd);
  a = _mm256_max_ps(a, b);
  a = _mm256_max_ps(a, _mm256_permute2f128_ps(a, a, 1));
  a = _mm256_max_ps(a, _mm256_shuffle_ps(a, a, _MM_SHUFFLE(1, 0, 3, 2)));
  a = _mm256_max_ps(a, _mm256_shuffle_ps(a, a, _MM_SHUFFLE(2, 3, 0, 1)));
  float best = _mm256_cvtss_f32(a);
  _mm256_zeroupper();  // some compilers leave it out; SSE instructions after it would be slow
  if (i < count) {
    const float rest = largest_portable(x + i, count - i, nan);
    best = rest > best ? rest : best;
  }
  return best;
}

// The maxima of four vectors, in each half of a vector.
AVX2 static inline __m256 across(__m256 a, __m256 b, __m256 c, __m256 d) {
  const __m256 ab = _mm256_max_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
  const __m256 cd = _mm256_max_ps(_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
  return _mm256_max_ps(_mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(1, 0, 1, 0)), _mm256_shuffle_ps(ab, cd, _MM_SHUFFLE(3, 2, 3, 2)));
}

// A line of the cache of each part in turn: the processor's own prefetching follows eight rows of
// lines at the same time, and needs no requests from here.
AVX2 static void parts_avx2(const float *x, int64_t apart, float *largest, int *nan) {
  __m256 a = _mm256_set1_ps(-INFINITY), b = a, c = a, d = a, e = a, f = a, g = a, h = a, odd = _mm256_setzero_ps();
  for (const float *end = x + PIECE; x < end; x += LANES) {
    add_line(x, &a, &odd);
    add_line(x + apart, &b, &odd);
    add_line(x + 2 * apart, &c, &odd);
    add_line(x + 3 * apart, &d, &odd);
    add_line(x + 4 * apart, &e, &odd);
    add_line(x + 5 * apart, &f, &odd);
    add_line(x + 6 * apart, &g, &odd);
    add_line(x + 7 * apart, &h, &odd);
  }
  *nan |= _mm256_movemask_ps(odd);
  const __m256 first = across(a, b, c, d), second = across(e, f, g, h);
  _mm256_storeu_ps(largest, _mm256_max_ps(_mm256_permute2f128_ps(first, second, 0x20), _mm256_permute2f128_ps(first, second, 0x31)));
  _mm256_zeroupper();
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

float largest_of_piece(const float *x, int count, int *nan) {
#ifdef __x86_64__
  if (has_avx2()) return largest_avx2(x, count, nan);
#endif
  return largest_portable(x, count, nan);
}

void largest_of_parts(const float *x, int64_t apart, float *largest, int *nan) {
#ifdef __x86_64__
  if (has_avx2()) {
    parts_avx2(x, apart, largest, nan);
    return;
  }
#endif
  for (int k = 0; k < PARTS; k++) largest[k] = largest_portable(x + k * apart, PIECE, nan);
}
