#define _GNU_SOURCE // for processor sets

#include "api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

typedef void (*function)(void);

static const function *table;

#define DEFINE_STATUS(index, name, parameters, arguments) \
  OrtStatus *ort_##name parameters { return ((OrtStatus * (*) parameters) table[index]) arguments; }
#define DEFINE_PLAIN(index, type, name, parameters, arguments) \
  type ort_##name parameters { return ((type(*) parameters)table[index])arguments; }
#define DEFINE_RELEASE(index, type) \
  void ort_Release##type(Ort##type *object) { if (object) ((void (*)(Ort##type *))table[index])(object); }
API_STATUS_FUNCTIONS(DEFINE_STATUS)
API_PLAIN_FUNCTIONS(DEFINE_PLAIN)
API_RELEASE_FUNCTIONS(DEFINE_RELEASE)

// The functions of OrtCompileApi, whose first one releases the options.
static const function *compile_table(void) { return (const function *)ort_GetCompileApi(); }

int has_compile_api(void) { return compile_table() != NULL; }

#define DEFINE_COMPILE(index, name, parameters, arguments) \
  OrtStatus *ort_##name parameters { return ((OrtStatus * (*) parameters) compile_table()[index]) arguments; }
COMPILE_STATUS_FUNCTIONS(DEFINE_COMPILE)

void ort_ReleaseModelCompilationOptions(OrtModelCompilationOptions *options) {
  if (options) ((void (*)(OrtModelCompilationOptions *))compile_table()[0])(options);
}

struct api_base {
  const function *(*get_api)(uint32_t version);
  const char *(*get_version)(void);
};

enum api_problem api_open(const char *path, const char **text) {
  // Opening a file again returns the same library, so that objects of the Go binding and of this
  // code can be combined.
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    *text = dlerror();
    return API_NOT_LOADED;
  }
  *text = NULL;
  const struct api_base *(*get_base)(void) = (const struct api_base *(*)(void))dlsym(library, "OrtGetApiBase");
  if (!get_base) return API_NOT_ORT;
  const struct api_base *base = get_base();
  *text = base->get_version();
  table = base->get_api(API_VERSION);
  return table ? API_FINE : API_TOO_OLD;
}

int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// A block that several lanes run together.
struct block {
  OrtSession *session;
  const OrtRunOptions *options;
  int64_t max_runs, start, limit;
  struct queue *queue;
  const int *stop;
  int64_t *samples;
  atomic_llong begun;            // number of runs that lanes have started or reserved
  atomic_llong end, busy;        // with a queue: when the last run ended, and the time in runs
  atomic_llong refused;          // with a queue: the first request that arrives after the limit
  _Atomic(OrtStatus *) problem;  // the first of any lane
};

struct lane_of {
  struct block *block;
  struct lane *lane;
  pthread_t thread;
};

static OrtStatus *bind_inputs(const struct lane *l) {
  for (size_t i = 0; i < l->inputs; i++) {
    OrtStatus *status = ort_BindInput(l->binding, l->names[i], l->values[i]);
    if (status) return status;
  }
  return NULL;
}

static OrtStatus *bind_outputs(const struct lane *l) {
  for (size_t i = 0; i < l->outputs; i++) {
    OrtStatus *status = ort_BindOutputToDevice(l->binding, l->output_names[i], l->memory[i]);
    if (status) return status;
  }
  return NULL;
}

// ONNX Runtime refuses to write to the outputs of the previous run if their sizes are not those
// that the model declares, or not those of this run. This can only happen to a lane that has made a
// run.
static OrtStatus *run_bound(OrtSession *session, const OrtRunOptions *options, struct lane *l) {
  OrtStatus *status = l->fresh ? bind_outputs(l) : NULL;
  if (!status) status = ort_RunWithBinding(session, options, l->binding);
  if (status && l->used && !l->fresh) {
    ort_ReleaseStatus(status);
    l->fresh = 1;
    return run_bound(session, options, l);
  }
  if (!status) l->used = 1;
  return status;
}

// Waits until the device has done the work of a run. ONNX Runtime itself does not wait for a plug-in
// provider that cannot wait, such as WebGPU.
static OrtStatus *wait_for_device(const struct lane *l) {
  return l->fence ? ort_CopyTensors(l->env, &l->fence, &l->fence_copy, NULL, 1) : NULL;
}

static OrtStatus *bind_and_run(const struct block *b, struct lane *l) {
  OrtStatus *status = bind_inputs(l);
  if (!status) status = run_bound(b->session, b->options, l);
  return status ? status : wait_for_device(l);
}

static void run_once(struct block *b, struct lane *l) {
  OrtStatus *status = bind_and_run(b, l), *none = NULL;
  if (status && !atomic_compare_exchange_strong(&b->problem, &none, status)) ort_ReleaseStatus(status);
}

// A lane takes the next run until there is none, the time is up, or another lane has failed.
static void run_closed(struct block *b, struct lane *l) {
  int first = 1;
  for (int64_t before = now_ns(); (first || before - b->start < b->limit) && !atomic_load(&b->problem); first = 0) {
    const int64_t at = atomic_fetch_add(&b->begun, 1);
    if (at >= b->max_runs) return;
    run_once(b, l);
    const int64_t after = now_ns();
    b->samples[at] = after - before;
    before = after;
  }
}

static int stopped(const struct block *b) { return __atomic_load_n(b->stop, __ATOMIC_RELAXED); }

// A sleeping thread wakes up about ten microseconds late, so the last microseconds are a busy wait.
enum { SLEEP_MOST = 10000000, AWAKE = 200000 };

