#include "decode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choose.h"
#include "scores.h"

struct slot {
  char *name;
  ONNXTensorElementDataType type;
  size_t element;
  enum fill fill;
  int64_t add;
  int rank;
  int64_t numbers[MOST_AXES];
  unsigned char of[MOST_AXES];
  void *data;
  int64_t room;  // elements of data
  int64_t dims[MOST_AXES];
  OrtValue *value;
};

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
  struct slot *slots;
  size_t slot_count;
  struct cache *caches;
  size_t cache_count;
  char *logits;
  struct chooser *chooser;  // NULL if tokens are chosen on the host
  int chosen;               // whether the chooser's ids are the last tokens
  OrtValue *scores;
  int64_t scored;     // the new positions of the run that allocated the scores
  int fresh;          // each run allocates the scores
  int64_t position, marked;
  int64_t *last, *last_mark;  // the tokens to be fed next
  double *margins;
  int64_t bytes;
  int64_t avoided[MOST_AVOIDED];
  int avoids;
};

static OrtStatus *refuse(const char *what) { return ort_CreateStatus(1, what); }

static OrtStatus *no_memory(void) { return refuse("no memory for decoding"); }

struct decoder *decoder_new(int64_t batch, int64_t capacity, const OrtMemoryInfo *host, OrtAllocator *host_allocator,
                            const OrtMemoryInfo *cache_memory, OrtAllocator *allocator, int on_device) {
  struct decoder *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  *d = (struct decoder){.batch = batch, .capacity = capacity, .host = host, .host_allocator = host_allocator,
                        .memory = cache_memory, .allocator = allocator, .on_device = on_device};
  d->last = calloc((size_t)batch, sizeof *d->last);
  d->last_mark = calloc((size_t)batch, sizeof *d->last_mark);
  d->margins = calloc((size_t)batch, sizeof *d->margins);
  if (d->last && d->last_mark && d->margins) return d;
  decoder_free(d);
  return NULL;
}

static void release_value(OrtValue **value) {
  ort_ReleaseValue(*value);
  *value = NULL;
}

static void release_states(struct cache *c) {
  if (c->mark != c->now) release_value(&c->mark);
  c->mark = NULL;
  release_value(&c->now);
  release_value(&c->next);
}

void decoder_free(struct decoder *d) {
  if (!d) return;
  ort_ReleaseIoBinding(d->binding);
  for (size_t i = 0; i < d->slot_count; i++) {
    ort_ReleaseValue(d->slots[i].value);
    free(d->slots[i].data);
    free(d->slots[i].name);
  }
  for (size_t i = 0; i < d->cache_count; i++) {
    struct cache *c = &d->caches[i];
    release_states(c);
    for (int k = 0; k < 3; k++) ort_ReleaseValue(c->buffers[k]);
    free(c->past);
    free(c->present);
  }
  ort_ReleaseValue(d->scores);
  chooser_free(d->chooser);
  free(d->slots);
  free(d->caches);
  free(d->logits);
  free(d->last);
  free(d->last_mark);
  free(d->margins);
  free(d);
}

int64_t decoder_position(const struct decoder *d) { return d->position; }

int64_t decoder_marked(const struct decoder *d) { return d->marked; }

int64_t decoder_bytes(const struct decoder *d) { return d->bytes; }

void decoder_avoid(struct decoder *d, const int64_t *tokens, int count) {
  d->avoids = count;
  for (int i = 0; i < count; i++) d->avoided[i] = tokens[i];
}

static char *copy_name(const char *name) { return name ? strdup(name) : NULL; }

OrtStatus *decoder_slot(struct decoder *d, const char *name, ONNXTensorElementDataType type, size_t element, enum fill fill,
                        int64_t add, const int64_t *numbers, const unsigned char *of, int rank) {
  struct slot *slots = realloc(d->slots, (d->slot_count + 1) * sizeof *slots);
  if (!slots) return no_memory();
  d->slots = slots;
  struct slot *s = &slots[d->slot_count];
  *s = (struct slot){.name = copy_name(name), .type = type, .element = element, .fill = fill, .add = add, .rank = rank};
  if (!s->name) return no_memory();
  for (int i = 0; i < rank; i++) s->numbers[i] = numbers[i], s->of[i] = of[i], s->dims[i] = -1;
  d->slot_count++;
  return NULL;
}

