// What the files decode*.c share.
#ifndef LATHE_DECODE_STATE_H
#define LATHE_DECODE_STATE_H

#include "choose.h"
#include "decode.h"
#include "elements.h"

// For how many tokens bindings are prepared at once (decode_ahead.c).
enum { AHEAD = 8 };

// The elements of an input, and its value.
struct filled {
  void *data;
  int64_t room;  // elements of data
  int64_t dims[MOST_AXES];
  OrtValue *value;
};

// An input that changes from run to run.
struct slot {
  char *name;
  ONNXTensorElementDataType type;
  size_t element;
  enum fill fill;
  int64_t add;
  int rank;
  int64_t numbers[MOST_AXES];
  unsigned char of[MOST_AXES];
  struct filled now;
  struct filled one;       // what prepared bindings contain, if the slot does not grow
  OrtValue *ahead[AHEAD];  // and if it grows: values for the coming tokens, in the memory of now
};

// The scores of a run.
struct scores {
  OrtValue *value;
  struct shape shape;
  const void *data;  // NULL until the shape is known
};

// A cache: a past and its present.
struct cache {
  char *past, *present;
  ONNXTensorElementDataType type;
  size_t element;
  enum keep keep;
  int rank, axis;
  int64_t dims[MOST_AXES], most;
  OrtValue *buffers[3];  // with room for all positions; of KEEP_SHARED the first one only
  int filled[3];
  OrtValue *now;         // the past of the next run
  int now_in;            // the buffer that it is in, or -1
  OrtValue *mark;
  int mark_in;
  OrtValue *aside;       // now, while prompts begin at the mark
  int aside_in;
  OrtValue *next;        // the present of the run in progress, if it has a place already
  int next_in;
};

struct decoder {
  int64_t batch, capacity;
  const OrtMemoryInfo *host, *memory;
  OrtAllocator *host_allocator, *allocator;
  int on_device;
  OrtIoBinding *binding;
  OrtIoBinding *ahead[AHEAD];      // for the coming tokens; NULL if they would save nothing
  int64_t ahead_from, ahead_count; // the positions that they are prepared for
  struct scores one;               // what they write to; empty until a run of one position has allocated it
  int ahead_works;                 // the runtime has written to it
  struct slot *slots;
  size_t slot_count;
  struct cache *caches;
  size_t cache_count;
  size_t moving;      // caches that are not KEEP_SHARED: those for which there is work in each run
  char *logits;
  struct chooser *chooser;  // NULL if tokens are chosen on the host
  int chosen;               // whether the chooser's ids are the last tokens
  struct scores scores;
  int64_t scored;     // the new positions of the run that allocated the scores
  int fresh;          // each run allocates the scores
  int64_t position, marked;
  int64_t *last, *last_mark;  // the tokens to be fed next
  double *margins;
  int64_t bytes;
  int64_t avoided[MOST_AVOIDED];
  int avoids;
};

// The ids of a run: those of sequence b begin at ids[b * stride].
struct ids {
  const int64_t *of;
  int64_t stride;
};

static inline OrtStatus *refuse(const char *what) { return ort_CreateStatus(1, what); }

static inline OrtStatus *no_memory(void) { return refuse("no memory for decoding"); }

static inline void release_value(OrtValue **value) {
  ort_ReleaseValue(*value);
  *value = NULL;
}

// The memory that the scores are in.
static inline const OrtMemoryInfo *scores_memory(const struct decoder *d) { return d->chooser ? d->memory : d->host; }

// slot_bind writes and binds an input for a run with new positions.
OrtStatus *slot_bind(struct decoder *d, struct slot *s, int64_t fresh, struct ids ids);

// slot_write writes elements of an input for a run with new positions. Their shape is known.
void slot_write(struct decoder *d, const struct slot *s, struct filled *f, int64_t fresh, struct ids ids);

// slot_fit creates the value of an input for a run with new positions, unless it has one of this shape.
OrtStatus *slot_fit(struct decoder *d, struct slot *s, struct filled *f, int64_t fresh, int *same);

// slot_grows reports whether the shape of an input depends on the number of past positions.
int slot_grows(const struct slot *s);

// slot_value creates a value of an input for a run with past and new positions.
OrtStatus *slot_value(struct decoder *d, struct slot *s, struct filled *f, int64_t past, int64_t fresh, OrtValue **out);

// bind_scores binds memory for the scores of a run with new positions.
OrtStatus *bind_scores(struct decoder *d, int64_t fresh);

// ahead_fits reports whether bindings that are prepared for the coming tokens save time: only inputs
// whose elements stay the same grow, and nothing else is bound for each token.
int ahead_fits(const struct decoder *d);

// ahead_begin is called after the first run of one new position.
OrtStatus *ahead_begin(struct decoder *d);

// ahead_ready reports whether a run with new positions can use such a binding.
int ahead_ready(const struct decoder *d, int64_t fresh);

// ahead_bind writes the inputs for the next token, and returns its binding. It prepares the bindings of
// the coming tokens if there is none for this one.
OrtStatus *ahead_bind(struct decoder *d, struct ids ids, OrtIoBinding **binding);

// ahead_release_prompt releases the scores of a prompt if there is a prepared binding, which has scores
// of its own.
OrtStatus *ahead_release_prompt(struct decoder *d);

// ahead_free releases what was prepared.
void ahead_free(struct decoder *d);

// cache_buffer creates buffer k of a cache, with room for all positions, if there is none yet.
OrtStatus *cache_buffer(struct decoder *d, struct cache *c, int k);

// cache_restart goes to a past with the given number of positions. If that is not 0, they contain small
// random numbers.
OrtStatus *cache_restart(struct decoder *d, struct cache *c, int64_t past);

// cache_bind binds past and present for a run with new positions. If discard is set, the present is not
// the past of the next run.
OrtStatus *cache_bind(struct decoder *d, struct cache *c, int64_t fresh, int discard);

// cache_advance takes the present of a run as the past of the next one. value is what the runtime
// returned, or NULL. again says that the run had past positions.
OrtStatus *cache_advance(struct decoder *d, struct cache *c, OrtValue **value, int again);

// cache_release_states releases the past, the present and the mark, but not the buffers.
void cache_release_states(struct cache *c);

#endif