// Waits until a time, and returns whether the wait was completed.
static int wait_until(const struct block *b, int64_t due) {
  for (int64_t left; (left = due - now_ns()) > 0;) {
    if (stopped(b)) return 0;
    if (left <= AWAKE) continue;
    left -= AWAKE;
    nanosleep(&(struct timespec){.tv_nsec = left < SLEEP_MOST ? left : SLEEP_MOST}, NULL);
  }
  return 1;
}

static void keep_most(atomic_llong *most, int64_t value) {
  for (long long seen = atomic_load(most); seen < value && !atomic_compare_exchange_weak(most, &seen, value);) {
  }
}

static void keep_least(atomic_llong *least, int64_t value) {
  for (long long seen = atomic_load(least); seen > value && !atomic_compare_exchange_weak(least, &seen, value);) {
  }
}

// Requests are taken in the order of their arrival. Once one arrives after the limit, so do all
// later ones, and all earlier ones are answered.
static void run_queued(struct block *b, struct lane *l) {
  while (!atomic_load(&b->problem) && (atomic_load(&b->begun) == 0 || now_ns() - b->start < b->limit)) {
    const int64_t at = atomic_fetch_add(&b->begun, 1);
    if (at >= b->max_runs) return;
    const int64_t due = b->start + (b->queue->due[at] - b->queue->clock);
    if ((at > 0 && due - b->start >= b->limit) || !wait_until(b, due)) {
      keep_least(&b->refused, at);
      return;
    }
    const int64_t before = now_ns();
    run_once(b, l);
    const int64_t after = now_ns();
    b->samples[at] = after - due;
    atomic_fetch_add(&b->busy, after - before);
    keep_most(&b->end, after);
  }
}

static void *run_lane(void *argument) {
  const struct lane_of *own = argument;
  (own->block->queue ? run_queued : run_closed)(own->block, own->lane);
  return NULL;
}

void begin_on(uint64_t place) {
#ifdef __linux__
  cpu_set_t all, one;
  if (!place || sched_getaffinity(0, sizeof all, &all)) return;
  int left = (int)(place % (uint64_t)CPU_COUNT(&all)), at = 0;
  while (!CPU_ISSET(at, &all) || left-- > 0) at++;
  CPU_ZERO(&one);
  CPU_SET(at, &one);
  if (!sched_setaffinity(0, sizeof one, &one)) sched_setaffinity(0, sizeof all, &all);
#endif
}

OrtStatus *run_block(OrtSession *session, const OrtRunOptions *options, struct lane *lanes, int count,
                     uint64_t place, int64_t max_runs, int64_t limit_ns, struct queue *queue, const int *stop,
                     int64_t *samples, int64_t *runs) {
  begin_on(place);
  struct block b = {.session = session, .options = options, .max_runs = max_runs, .limit = limit_ns,
                    .queue = queue, .stop = stop, .samples = samples, .refused = max_runs};
  struct lane_of *each = calloc(count, sizeof *each);
  if (!each) return ort_CreateStatus(1, "no memory for the threads of a block");
  int started = 0;
  b.start = now_ns();
  atomic_store(&b.end, b.start);
  for (int i = 0; i < count; i++) each[i] = (struct lane_of){.block = &b, .lane = &lanes[i]};
  for (int i = 1; i < count; i++) {
    if (pthread_create(&each[i].thread, NULL, run_lane, &each[i])) break;
    started = i;
  }
  if (started == count - 1) run_lane(&each[0]);
  for (int i = 1; i <= started; i++) pthread_join(each[i].thread, NULL);
  free(each);
  const int64_t begun = atomic_load(&b.begun), refused = atomic_load(&b.refused);
  *runs = begun < refused ? begun : refused;
  if (queue) {
    queue->clock += atomic_load(&b.end) - b.start;
    queue->busy = atomic_load(&b.busy);
  }
  OrtStatus *problem = atomic_load(&b.problem);
  if (!problem && started != count - 1) problem = ort_CreateStatus(1, "no more threads for the lanes of a block");
  return problem;
}

static OrtStatus *run_staged(OrtSession *session, const OrtRunOptions *options, const OrtRunOptions *unsynchronized,
                             struct lane *device, struct lane *host, struct stages *out) {
  const int64_t start = now_ns();
  OrtStatus *status = bind_inputs(device);
  if (status || (status = ort_SynchronizeBoundInputs(device->binding)) || (status = wait_for_device(device))) return status;
  const int64_t bound = now_ns();
  if ((status = run_bound(session, unsynchronized, device))) return status;
  const int64_t enqueued = now_ns();
  if ((status = ort_SynchronizeBoundOutputs(device->binding)) || (status = wait_for_device(device))) return status;
  const int64_t complete = now_ns();
  if ((status = run_bound(session, options, host))) return status;
  *out = (struct stages){bound - start, enqueued - bound, complete - bound, now_ns() - complete};
  return NULL;
}

OrtStatus *run_stages(OrtSession *session, const OrtRunOptions *options, const OrtRunOptions *unsynchronized,
                      struct lane *device, struct lane *host, int64_t max_runs, int64_t limit_ns,
                      struct stages *stages, int64_t *runs) {
  const int64_t start = now_ns();
  for (*runs = 0; *runs < max_runs && (*runs == 0 || now_ns() - start < limit_ns); ++*runs) {
    OrtStatus *status = run_staged(session, options, unsynchronized, device, host, &stages[*runs]);
    if (status) return status;
  }
  return NULL;
}

void set_stop(int *stop) { __atomic_store_n(stop, 1, __ATOMIC_RELAXED); }

void restore_fatal_signals(void) {
  // Go's handlers would turn a crash inside the runtime into exit status 2 and
  // a page of goroutines. The client wants the signal.
  const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], SIG_DFL);
}
