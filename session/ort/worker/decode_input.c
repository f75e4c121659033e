#include "decode_state.h"

#include <stdlib.h>
#include <string.h>

#include "elements.h"

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
  case FILL_VALID:
    for (int64_t i = 0; i < count; i++) put_integer(s->type, s->data, i, (i % s->dims[s->rank - 1] < past + fresh) + s->add);
    return;
  case FILL_CONSTANT:
  case FILL_RANDOM:
    return;  // written with the buffer
  default: {
    const int64_t x = s->fill == FILL_PAST ? past : s->fill == FILL_TOTAL ? past + fresh : past > 0;
    for (int64_t i = 0; i < count; i++) put_integer(s->type, s->data, i, x + s->add);
  }
  }
}

// Reports whether the elements of a slot are the same in every run.
static int constant(const struct slot *s) { return s->fill == FILL_CONSTANT || s->fill == FILL_RANDOM; }

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
  if (s->fill == FILL_RANDOM) scatter(s->data, (size_t)count * s->element, s->type);
  return NULL;
}

OrtStatus *slot_bind(struct decoder *d, struct slot *s, int64_t fresh, struct ids ids) {
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
  if (same && (!d->on_device || constant(s))) return NULL;
  if (!same) {
    release_value(&s->value);
    status = ort_CreateTensorWithDataAsOrtValue(d->host, s->data, (size_t)count * s->element, dims, (size_t)s->rank, s->type, &s->value);
    if (status) return status;
    memcpy(s->dims, dims, (size_t)s->rank * sizeof *dims);
  }
  return ort_BindInput(d->binding, s->name, s->value);
}
