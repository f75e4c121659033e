#include "choose.h"

#include <stdlib.h>

struct chooser {
  OrtSession *session;
  OrtIoBinding *binding;
  OrtValue *ids, *shown;
  int32_t *tokens;  // the memory of shown
  int64_t batch;
};

static const ONNXTensorElementDataType int32_type = 6;

static OrtStatus *bind(struct chooser *c, const OrtMemoryInfo *host, OrtAllocator *allocator,
                       ONNXTensorElementDataType type, const int64_t *dims, size_t rank) {
  OrtStatus *status = ort_CreateIoBinding(c->session, &c->binding);
  if (status) return status;
  const size_t bytes = (size_t)c->batch * sizeof *c->tokens;
  if ((status = ort_CreateTensorWithDataAsOrtValue(host, c->tokens, bytes, dims, rank, int32_type, &c->shown))) return status;
  if ((status = ort_CreateTensorAsOrtValue(allocator, dims, rank, type, &c->ids))) return status;
  if ((status = ort_BindOutput(c->binding, CHOOSER_TOKENS, c->shown))) return status;
  return ort_BindOutput(c->binding, CHOOSER_IDS, c->ids);
}

OrtStatus *chooser_new(OrtSession *session, const OrtMemoryInfo *host, OrtAllocator *allocator,
                       ONNXTensorElementDataType type, const int64_t *dims, size_t rank, int64_t batch, struct chooser **out) {
  struct chooser *c = calloc(1, sizeof *c);
  if (c) c->tokens = calloc((size_t)batch, sizeof *c->tokens);
  if (!c || !c->tokens) {
    free(c);
    return ort_CreateStatus(1, "no memory for choosing tokens");
  }
  c->session = session;
  c->batch = batch;
  OrtStatus *status = bind(c, host, allocator, type, dims, rank);
  if (status) {
    chooser_free(c);
    return status;
  }
  *out = c;
  return NULL;
}

void chooser_free(struct chooser *c) {
  if (!c) return;
  ort_ReleaseIoBinding(c->binding);
  ort_ReleaseValue(c->ids);
  ort_ReleaseValue(c->shown);
  free(c->tokens);
  free(c);
}

OrtStatus *chooser_run(struct chooser *c, const OrtRunOptions *options, const OrtValue *scores, int64_t *tokens) {
  OrtStatus *status = ort_BindInput(c->binding, CHOOSER_SCORES, scores);
  if (!status) status = ort_RunWithBinding(c->session, options, c->binding);
  for (int64_t b = 0; !status && b < c->batch; b++) tokens[b] = c->tokens[b];
  return status;
}

const OrtValue *chooser_ids(const struct chooser *c) { return c->ids; }
