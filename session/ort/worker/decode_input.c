#include "decode_state.h"

#include <stdlib.h>
#include <string.h>

#include "elements.h"

// The number of elements of a shape.
static int64_t elements(const int64_t *dims, int rank) {
  int64_t count = 1;
  for (int i = 0; i < rank; i++) count *= dims[i];
  return count;
}

void slot_write(struct decoder *d, const struct slot *s, struct filled *f, int64_t fresh, struct ids ids) {
  const int64_t past = d->position, count = elements(f->dims, s->rank);
  switch (s->fill) {
  case FILL_IDS:
    for (int64_t b = 0; b < d->batch; b++)
      for (int64_t i = 0; i < fresh; i++) put_integer(s->type, f->data, b * fresh + i, ids.of[b * ids.stride + i]);
    return;
  case FILL_COUNT:
    for (int64_t i = 0; i < count; i++) put_integer(s->type, f->data, i, past + i % fresh + s->add);
    return;
  case FILL_VALID:
    for (int64_t i = 0; i < count; i++) put_integer(s->type, f->data, i, (i % f->dims[s->rank - 1] < past + fresh) + s->add);
    return;
  case FILL_CONSTANT:
  case FILL_RANDOM:
    return;  // written with the buffer
  default: {
    const int64_t x = s->fill == FILL_PAST ? past : s->fill == FILL_TOTAL ? past + fresh : past > 0;
    for (int64_t i = 0; i < count; i++) put_integer(s->type, f->data, i, x + s->add);
  }
  }
}

// Reports whether the elements of a slot are the same in every run.
static int constant(const struct slot *s) { return s->fill == FILL_CONSTANT || s->fill == FILL_RANDOM; }

// Makes room for the elements of a slot. Room for a constant is for all positions at once.
static OrtStatus *make_room(struct decoder *d, const struct slot *s, struct filled *f, int64_t count) {
  if (count <= f->room) return NULL;
  if (s->fill == FILL_CONSTANT && count < d->batch * d->capacity) count = d->batch * d->capacity;
  release_value(&f->value);
  free(f->data);
  f->room = 0;
  d->ahead_count = 0;  // values in this memory are of no use any more
  if (!(f->data = calloc((size_t)count, s->element))) return no_memory();
  f->room = count;
  for (int64_t i = 0; s->fill == FILL_CONSTANT && i < count; i++) put_integer(s->type, f->data, i, s->add);
  if (s->fill == FILL_RANDOM) scatter(f->data, (size_t)count * s->element, s->type);
  return NULL;
}

int slot_grows(const struct slot *s) {
  for (int i = 0; i < s->rank; i++) {
    if (s->of[i] == EXTENT_PAST || s->of[i] == EXTENT_TOTAL) return 1;
  }
  return 0;
}

static void slot_dims(const struct slot *s, int64_t past, int64_t fresh, int64_t *dims) {
  const int64_t more[] = {0, fresh, past, past + fresh};
  for (int i = 0; i < s->rank; i++) dims[i] = s->numbers[i] + more[s->of[i]];
}

OrtStatus *slot_value(struct decoder *d, struct slot *s, struct filled *f, int64_t past, int64_t fresh, OrtValue **out) {
  int64_t dims[MOST_AXES];
  slot_dims(s, past, fresh, dims);
  const int64_t count = elements(dims, s->rank);
  OrtStatus *status = make_room(d, s, f, count);
  if (status) return status;
  return ort_CreateTensorWithDataAsOrtValue(d->host, f->data, (size_t)count * s->element, dims, (size_t)s->rank, s->type, out);
}

// The shape of an input in the next run.
static OrtStatus *next_dims(struct decoder *d, const struct slot *s, int64_t fresh, int64_t *dims) {
  slot_dims(s, d->position, fresh, dims);
  if (s->fill != FILL_IDS || elements(dims, s->rank) == d->batch * fresh) return NULL;
  return refuse("the shape of the token ids is not batch × new positions");
}

OrtStatus *slot_fit(struct decoder *d, struct slot *s, struct filled *f, int64_t fresh, int *same) {
  int64_t dims[MOST_AXES];
  OrtStatus *status = next_dims(d, s, fresh, dims);
  if (status) return status;
  *same = f->value && !memcmp(dims, f->dims, (size_t)s->rank * sizeof *dims);
  if (*same) return NULL;
  release_value(&f->value);
  memcpy(f->dims, dims, (size_t)s->rank * sizeof *dims);
  return slot_value(d, s, f, d->position, fresh, &f->value);
}

OrtStatus *slot_bind(struct decoder *d, struct slot *s, int64_t fresh, struct ids ids) {
  if (s->fill == FILL_IDS && d->chosen && ids.of == d->last) {
    int64_t dims[MOST_AXES];
    OrtStatus *status = next_dims(d, s, fresh, dims);
    release_value(&s->now.value);  // so that ids from the host are bound again
    return status ? status : ort_BindInput(d->binding, s->name, chooser_ids(d->chooser));
  }
  int same;
  OrtStatus *status = slot_fit(d, s, &s->now, fresh, &same);
  if (status) return status;
  slot_write(d, s, &s->now, fresh, ids);
  // Inputs are copied to a device when they are bound.
  if (same && (!d->on_device || constant(s))) return NULL;
  return ort_BindInput(d->binding, s->name, s->now.value);
}
