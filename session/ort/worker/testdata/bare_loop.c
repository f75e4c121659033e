// The shortest honest measurement: a session, its inputs and outputs bound, and a
// loop around RunWithBinding with the clock read once a run.
//
//   bare_loop LIBRARY MODEL RUNS      prints the median of the runs in nanoseconds
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "onnxruntime_c_api.h"

#define TRY(call)                                                     \
  do {                                                                \
    OrtStatus *status = (call);                                       \
    if (status) {                                                     \
      fprintf(stderr, "%s\n", api->GetErrorMessage(status));          \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int compare(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  void *library = dlopen(argv[1], RTLD_LAZY);
  if (!library) return 3;
  const OrtApi *api = ((const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase"))()->GetApi(24);
  const int runs = atoi(argv[3]);
  OrtEnv *env;
  OrtSessionOptions *options;
  OrtSession *session;
  OrtMemoryInfo *memory;
  OrtIoBinding *binding;
  OrtRunOptions *run;
  OrtValue *in;
  float x = 1;
  const int64_t shape[] = {1};
  TRY(api->CreateEnv(ORT_LOGGING_LEVEL_WARNING, "bare", &env));
  TRY(api->CreateSessionOptions(&options));
  TRY(api->SetIntraOpNumThreads(options, 1));
  TRY(api->CreateSession(env, argv[2], options, &session));
  TRY(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
  TRY(api->CreateTensorWithDataAsOrtValue(memory, &x, sizeof x, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, &in));
  TRY(api->CreateIoBinding(session, &binding));
  TRY(api->BindInput(binding, "x", in));
  TRY(api->BindOutputToDevice(binding, "y", memory));
  TRY(api->CreateRunOptions(&run));
  int64_t *samples = malloc(sizeof *samples * (size_t)runs);
  for (int round = 0; round < 2; round++) { // the first is the warm-up
    int64_t before = now();
    for (int i = 0; i < runs; i++) {
      TRY(api->RunWithBinding(session, run, binding));
      const int64_t after = now();
      samples[i] = after - before;
      before = after;
    }
  }
  qsort(samples, (size_t)runs, sizeof *samples, compare);
  printf("%lld\n", (long long)samples[runs / 2]);
  return 0;
}