OrtStatus *decoder_cache(struct decoder *d, const char *past, const char *present, ONNXTensorElementDataType type,
                         size_t element, enum keep keep, const int64_t *dims, int rank, int axis, int64_t most) {
  struct cache *caches = realloc(d->caches, (d->cache_count + 1) * sizeof *caches);
  if (!caches) return no_memory();
  d->caches = caches;
  struct cache *c = &caches[d->cache_count++];
  *c = (struct cache){.past = copy_name(past), .present = copy_name(present), .type = type, .element = element,
                      .keep = keep, .rank = rank, .axis = axis, .most = most, .now_in = -1, .mark_in = -1};
  for (int i = 0; i < rank; i++) c->dims[i] = dims[i];
  return (past && !c->past) || (present && !c->present) ? no_memory() : NULL;
}

// The sizes of a cache with the given number of positions, and its bytes.
static size_t cache_dims(const struct cache *c, int64_t positions, int64_t *dims) {
  size_t bytes = c->element;
  for (int i = 0; i < c->rank; i++) {
    dims[i] = c->dims[i];
    if (i == c->axis) dims[i] = c->most > 0 && positions > c->most ? c->most : positions;
    bytes *= (size_t)dims[i];
  }
  return bytes;
}

// Creates a buffer of a cache if there is none yet.
static OrtStatus *buffer_of(struct decoder *d, struct cache *c, int k) {
  if (c->buffers[k]) return NULL;
  int64_t dims[MOST_AXES];
  const size_t bytes = cache_dims(c, d->capacity, dims);
  OrtStatus *status = ort_CreateTensorAsOrtValue(d->allocator, dims, (size_t)c->rank, c->type, &c->buffers[k]);
  if (status) return status;
  d->bytes += (int64_t)bytes;
  if (d->on_device) return NULL;
  void *data;
  if ((status = ort_GetTensorMutableData(c->buffers[k], &data))) return status;
  memset(data, 0, bytes);
  return NULL;
}

// A value in a buffer with the given number of positions.
static OrtStatus *view(struct decoder *d, struct cache *c, int k, int64_t positions, OrtValue **out) {
  int64_t dims[MOST_AXES];
  const size_t bytes = cache_dims(c, positions, dims);
  void *data;
  OrtStatus *status = ort_GetTensorMutableData(c->buffers[k], &data);
  if (status) return status;
  return ort_CreateTensorWithDataAsOrtValue(d->memory, data, bytes, dims, (size_t)c->rank, c->type, out);
}

// The memory that the scores are in.
static const OrtMemoryInfo *scores_memory(const struct decoder *d) { return d->chooser ? d->memory : d->host; }

OrtStatus *decoder_choose(struct decoder *d, OrtSession *session) {
  for (size_t i = 0; i < d->slot_count; i++) {
    const struct slot *s = &d->slots[i];
    if (s->fill != FILL_IDS) continue;
    int64_t dims[MOST_AXES];
    for (int k = 0; k < s->rank; k++) dims[k] = s->numbers[k] + (s->of[k] == EXTENT_NEW);
    return chooser_new(session, d->host, d->allocator, s->type, dims, (size_t)s->rank, d->batch, &d->chooser);
  }
  return refuse("no input takes token ids");
}

