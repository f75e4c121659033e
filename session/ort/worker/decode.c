#include "decode_state.h"

#include <stdlib.h>
#include <string.h>

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

void decoder_free(struct decoder *d) {
  if (!d) return;
  ort_ReleaseIoBinding(d->binding);
  ahead_free(d);
  for (size_t i = 0; i < d->slot_count; i++) {
    ort_ReleaseValue(d->slots[i].now.value);
    free(d->slots[i].now.data);
    free(d->slots[i].name);
  }
  for (size_t i = 0; i < d->cache_count; i++) {
    struct cache *c = &d->caches[i];
    cache_release_states(c);
    for (int k = 0; k < 3; k++) ort_ReleaseValue(c->buffers[k]);
    free(c->past);
    free(c->present);
  }
  ort_ReleaseValue(d->scores.value);
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
  for (int i = 0; i < rank; i++) s->numbers[i] = numbers[i], s->of[i] = of[i];
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
  d->moving += keep != KEEP_SHARED;
  return (past && !c->past) || (present && !c->present) ? no_memory() : NULL;
}

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

// Creates a binding with what is bound once. feeds are the inputs that stay as they are.
static OrtStatus *bind_once(struct decoder *d, OrtSession *session, size_t feeds, const char *const *names,
                            const OrtValue *const *values, OrtIoBinding **out) {
  OrtStatus *status = ort_CreateIoBinding(session, out);
  if (status) return status;
  OrtIoBinding *binding = *out;
  // It is the first output, so that it is the first value when outputs are read.
  if ((status = ort_BindOutputToDevice(binding, d->logits, scores_memory(d)))) return status;
  for (size_t i = 0; i < feeds; i++) {
    if ((status = ort_BindInput(binding, names[i], values[i]))) return status;
  }
  for (size_t i = 0; i < d->cache_count; i++) {
    struct cache *c = &d->caches[i];
    if (c->keep != KEEP_SHARED) continue;
    if ((status = cache_buffer(d, c, 0)) || (status = ort_BindInput(binding, c->past, c->buffers[0])) ||
        (status = ort_BindOutput(binding, c->present, c->buffers[0])))
      return status;
  }
  return NULL;
}

OrtStatus *decoder_bind(struct decoder *d, OrtSession *session, const char *logits, size_t feeds,
                        const char *const *names, const OrtValue *const *values) {
  if (!(d->logits = copy_name(logits))) return no_memory();
  OrtStatus *status = bind_once(d, session, feeds, names, values, &d->binding);
  if (!ahead_fits(d)) return status;
  for (int k = 0; k < AHEAD && !status; k++) status = bind_once(d, session, feeds, names, values, &d->ahead[k]);
  return status;
}

OrtStatus *decoder_restart(struct decoder *d, int64_t past) {
  if (past < 0 || past > d->capacity) return refuse("the depth is not within the capacity");
  for (size_t i = 0; i < d->cache_count; i++) {
    OrtStatus *status = cache_restart(d, &d->caches[i], past);
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
