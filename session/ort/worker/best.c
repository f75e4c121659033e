#include "best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

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
  __m256 all = _mm256_max_ps(a, b);
  all = _mm256_max_ps(all, _mm256_permute2f128_ps(all, all, 1));
  all = _mm256_max_ps(all, _mm256_shuffle_ps(all, all, _MM_SHUFFLE(1, 0, 3, 2)));
  all = _mm256_max_ps(all, _mm256_shuffle_ps(all, all, _MM_SHUFFLE(2, 3, 0, 1)));
  float best = _mm256_cvtss_f32(all);
  _mm256_zeroupper();  // some compilers leave it out; SSE instructions after it would be slow
  if (i < count) {
    const float rest = largest_portable(x + i, count - i, nan);
    best = rest > best ? rest : best;
  }
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

// A search in progress: the two best scores, and the piece with the best one.
struct search {
  float best, second;
  int64_t piece;
  int nan;
};

// Requests a piece before it is compared: the scores of a large vocabulary are in no cache of this processor.
static void fetch(ONNXTensorElementDataType type, const void *data, int64_t at) {
  enum { LINE = 64 };
  const int64_t element = (int64_t)type_bytes(type);
  const char *from = (const char *)data + at * element;
  for (int64_t i = 0; i < PIECE * element; i += LINE) __builtin_prefetch(from + i);
}

// Adds the largest score of the piece at a place to a search. Pieces may come in any order.
static void add_piece(struct search *s, float most, int64_t at) {
  if (most > s->best || (most == s->best && at < s->piece)) {
    s->second = s->best;
    s->best = most;
    s->piece = at;
  } else if (most > s->second) {
    s->second = most;
  }
}

// Finds the piece with the best score. Pieces of four parts are read in turn: the processor's own
// prefetching ends with each page of memory, and in four pages it has more to fetch at the same time.
static struct search search_pieces(ONNXTensorElementDataType type, const void *data, int64_t first, int64_t count,
                                   const int64_t *avoided, int avoids) {
  enum { PARTS = 4 };
  struct search s = {-INFINITY, -INFINITY, 0, 0};
  const int64_t pieces = (count + PIECE - 1) / PIECE, part = (pieces + PARTS - 1) / PARTS;
  float into[PIECE];
  for (int64_t i = 0; i < PARTS * part; i++) {
    const int64_t at = (i % PARTS * part + i / PARTS) * PIECE, left = count - at;
    if (left <= 0) continue;
    if (left >= 2 * PIECE) fetch(type, data, first + at + PIECE);
    const int n = (int)(left < PIECE ? left : PIECE);
    add_piece(&s, avoids_in(at, n, avoided, avoids)
      ? largest(piece_of(type, data, first, at, n, avoided, avoids, into), n, &s.nan)
      : largest_of(type, data, first + at, n, &s.nan), at);
  }
  return s;
}

struct best best_score(ONNXTensorElementDataType type, const void *data, int64_t first, int64_t count,
                       const int64_t *avoided, int avoids) {
  float into[PIECE];
  if (!as_floats(type, data, first, 0, into)) return (struct best){-1, NAN};
  struct search s = search_pieces(type, data, first, count, avoided, avoids);
  const int n = (int)(count - s.piece < PIECE ? count - s.piece : PIECE);
  const float *x = piece_of(type, data, first, s.piece, n, avoided, avoids, into);
  int64_t at = -1;
  for (int i = 0; i < n; i++) {
    if (at < 0 && x[i] == s.best) {
      at = s.piece + i;
    } else if (x[i] > s.second) {
      s.second = x[i];
    }
  }
  if (at < 0) at = 0;  // all are NaN
  return (struct best){at, s.nan ? NAN : score_of(type, s.best) - score_of(type, s.second)};
}