OrtStatus *decoder_bind(struct decoder *d, OrtSession *session, const char *logits, size_t feeds,
                        const char *const *names, const OrtValue *const *values) {
  OrtStatus *status = ort_CreateIoBinding(session, &d->binding);
  if (status) return status;
  if (!(d->logits = copy_name(logits))) return no_memory();
  // It is the first output, so that it is the first value when outputs are read.
  if ((status = ort_BindOutputToDevice(d->binding, d->logits, scores_memory(d)))) return status;
  for (size_t i = 0; i < feeds; i++) {
    if ((status = ort_BindInput(d->binding, names[i], values[i]))) return status;
  }
  for (size_t i = 0; i < d->cache_count; i++) {
    struct cache *c = &d->caches[i];
    if (c->keep != KEEP_SHARED) continue;
    if ((status = buffer_of(d, c, 0)) || (status = ort_BindInput(d->binding, c->past, c->buffers[0])) ||
        (status = ort_BindOutput(d->binding, c->present, c->buffers[0])))
      return status;
  }
  return NULL;
}

// Small random numbers, the same in every run of the program.
static void scatter(void *data, size_t bytes, ONNXTensorElementDataType type) {
  uint64_t state = 0x9E3779B97F4A7C15u;
  const size_t element = type_bytes(type);
  for (size_t i = 0; i < bytes / element; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    put_real(type, data, i, ((double)(state >> 40) / (double)(1 << 24) - 0.5) * 0.1);
  }
}

// A tensor in host memory with the given number of positions: small random numbers, or empty.
static OrtStatus *host_cache(struct decoder *d, struct cache *c, int64_t positions, OrtValue **out) {
  int64_t dims[MOST_AXES];
  const size_t bytes = cache_dims(c, positions, dims);
  OrtStatus *status = ort_CreateTensorAsOrtValue(d->host_allocator, dims, (size_t)c->rank, c->type, out);
  void *data;
  if (status || bytes == 0 || (status = ort_GetTensorMutableData(*out, &data))) return status;
  if (positions > 0) {
    scatter(data, bytes, c->type);
  } else {
    memset(data, 0, bytes);
  }
  return NULL;
}

static OrtStatus *fill_buffer(struct decoder *d, struct cache *c, int k, int64_t positions) {
  OrtStatus *status = buffer_of(d, c, k);
  if (status || positions == 0 || c->filled[k]) return status;
  if (d->on_device) return refuse("a cache on a device cannot be filled: reach the depth with a prompt");
  int64_t dims[MOST_AXES];
  void *data;
  if ((status = ort_GetTensorMutableData(c->buffers[k], &data))) return status;
  scatter(data, cache_dims(c, d->capacity, dims), c->type);
  c->filled[k] = 1;
  return NULL;
}

static OrtStatus *restart_cache(struct decoder *d, struct cache *c, int64_t past) {
  if (!c->past) return NULL;
  release_states(c);
  c->now_in = c->mark_in = -1;
  switch (c->keep) {
  case KEEP_SHARED:
    return fill_buffer(d, c, 0, past);
  case KEEP_SWAPPED: {
    OrtStatus *status = fill_buffer(d, c, 0, past);
    c->now_in = 0;
    return status ? status : view(d, c, 0, past, &c->now);
  }
  default:
    return host_cache(d, c, past, &c->now);
  }
}

OrtStatus *decoder_restart(struct decoder *d, int64_t past) {
  if (past < 0 || past > d->capacity) return refuse("the depth is not within the capacity");
  for (size_t i = 0; i < d->cache_count; i++) {
    OrtStatus *status = restart_cache(d, &d->caches[i], past);
    if (status) return status;
  }
  d->position = past;
  d->chosen = 0;
  memset(d->last, 0, (size_t)d->batch * sizeof *d->last);
  return decoder_mark(d);
}

OrtStatus *decoder_mark(struct decoder *d) {
  for (size_t i = 0; i < d->cache_count; i++) {
    struct cache *c = &d->caches[i];
    if (c->mark != c->now) release_value(&c->mark);
    c->mark = c->now;
    c->mark_in = c->now_in;
  }
  d->marked = d->position;
  memcpy(d->last_mark, d->last, (size_t)d->batch * sizeof *d->last);
  return NULL;
}

