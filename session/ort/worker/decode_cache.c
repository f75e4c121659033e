#include "decode_state.h"

#include <stdlib.h>
#include <string.h>

#include "elements.h"

void cache_release_states(struct cache *c) {
  if (c->mark != c->now) release_value(&c->mark);
  c->mark = NULL;
  release_value(&c->now);
  release_value(&c->next);
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
OrtStatus *cache_buffer(struct decoder *d, struct cache *c, int k) {
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
  OrtStatus *status = cache_buffer(d, c, k);
  if (status || positions == 0 || c->filled[k]) return status;
  if (d->on_device) return refuse("a cache on a device cannot be filled: reach the depth with a prompt");
  int64_t dims[MOST_AXES];
  void *data;
  if ((status = ort_GetTensorMutableData(c->buffers[k], &data))) return status;
  scatter(data, cache_dims(c, d->capacity, dims), c->type);
  c->filled[k] = 1;
  return NULL;
}

OrtStatus *cache_restart(struct decoder *d, struct cache *c, int64_t past) {
  if (!c->past) return NULL;
  cache_release_states(c);
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

// A buffer that contains neither the past nor the mark.
static int spare(const struct cache *c) {
  int k = 0;
  while (k == c->now_in || k == c->mark_in) k++;
  return k;
}

OrtStatus *cache_bind(struct decoder *d, struct cache *c, int64_t fresh, int discard) {
  OrtStatus *status = NULL;
  if (c->keep == KEEP_SHARED) return NULL;
  if (c->past && (status = ort_BindInput(d->binding, c->past, c->now))) return status;
  if (!c->present) return NULL;
  if (c->keep == KEEP_COPIED) return ort_BindOutputToDevice(d->binding, c->present, d->host);
  if (c->keep != KEEP_SWAPPED || discard) return ort_BindOutputToDevice(d->binding, c->present, d->memory);
  c->next_in = spare(c);
  if ((status = cache_buffer(d, c, c->next_in)) || (status = view(d, c, c->next_in, d->position + fresh, &c->next))) return status;
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
OrtStatus *cache_advance(struct decoder *d, struct cache *c, OrtValue **value, int again) {
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
