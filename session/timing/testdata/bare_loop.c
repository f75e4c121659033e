// The shortest honest measurement: a session, its inputs and outputs bound, and a
// loop around RunWithBinding with the clock read once a run.
//
//   bare_loop LIBRARY MODEL THREADS SIZE    every free dimension has this size
//
// For each line "RUNS NANOSECONDS PLACE" that comes in, it makes so many runs, or as many
// as end in that time and one more, beginning on the PLACE-th processor, counted around,
// and writes a line with the nanoseconds of each.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

enum { MAX_RUNS = 1 << 20, MAX_RANK = 16 };

static const OrtApi *api;
static OrtAllocator *allocator;
static OrtMemoryInfo *memory;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// One half, or one, everywhere.
static void fill(OrtValue *value, ONNXTensorElementDataType type) {
  void *data;
  size_t bytes;
  TRY(api->GetTensorMutableData(value, &data));
  TRY(api->GetTensorSizeInBytes(value, &bytes));
  memset(data, 0, bytes);
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT)
    for (size_t i = 0; i < bytes / 4; i++) ((float *)data)[i] = 0.5f;
  else if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64)
    for (size_t i = 0; i < bytes / 8; i++) ((int64_t *)data)[i] = 1;
}

static void bind_input(OrtSession *session, OrtIoBinding *binding, size_t i, int64_t size) {
  char *name;
  OrtTypeInfo *info;
  const OrtTensorTypeAndShapeInfo *tensor;
  ONNXTensorElementDataType type;
  size_t rank;
  int64_t shape[MAX_RANK];
  OrtValue *value;
  TRY(api->SessionGetInputName(session, i, allocator, &name));
  TRY(api->SessionGetInputTypeInfo(session, i, &info));
  TRY(api->CastTypeInfoToTensorInfo(info, &tensor));
  TRY(api->GetTensorElementType(tensor, &type));
  TRY(api->GetDimensionsCount(tensor, &rank));
  if (rank > MAX_RANK) exit(5);
  TRY(api->GetDimensions(tensor, shape, rank));
  for (size_t k = 0; k < rank; k++) {
    if (shape[k] < 1) shape[k] = size;
  }
  TRY(api->CreateTensorAsOrtValue(allocator, shape, rank, type, &value));
  fill(value, type);
  TRY(api->BindInput(binding, name, value));
}

static OrtSession *load(const char *model, int threads) {
  OrtEnv *env;
  OrtSessionOptions *options;
  OrtSession *session;
  TRY(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "bare", &env));
  TRY(api->CreateSessionOptions(&options));
  TRY(api->SetIntraOpNumThreads(options, threads));
  TRY(api->CreateSession(env, model, options, &session));
  TRY(api->GetAllocatorWithDefaultOptions(&allocator));
  TRY(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &memory));
  return session;
}

static OrtIoBinding *bind(OrtSession *session, int64_t size) {
  OrtIoBinding *binding;
  size_t count;
  TRY(api->CreateIoBinding(session, &binding));
  TRY(api->SessionGetInputCount(session, &count));
  for (size_t i = 0; i < count; i++) bind_input(session, binding, i, size);
  TRY(api->SessionGetOutputCount(session, &count));
  for (size_t i = 0; i < count; i++) {
    char *name;
    TRY(api->SessionGetOutputName(session, i, allocator, &name));
    TRY(api->BindOutputToDevice(binding, name, memory));
  }
  return binding;
}

static void begin_on(uint64_t place) {
  cpu_set_t all, one;
  if (sched_getaffinity(0, sizeof all, &all)) return;
  int left = place % CPU_COUNT(&all), at = 0;
  while (!CPU_ISSET(at, &all) || left-- > 0) at++;
  CPU_ZERO(&one);
  CPU_SET(at, &one);
  sched_setaffinity(0, sizeof one, &one);
  sched_setaffinity(0, sizeof all, &all);
}

int main(int argc, char **argv) {
  if (argc != 5) return 2;
  void *library = dlopen(argv[1], RTLD_LAZY);
  if (!library) return 3;
  api = ((const OrtApiBase *(*)(void))dlsym(library, "OrtGetApiBase"))()->GetApi(24);
  OrtSession *session = load(argv[2], atoi(argv[3]));
  OrtIoBinding *binding = bind(session, atoll(argv[4]));
  OrtRunOptions *run;
  TRY(api->CreateRunOptions(&run));
  int64_t *samples = malloc(sizeof *samples * MAX_RUNS), runs, limit;
  uint64_t place;
  while (scanf("%" SCNd64 " %" SCNd64 " %" SCNu64, &runs, &limit, &place) == 3) {
    int64_t done = 0;
    begin_on(place);
    const int64_t start = now();
    for (int64_t before = start; done < runs && done < MAX_RUNS && before - start < limit; done++) {
      TRY(api->RunWithBinding(session, run, binding));
      const int64_t after = now();
      samples[done] = after - before;
      before = after;
    }
    // The session's threads spin for a while; that is in nobody's time here.
    nanosleep(&(struct timespec){.tv_nsec = atoi(argv[3]) == 1 ? 0 : 40000000}, NULL);
    for (int64_t i = 0; i < done; i++) printf("%" PRId64 "%c", samples[i], i + 1 < done ? ' ' : '\n');
    fflush(stdout);
  }
  return 0;
}