static void rewind_to_mark(struct decoder *d) {
  for (size_t i = 0; i < d->cache_count; i++) {
    struct cache *c = &d->caches[i];
    if (c->now != c->mark) release_value(&c->now);
    c->now = c->mark;
    c->now_in = c->mark_in;
  }
  d->position = d->marked;
  d->chosen = 0;
  memcpy(d->last, d->last_mark, (size_t)d->batch * sizeof *d->last);
}

// The ids of a run: those of sequence b begin at ids[b * stride].
struct ids {
  const int64_t *of;
  int64_t stride;
};

static void write_slot(struct decoder *d, struct slot *s, int64_t count, int64_t fresh, struct ids ids) {
  const int64_t past = d->position;
  switch (s->fill) {
  case FILL_IDS:
    for (int64_t b = 0; b < d->batch; b++)
      for (int64_t i = 0; i < fresh; i++) put_integer(s->type, s->data, b * fresh + i, ids.of[b * ids.stride + i]);
    return;
  case FILL_COUNT:
    for (int64_t i = 0; i < count; i++) put_integer(s->type, s->data, i, past + i % fresh + s->add);
    return;
  case FILL_CONSTANT:
    return;  // written with the buffer
  default: {
    const int64_t x = s->fill == FILL_PAST ? past : s->fill == FILL_TOTAL ? past + fresh : past > 0;
    for (int64_t i = 0; i < count; i++) put_integer(s->type, s->data, i, x + s->add);
  }
  }
}

// Makes room for the elements of a slot. Room for a constant is for all positions at once.
static OrtStatus *make_room(struct decoder *d, struct slot *s, int64_t count) {
  if (count <= s->room) return NULL;
  if (s->fill == FILL_CONSTANT && count < d->batch * d->capacity) count = d->batch * d->capacity;
  release_value(&s->value);
  free(s->data);
  s->room = 0;
  if (!(s->data = calloc((size_t)count, s->element))) return no_memory();
  s->room = count;
  for (int64_t i = 0; s->fill == FILL_CONSTANT && i < count; i++) put_integer(s->type, s->data, i, s->add);
  return NULL;
}

static OrtStatus *bind_slot(struct decoder *d, struct slot *s, int64_t fresh, struct ids ids) {
  int64_t dims[MOST_AXES], count = 1;
  for (int i = 0; i < s->rank; i++) {
    const int64_t more[] = {0, fresh, d->position, d->position + fresh};
    dims[i] = s->numbers[i] + more[s->of[i]];
    count *= dims[i];
  }
  if (s->fill == FILL_IDS && count != d->batch * fresh) return refuse("the shape of the token ids is not batch × new positions");
  if (s->fill == FILL_IDS && d->chosen && ids.of == d->last) {
    release_value(&s->value);  // so that ids from the host are bound again
    return ort_BindInput(d->binding, s->name, chooser_ids(d->chooser));
  }
  OrtStatus *status = make_room(d, s, count);
  if (status) return status;
  write_slot(d, s, count, fresh, ids);
  const int same = s->value && !memcmp(dims, s->dims, (size_t)s->rank * sizeof *dims);
  // Inputs are copied to a device when they are bound.
  if (same && (!d->on_device || s->fill == FILL_CONSTANT)) return NULL;
  if (!same) {
    release_value(&s->value);
    status = ort_CreateTensorWithDataAsOrtValue(d->host, s->data, (size_t)count * s->element, dims, (size_t)s->rank, s->type, &s->value);
    if (status) return status;
    memcpy(s->dims, dims, (size_t)s->rank * sizeof *dims);
  }
  return ort_BindInput(d->binding, s->name, s->value);
}

// A buffer that contains neither the past nor the mark.
static int spare(const struct cache *c) {
  int k = 0;
  while (k == c->now_in || k == c->mark_in) k++;
  return k;
}

