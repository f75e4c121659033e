#include "best.h"

#include <math.h>
#include <string.h>

#include "largest.h"

// Four numbers. They need not be aligned.
typedef float quad __attribute__((vector_size(16), aligned(4)));
typedef int32_t mask __attribute__((vector_size(16)));

// Eight and four numbers of 16 bits.
typedef int16_t eight __attribute__((vector_size(16), aligned(2)));
typedef int16_t four __attribute__((vector_size(8), aligned(2)));

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
  last = largest_of_piece(rest, count - i, nan);
  return best != NONE && best > last ? best : last;
}

// The largest score of a piece, as a number of as_floats.
static float largest_of(ONNXTensorElementDataType type, const void *data, int64_t first, int count, int *nan) {
  if (type == TYPE_FLOAT16 || type == TYPE_BFLOAT16) {
    return largest_rank((const int16_t *)data + first, count, infinity_of(type), nan);
  }
  float into[PIECE];
  return largest_of_piece(as_floats(type, data, first, count, into), count, nan);
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

// A search in progress: the scores, the two best ones, and the piece with the best one.
struct search {
  ONNXTensorElementDataType type;
  const void *data;
  int64_t first, count;
  const int64_t *avoided;
  int avoids;
  float best, second;
  int64_t piece;
  int nan;
};

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

static void search_piece(struct search *s, int64_t at) {
  float into[PIECE];
  const int n = (int)(s->count - at < PIECE ? s->count - at : PIECE);
  add_piece(s, avoids_in(at, n, s->avoided, s->avoids)
    ? largest_of_piece(piece_of(s->type, s->data, s->first, at, n, s->avoided, s->avoids, into), n, &s->nan)
    : largest_of(s->type, s->data, s->first + at, n, &s->nan), at);
}

// Searches a piece of each part.
static void search_parts(struct search *s, int64_t at, int64_t apart) {
  int plain = s->type == TYPE_FLOAT;
  for (int k = 0; plain && k < PARTS; k++) plain = !avoids_in(at + k * apart, PIECE, s->avoided, s->avoids);
  float most[PARTS];
  if (plain) largest_of_parts((const float *)s->data + s->first + at, apart, most, &s->nan);
  for (int k = 0; k < PARTS; k++) {
    if (plain) {
      add_piece(s, most[k], at + k * apart);
    } else {
      search_piece(s, at + k * apart);
    }
  }
}

// Finds the piece with the best score. The scores of a large vocabulary come from memory, because the
// weights of the last layer have passed through the caches. The processor's own prefetching ends with
// each page, and in pages of several parts it has more to fetch at the same time.
static void search_pieces(struct search *s) {
  const int64_t pieces = s->count / PIECE, part = pieces / PARTS;
  for (int64_t i = 0; i < part; i++) search_parts(s, i * PIECE, part * PIECE);
  for (int64_t at = part * PARTS * PIECE; at < s->count; at += PIECE) search_piece(s, at);
}

struct best best_score(ONNXTensorElementDataType type, const void *data, int64_t first, int64_t count,
                       const int64_t *avoided, int avoids) {
  float into[PIECE];
  if (!as_floats(type, data, first, 0, into)) return (struct best){-1, NAN};
  struct search s = {type, data, first, count, avoided, avoids, -INFINITY, -INFINITY, 0, 0};
  search_pieces(&s);
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
