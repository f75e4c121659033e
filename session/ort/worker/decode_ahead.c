// Bindings for the coming tokens.
//
// A mask is longer for each token, so that a value has to be created and bound. After a run of a large
// model neither the code for this nor its data are in the processor's caches, and it takes 10 µs. For
// several tokens at once it takes little more than for one. The binding of a token contains everything
// else, too, because the runtime binds an input only in this way.
//
// These bindings have values and scores of their own, so that a prompt between two tokens changes nothing.
#include "decode_state.h"

#include <stdlib.h>

// A growing input whose elements change would have to be written again for each token.
static int stays(const struct slot *s) { return !slot_grows(s) || s->fill == FILL_CONSTANT; }

int ahead_fits(const struct decoder *d) {
  int grows = 0;
  for (size_t i = 0; i < d->slot_count; i++) {
    if (!stays(&d->slots[i])) return 0;
    grows |= slot_grows(&d->slots[i]);
  }
  return grows && !d->moving && !d->on_device && !d->chooser;
}

int ahead_ready(const struct decoder *d, int64_t fresh) { return fresh == 1 && d->one.value; }

// Binds what is the same for all tokens.
static OrtStatus *bind_alike(struct decoder *d, const char *name, const OrtValue *value) {
  OrtStatus *status = NULL;
  for (int k = 0; k < AHEAD && !status; k++) status = ort_BindInput(d->ahead[k], name, value);
  return status;
}

// Takes the scores that the first run of one new position allocated, and binds them and the inputs that
// do not grow.
OrtStatus *ahead_begin(struct decoder *d) {
  OrtStatus *status = NULL;
  for (size_t i = 0; i < d->slot_count && !status; i++) {
    struct slot *s = &d->slots[i];
    int same;
    if (!slot_grows(s) && !(status = slot_fit(d, s, &s->one, 1, &same))) status = bind_alike(d, s->name, s->one.value);
  }
  for (int k = 0; k < AHEAD && !status; k++) status = ort_BindOutput(d->ahead[k], d->logits, d->scores.value);
  if (status) return status;
  d->one = d->scores;
  d->scores = (struct scores){0};
  return NULL;
}

// Binds inputs with the shapes of the coming positions.
static OrtStatus *bind_growing(struct decoder *d, struct slot *s, int64_t count) {
  for (int64_t k = count; k-- > 0;) {  // the largest first, which makes room for all
    release_value(&s->ahead[k]);
    OrtStatus *status = slot_value(d, s, &s->now, d->position + k, 1, &s->ahead[k]);
    if (!status) status = ort_BindInput(d->ahead[k], s->name, s->ahead[k]);
    if (status) return status;
  }
  return NULL;
}

static OrtStatus *prepare(struct decoder *d) {
  const int64_t left = d->capacity - d->position, count = left < AHEAD ? left : AHEAD;
  OrtStatus *status = NULL;
  for (size_t i = 0; i < d->slot_count && !status; i++) {
    if (slot_grows(&d->slots[i])) status = bind_growing(d, &d->slots[i], count);
  }
  d->ahead_from = d->position;
  d->ahead_count = status ? 0 : count;
  return status;
}

// The scores of a prompt of 512 tokens with 128,256 words each take 250 MB.
OrtStatus *ahead_release_prompt(struct decoder *d) {
  return d->one.value && d->scores.value ? bind_scores(d, 1) : NULL;
}

OrtStatus *ahead_bind(struct decoder *d, struct ids ids, OrtIoBinding **binding) {
  OrtStatus *status = ahead_release_prompt(d);
  if (!status && (d->position < d->ahead_from || d->position >= d->ahead_from + d->ahead_count)) status = prepare(d);
  if (status) return status;
  for (size_t i = 0; i < d->slot_count; i++) {
    struct slot *s = &d->slots[i];
    if (!slot_grows(s)) slot_write(d, s, &s->one, 1, ids);
  }
  *binding = d->ahead[d->position - d->ahead_from];
  return NULL;
}

void ahead_free(struct decoder *d) {
  for (int k = 0; k < AHEAD; k++) {
    ort_ReleaseIoBinding(d->ahead[k]);
    d->ahead[k] = NULL;
  }
  for (size_t i = 0; i < d->slot_count; i++) {
    struct slot *s = &d->slots[i];
    for (int k = 0; k < AHEAD; k++) release_value(&s->ahead[k]);
    release_value(&s->one.value);
    free(s->one.data);
    s->one = (struct filled){0};
  }
  release_value(&d->one.value);
}