static OrtStatus *bind_cache(struct decoder *d, struct cache *c, int64_t fresh, int discard) {
  OrtStatus *status = NULL;
  if (c->keep == KEEP_SHARED) return NULL;
  if (c->past && (status = ort_BindInput(d->binding, c->past, c->now))) return status;
  if (!c->present) return NULL;
  if (c->keep == KEEP_COPIED) return ort_BindOutputToDevice(d->binding, c->present, d->host);
  if (c->keep != KEEP_SWAPPED || discard) return ort_BindOutputToDevice(d->binding, c->present, d->memory);
  c->next_in = spare(c);
  if ((status = buffer_of(d, c, c->next_in)) || (status = view(d, c, c->next_in, d->position + fresh, &c->next))) return status;
  return ort_BindOutput(d->binding, c->present, c->next);
}

// A copy of a tensor in host memory. It takes the place of the original.
static OrtStatus *copy_value(struct decoder *d, OrtValue **value) {
  struct shape s;
  OrtStatus *status = shape_of(*value, &s);
  if (status) return status;
  OrtValue *copy = NULL;
  void *from, *to;
  if ((status = ort_CreateTensorAsOrtValue(d->host_allocator, s.dims, s.rank, s.type, &copy))) return status;
  size_t bytes;
  if ((status = ort_GetTensorSizeInBytes(*value, &bytes)) || (bytes && ((status = ort_GetTensorMutableData(*value, &from)) ||
                                                                       (status = ort_GetTensorMutableData(copy, &to))))) {
    ort_ReleaseValue(copy);
    return status;
  }
  if (bytes) memcpy(to, from, bytes);
  ort_ReleaseValue(*value);
  *value = copy;
  return NULL;
}

// Takes the present of a run as the past of the next one. value is what the runtime returned, or NULL.
static OrtStatus *advance(struct decoder *d, struct cache *c, OrtValue **value, int again) {
  OrtValue *next = NULL;
  switch (c->keep) {
  case KEEP_SHARED:
    return NULL;
  case KEEP_SWAPPED:
    next = c->next;
    c->next = NULL;
    break;
  case KEEP_FIRST:
    if (again) return NULL;
    break;
  case KEEP_COPIED: {
    OrtStatus *status = copy_value(d, value);
    if (status) return status;
  }
  default:
    break;
  }
  if (!next) {
    next = *value;
    *value = NULL;
  }
  if (c->now != c->mark) release_value(&c->now);
  c->now = next;
  c->now_in = c->keep == KEEP_SWAPPED ? c->next_in : -1;
  return NULL;
}

// Whether the values that the runtime allocated have to be read after a run.
static int reads_outputs(const struct decoder *d) {
  if (!d->scores) return 1;
  for (size_t i = 0; i < d->cache_count; i++) {
    const struct cache *c = &d->caches[i];
    if (c->present && c->keep != KEEP_SHARED && c->keep != KEEP_SWAPPED) return 1;
  }
  return 0;
}

static OrtStatus *take_outputs(struct decoder *d, int discard) {
  const int again = d->position > 0;
  OrtValue **values = NULL;
  size_t count = 0;
  OrtStatus *status = NULL;
  if (reads_outputs(d) && (status = ort_GetBoundOutputValues(d->binding, d->host_allocator, &values, &count))) return status;
  if (!d->scores && count > 0) {
    d->scores = values[0];
    values[0] = NULL;
  }
  // The outputs are in the order in which they were bound: the scores, shared caches, the others.
  size_t at = 1;
  for (int shared = 1; shared >= 0; shared--) {
    for (size_t i = 0; i < d->cache_count && !status; i++) {
      struct cache *c = &d->caches[i];
      if (!c->present || (c->keep == KEEP_SHARED) != shared) continue;
      if (c->keep != KEEP_SWAPPED && !shared && at >= count) {
        status = refuse("the runtime returned too few outputs");
      } else if (!discard && c->past) {
        status = advance(d, c, at < count ? &values[at] : NULL, again);
      }
      at++;
    }
  }
  for (size_t i = 0; i < count; i++) ort_ReleaseValue(values[i]);
  if (values) {
    OrtStatus *freed = ort_AllocatorFree(d->host_allocator, values);
    if (!status) status = freed; else if (freed) ort_ReleaseStatus(freed);
  }
  return status;
}

