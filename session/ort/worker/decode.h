// Greedy decoding: a prompt, then one token after the other. Each token that the model chooses is fed
// back here, in C, and so are its caches, so that neither Go nor a pipe is between two tokens.
#ifndef LATHE_DECODE_H
#define LATHE_DECODE_H

#include "api.h"

enum { MOST_AXES = 8, MOST_AVOIDED = 64 };

// What the size of an axis is. A run has past positions in its caches and adds new ones.
enum extent { EXTENT_NUMBER, EXTENT_NEW, EXTENT_PAST, EXTENT_TOTAL, EXTENT_LAST = EXTENT_TOTAL };

// What the elements of an input are. To all but the ids and the random numbers, a number is added.
enum fill {
  FILL_IDS = 1,   // token ids
  FILL_CONSTANT,  // 0
  FILL_COUNT,     // the position, along the last axis
  FILL_PAST,      // the number of past positions
  FILL_TOTAL,     // the number of past and new positions
  FILL_AGAIN,     // 1 if there are past positions, otherwise 0
  FILL_RANDOM,    // small random numbers, the same in every run
  FILL_VALID,     // along the last axis, 1 for each position of FILL_TOTAL, then 0
  FILL_LAST = FILL_VALID
};

// How the present of a run becomes the past of the next one.
enum keep {
  KEEP_SHARED = 1,  // both are one buffer with room for all positions
  KEEP_SWAPPED,     // two buffers with such room, which change places
  KEEP_PASSED,      // the runtime allocates the present, which is the next past
  KEEP_COPIED,      // the same, in host memory, and the past is a copy of it
  KEEP_FIRST,       // the present of the run without past positions is the past of all later ones
  KEEP_LAST = KEEP_FIRST
};

struct decoder;

// decoder_new returns a decoder for a number of sequences, whose caches have room for capacity
// positions. The cache is allocated in the memory cache_memory, which is that of allocator; everything
// else is in host memory. on_device says that the two differ. It returns NULL if there is no memory.
struct decoder *decoder_new(int64_t batch, int64_t capacity, const OrtMemoryInfo *host, OrtAllocator *host_allocator,
                            const OrtMemoryInfo *cache_memory, OrtAllocator *allocator, int on_device);

// decoder_free releases a decoder and everything that it allocated. NULL is allowed.
void decoder_free(struct decoder *d);

// decoder_slot adds an input that changes from run to run. The size of axis i is numbers[i] plus what
// of[i] says. add is added to the elements.
OrtStatus *decoder_slot(struct decoder *d, const char *name, ONNXTensorElementDataType type, size_t element, enum fill fill,
                        int64_t add, const int64_t *numbers, const unsigned char *of, int rank);

// decoder_cache adds a cache. dims are the sizes of the past; that of axis, if it is not negative, is
// the number of past positions, but at most most, if that is above 0. The name of past or present is
// not NULL.
OrtStatus *decoder_cache(struct decoder *d, const char *past, const char *present, ONNXTensorElementDataType type,
                         size_t element, enum keep keep, const int64_t *dims, int rank, int axis, int64_t most);

// decoder_choose lets a session choose the tokens (choose.h). It comes after decoder_slot and before
// decoder_bind. The session has to be there as long as the decoder is.
OrtStatus *decoder_choose(struct decoder *d, OrtSession *session);

// decoder_bind creates what is bound once. feeds are the inputs that stay as they are.
OrtStatus *decoder_bind(struct decoder *d, OrtSession *session, const char *logits, size_t feeds,
                        const char *const *names, const OrtValue *const *values);

// decoder_restart goes to a state with the given number of past positions. If that is not 0, the
// caches contain small random numbers.
OrtStatus *decoder_restart(struct decoder *d, int64_t past);

// decoder_mark remembers the state, for decoder_steps to return to.
OrtStatus *decoder_mark(struct decoder *d);

// decoder_avoid replaces the list of tokens that are never chosen. There are at most MOST_AVOIDED.
void decoder_avoid(struct decoder *d, const int64_t *tokens, int count);

// One run: from the preparation of its inputs until its tokens are known, and the runtime's part, which
// includes the run of a chooser.
struct decode_time {
  int64_t whole, run;
};

// What runs returned. tokens and margins have one entry for each sequence of each run that chose
// tokens. They may be NULL.
struct decoded {
  int64_t *tokens;
  double *margins;  // by how much the best score is above the second; NaN if scores are not numbers, or not known
  struct decode_time *times;
  int64_t runs;     // set by the functions
};

// decoder_prompt runs a prompt of length ids for each sequence, in runs of at most chunk. The token
// that the last run chooses is the only one.
OrtStatus *decoder_prompt(struct decoder *d, OrtSession *session, const OrtRunOptions *options, const int64_t *ids,
                          int64_t length, int64_t chunk, const int *stop, struct decoded *out);

// decoder_prompts makes runs of a prompt until max have been made or limit_ns have passed, and at least
// once. Each begins at the mark. The state is afterwards as before, except that buffers for all positions
// contain what the last run wrote.
OrtStatus *decoder_prompts(struct decoder *d, OrtSession *session, const OrtRunOptions *options, const int64_t *ids,
                           int64_t length, int64_t max, int64_t limit_ns, const int *stop,
                           struct decoded *out);

// decoder_steps feeds the last token and chooses the next one, until max have been chosen or limit_ns
// have passed, and at least once. If wrap is above 0, it goes back to the mark whenever the caches
// contain that many positions.
OrtStatus *decoder_steps(struct decoder *d, OrtSession *session, const OrtRunOptions *options, int64_t max,
                         int64_t limit_ns, int64_t wrap, const int *stop, struct decoded *out);

// decoder_position returns the number of positions in the caches.
int64_t decoder_position(const struct decoder *d);

// decoder_marked returns the number of positions at the mark.
int64_t decoder_marked(const struct decoder *d);

// decoder_bytes returns the bytes of the buffers that the decoder allocated for caches.
int64_t decoder_bytes(const struct decoder *d);

#endif
