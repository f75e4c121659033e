// Bindings for the coming tokens.
//
// A mask is longer for each token, so that a value has to be created and bound. After a run of a large
// model neither the code for this nor its data are in the processor's caches, and it takes 10 µs. For
// several tokens at once it takes little more than for one. The binding of a token contains everything
// else, too, because the runtime binds an input only in this way.
#include "decode_state.h"

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

// The first run of one position allocates the scores, the second one shows whether the runtime writes to
// them again, and neither can be prepared.
int ahead_ready(const struct decoder *d, int64_t fresh) { return fresh == 1 && d->ahead[0] && d->alike > 1 && !d->fresh; }

// Binds what is the same for all tokens.
static OrtStatus *bind_alike(struct decoder *d) {
  OrtStatus *status = NULL;
  for (int k = 0; k < AHEAD && !status; k++) {
    for (size_t i = 0; i < d->slot_count && !status; i++) {
      const struct slot *s = &d->slots[i];
      if (!slot_grows(s)) status = ort_BindInput(d->ahead[k], s->name, s->value);
    }
    if (!status) status = ort_BindOutput(d->ahead[k], d->logits, d->scores);
  }
  return status;
}

// Binds what is different for each token: inputs with the shapes of the coming positions.
static OrtStatus *bind_growing(struct decoder *d, struct slot *s, int64_t count) {
  for (int64_t k = count; k-- > 0;) {  // the largest first, which makes room for all
    release_value(&s->ahead[k]);
    OrtStatus *status = slot_value(d, s, d->position + k, 1, &s->ahead[k]);
    if (!status) status = ort_BindInput(d->ahead[k], s->name, s->ahead[k]);
    if (status) return status;
  }
  return NULL;
}

static OrtStatus *prepare(struct decoder *d) {
  OrtStatus *status = d->ahead_count ? NULL : bind_alike(d);
  const int64_t left = d->capacity - d->position, count = left < AHEAD ? left : AHEAD;
  d->ahead_count = 0;
  for (size_t i = 0; i < d->slot_count && !status; i++) {
    if (slot_grows(&d->slots[i])) status = bind_growing(d, &d->slots[i], count);
  }
  if (status) return status;
  d->ahead_from = d->position;
  d->ahead_count = count;
  return NULL;
}

OrtStatus *ahead_bind(struct decoder *d, struct ids ids, OrtIoBinding **binding) {
  if (d->position < d->ahead_from || d->position >= d->ahead_from + d->ahead_count) {
    OrtStatus *status = prepare(d);
    if (status) return status;
  }
  for (size_t i = 0; i < d->slot_count; i++) {
    if (!slot_grows(&d->slots[i])) slot_write(d, &d->slots[i], 1, ids);
  }
  *binding = d->ahead[d->position - d->ahead_from];
  return NULL;
}