static OrtStatus *bind_scores(struct decoder *d, int64_t fresh) {
  if (d->scores && d->scored == fresh && !d->fresh) return NULL;
  release_value(&d->scores);
  d->scored = fresh;
  return ort_BindOutputToDevice(d->binding, d->logits, scores_memory(d));
}

// ONNX Runtime refuses to write to the outputs of an earlier run if their sizes are not those that the
// model declares.
static OrtStatus *run_decoder(struct decoder *d, OrtSession *session, const OrtRunOptions *options, int64_t fresh) {
  const int reused = d->scores != NULL;
  OrtStatus *status = ort_RunWithBinding(session, options, d->binding);
  if (!status || !reused) return status;
  d->fresh = 1;
  OrtStatus *again = bind_scores(d, fresh);
  if (!again) again = ort_RunWithBinding(session, options, d->binding);
  if (again) {
    d->fresh = 0;
    ort_ReleaseStatus(again);
    return status;
  }
  ort_ReleaseStatus(status);
  return NULL;
}

static OrtStatus *choose_on_device(struct decoder *d, const OrtRunOptions *options, int64_t *tokens, int64_t *run_ns) {
  if (d->avoids) return refuse("tokens to avoid are not possible if tokens are chosen on a device");
  const int64_t start = now_ns();
  OrtStatus *status = chooser_run(d->chooser, options, d->scores, tokens);
  *run_ns += now_ns() - start;
  for (int64_t b = 0; b < d->batch; b++) d->margins[b] = NAN;
  d->chosen = !status && tokens == d->last;
  return status;
}

// Adds to run_ns the time that the runtime needs for it.
static OrtStatus *choose_tokens(struct decoder *d, const OrtRunOptions *options, int64_t *tokens, int64_t *run_ns) {
  if (d->chooser) return choose_on_device(d, options, tokens, run_ns);
  struct shape s;
  OrtStatus *status = shape_of(d->scores, &s);
  const void *data;
  if (status) return status;
  if (s.elements == 0) return refuse("the scores of the next token are empty");
  if ((status = ort_GetTensorMutableData(d->scores, (void **)&data))) return status;
  const int64_t words = s.rank > 0 ? s.dims[s.rank - 1] : 1, rows = s.elements / words;
  if (rows % d->batch) return refuse("the scores of the next token do not have a row for each sequence");
  for (int64_t b = 0; b < d->batch; b++) {
    const int64_t row = (b + 1) * (rows / d->batch) - 1;
    const struct best best = best_score(s.type, data, row * words, words, d->avoided, d->avoids);
    if (best.at < 0) return refuse("scores of this element type cannot be compared");
    tokens[b] = best.at;
    d->margins[b] = best.margin;
  }
  return NULL;
}

// Makes one run with new positions. tokens receives what it chooses.
static OrtStatus *run_once(struct decoder *d, OrtSession *session, const OrtRunOptions *options, int64_t fresh,
                           struct ids ids, int discard, int chooses, int64_t *tokens, int64_t *run_ns) {
  if (d->position + fresh > d->capacity) return refuse("the caches have no room for more positions");
  OrtStatus *status = NULL;
  for (size_t i = 0; i < d->slot_count && !status; i++) status = bind_slot(d, &d->slots[i], fresh, ids);
  for (size_t i = 0; i < d->cache_count && !status; i++) status = bind_cache(d, &d->caches[i], fresh, discard);
  if (!status) status = bind_scores(d, fresh);
  if (status) return status;
  const int64_t start = now_ns();
  status = run_decoder(d, session, options, fresh);
  *run_ns = now_ns() - start;
  if (!status) status = take_outputs(d, discard);
  for (size_t i = 0; i < d->cache_count; i++) release_value(&d->caches[i].next);
  if (status) return status;
  if (!discard) d->position += fresh;
  return chooses ? choose_tokens(d, options, tokens, run_ns) : NULL;
}

