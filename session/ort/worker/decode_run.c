#include "decode_state.h"

#include <math.h>
#include <string.h>

#include "best.h"

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

// Whether the values that the runtime allocated have to be read after a run.
static int reads_outputs(const struct decoder *d) {
  if (!d->scores.value) return 1;
  for (size_t i = 0; i < d->cache_count; i++) {
    const struct cache *c = &d->caches[i];
    if (c->present && c->keep != KEEP_SHARED && c->keep != KEEP_SWAPPED) return 1;
  }
  return 0;
}

static OrtStatus *take_outputs(struct decoder *d, int discard) {
  if (d->scores.value && !d->moving) return NULL;
  const int again = d->position > 0;
  OrtValue **values = NULL;
  size_t count = 0;
  OrtStatus *status = NULL;
  if (reads_outputs(d) && (status = ort_GetBoundOutputValues(d->binding, d->host_allocator, &values, &count))) return status;
  if (!d->scores.value && count > 0) {
    d->scores = (struct scores){.value = values[0]};
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
        status = cache_advance(d, c, at < count ? &values[at] : NULL, again);
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

OrtStatus *bind_scores(struct decoder *d, int64_t fresh) {
  if (d->scores.value && d->scored == fresh && !d->fresh) return NULL;
  release_value(&d->scores.value);
  d->scored = fresh;
  return ort_BindOutputToDevice(d->binding, d->logits, scores_memory(d));
}

// ONNX Runtime refuses to write to the outputs of an earlier run if their sizes are not those that the
// model declares.
static OrtStatus *run_decoder(struct decoder *d, OrtSession *session, const OrtRunOptions *options, int64_t fresh) {
  const int reused = d->scores.value != NULL;
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
  OrtStatus *status = chooser_run(d->chooser, options, d->scores.value, tokens);
  *run_ns += now_ns() - start;
  for (int64_t b = 0; b < d->batch; b++) d->margins[b] = NAN;
  d->chosen = !status && tokens == d->last;
  return status;
}

// Reads where scores are. They stay there until the runtime allocates others.
static OrtStatus *look_at_scores(struct scores *s) {
  if (s->data) return NULL;
  OrtStatus *status = shape_of(s->value, &s->shape);
  if (status) return status;
  if (s->shape.elements == 0) return refuse("the scores of the next token are empty");
  return ort_GetTensorMutableData(s->value, (void **)&s->data);
}

static OrtStatus *choose_tokens(struct decoder *d, struct scores *scores, int64_t *tokens) {
  OrtStatus *status = look_at_scores(scores);
  if (status) return status;
  const struct shape s = scores->shape;
  const int64_t words = s.rank > 0 ? s.dims[s.rank - 1] : 1, rows = s.elements / words;
  if (rows % d->batch) return refuse("the scores of the next token do not have a row for each sequence");
  for (int64_t b = 0; b < d->batch; b++) {
    const int64_t row = (b + 1) * (rows / d->batch) - 1;
    const struct best best = best_score(s.type, scores->data, row * words, words, d->avoided, d->avoids);
    if (best.at < 0) return refuse("scores of this element type cannot be compared");
    tokens[b] = best.at;
    d->margins[b] = best.margin;
  }
  return NULL;
}

// Writes and binds what a run with new positions needs.
static OrtStatus *bind_run(struct decoder *d, int64_t fresh, struct ids ids, int discard) {
  OrtStatus *status = NULL;
  for (size_t i = 0; i < d->slot_count && !status; i++) status = slot_bind(d, &d->slots[i], fresh, ids);
  for (size_t i = 0; d->moving && i < d->cache_count && !status; i++) status = cache_bind(d, &d->caches[i], fresh, discard);
  return status ? status : bind_scores(d, fresh);
}

// Makes a run with the ordinary binding.
static OrtStatus *run_bound(struct decoder *d, OrtSession *session, const OrtRunOptions *options, int64_t fresh,
                            struct ids ids, int discard, int64_t *run_ns) {
  OrtStatus *status = bind_run(d, fresh, ids, discard);
  if (status) return status;
  const int64_t start = now_ns();
  status = run_decoder(d, session, options, fresh);
  *run_ns = now_ns() - start;
  if (!status) status = take_outputs(d, discard);
  for (size_t i = 0; d->moving && i < d->cache_count; i++) release_value(&d->caches[i].next);
  return status;
}

// Makes a run with a prepared binding.
static OrtStatus *run_ahead(struct decoder *d, OrtSession *session, const OrtRunOptions *options, struct ids ids, int64_t *run_ns) {
  OrtIoBinding *binding = NULL;
  OrtStatus *status = ahead_bind(d, ids, &binding);
  if (status) return status;
  const int64_t start = now_ns();
  status = ort_RunWithBinding(session, options, binding);
  *run_ns = now_ns() - start;
  if (!status) d->ahead_works = 1;
  return status;
}

// Makes one run with new positions. tokens receives what it chooses. run_ns includes what the runtime
// needs to choose it.
static OrtStatus *run_once(struct decoder *d, OrtSession *session, const OrtRunOptions *options, int64_t fresh,
                           struct ids ids, int discard, int chooses, int64_t *tokens, int64_t *run_ns) {
  if (d->position + fresh > d->capacity) return refuse("the caches have no room for more positions");
  int ahead = ahead_ready(d, fresh);
  OrtStatus *status = ahead ? run_ahead(d, session, options, ids, run_ns) : run_bound(d, session, options, fresh, ids, discard, run_ns);
  if (status && ahead && !d->ahead_works) {  // perhaps the runtime refuses to write to these scores
    ort_ReleaseStatus(status);
    ahead_free(d);
    ahead = 0;
    status = run_bound(d, session, options, fresh, ids, discard, run_ns);
  }
  if (status) return status;
  if (!discard) d->position += fresh;
  if (chooses && d->chooser) return choose_on_device(d, options, tokens, run_ns);
  if (chooses) status = choose_tokens(d, ahead ? &d->one : &d->scores, tokens);
  return status || fresh != 1 || ahead || !d->ahead[0] ? status : ahead_begin(d);
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
  // These prompts are beside what is generated, so its next token is not charged for their scores.
  return status ? status : ahead_release_prompt(d);
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