static void note_tokens(struct decoder *d, struct decoded *out, int64_t at, const int64_t *tokens) {
  if (out->tokens) memcpy(out->tokens + at * d->batch, tokens, (size_t)d->batch * sizeof *tokens);
  if (out->margins) memcpy(out->margins + at * d->batch, d->margins, (size_t)d->batch * sizeof *d->margins);
}

static int is_set(const int *stop) { return __atomic_load_n(stop, __ATOMIC_RELAXED); }

OrtStatus *decoder_prompt(struct decoder *d, OrtSession *session, const OrtRunOptions *options, const int64_t *ids,
                          int64_t length, int64_t chunk, const int *stop, struct decoded *out) {
  out->runs = 0;
  for (int64_t done = 0; done < length && !is_set(stop);) {
    const int64_t left = length - done, fresh = left < chunk ? left : chunk, start = now_ns();
    struct decode_time *t = &out->times[out->runs];
    OrtStatus *status = run_once(d, session, options, fresh, (struct ids){ids + done, length}, 0, fresh == left, d->last, &t->run);
    if (status) return status;
    t->whole = now_ns() - start;
    out->runs++;
    done += fresh;
  }
  if (is_set(stop)) return refuse("stopped");
  note_tokens(d, out, 0, d->last);
  return NULL;
}

// Goes to the mark for a while, and keeps the state.
static int64_t set_aside(struct decoder *d) {
  for (size_t i = 0; i < d->cache_count; i++) {
    struct cache *c = &d->caches[i];
    c->aside = c->now;
    c->aside_in = c->now_in;
    c->now = c->mark;
    c->now_in = c->mark_in;
  }
  const int64_t position = d->position;
  d->position = d->marked;
  return position;
}

static void take_back(struct decoder *d, int64_t position) {
  for (size_t i = 0; i < d->cache_count; i++) {
    struct cache *c = &d->caches[i];
    c->now = c->aside;
    c->now_in = c->aside_in;
    c->aside = NULL;
  }
  d->position = position;
}

static OrtStatus *repeat_prompt(struct decoder *d, OrtSession *session, const OrtRunOptions *options, struct ids ids,
                                int64_t max, int64_t limit_ns, const int *stop, struct decoded *out) {
  const int64_t begin = now_ns();
  int64_t tokens[d->batch];
  for (out->runs = 0; out->runs < max && !is_set(stop) && (out->runs == 0 || now_ns() - begin < limit_ns); out->runs++) {
    struct decode_time *t = &out->times[out->runs];
    const int64_t start = now_ns();
    OrtStatus *status = run_once(d, session, options, ids.stride, ids, 1, 1, tokens, &t->run);
    if (status) return status;
    t->whole = now_ns() - start;
    note_tokens(d, out, out->runs, tokens);
  }
  return is_set(stop) ? refuse("stopped") : NULL;
}

OrtStatus *decoder_prompts(struct decoder *d, OrtSession *session, const OrtRunOptions *options, const int64_t *ids,
                           int64_t length, int64_t max, int64_t limit_ns, const int *stop, struct decoded *out) {
  const int64_t position = set_aside(d);
  OrtStatus *status = repeat_prompt(d, session, options, (struct ids){ids, length}, max, limit_ns, stop, out);
  take_back(d, position);
  return status;
}

OrtStatus *decoder_steps(struct decoder *d, OrtSession *session, const OrtRunOptions *options, int64_t max,
                         int64_t limit_ns, int64_t wrap, const int *stop, struct decoded *out) {
  const int64_t begin = now_ns();
  for (out->runs = 0; out->runs < max && !is_set(stop) && (out->runs == 0 || now_ns() - begin < limit_ns); out->runs++) {
    struct decode_time *t = &out->times[out->runs];
    const int64_t start = now_ns();
    if (wrap > 0 && d->position >= wrap) rewind_to_mark(d);
    OrtStatus *status = run_once(d, session, options, 1, (struct ids){d->last, 1}, 0, 1, d->last, &t->run);
    if (status) return status;
    t->whole = now_ns() - start;
    note_tokens(d, out, out->runs, d->last);
  }
  return is_set(stop) ? refuse("stopped") : NULL;
}
