#include "api.h"

#include <dlfcn.h>
#include <signal.h>
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

struct api_base {
  const function *(*get_api)(uint32_t version);
  const char *(*get_version)(void);
};

enum api_problem api_open(const char *path, const char **text) {
  // Opening a file again gives the same library, so the objects that the Go
  // binding makes and those made here are of one kind.
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

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

OrtStatus *run_block(OrtSession *session, const OrtRunOptions *options, const OrtIoBinding *binding,
                     int64_t max_runs, int64_t limit_ns, int64_t *samples, int64_t *runs) {
  const int64_t start = now_ns();
  int64_t before = start;
  for (*runs = 0; *runs < max_runs && before - start < limit_ns;) {
    OrtStatus *status = ort_RunWithBinding(session, options, binding);
    if (status) return status;
    const int64_t after = now_ns();
    samples[(*runs)++] = after - before;
    before = after;
  }
  return NULL;
}

void restore_fatal_signals(void) {
  // Go's handlers would turn a crash inside the runtime into exit status 2 and
  // a page of goroutines. The client wants the signal.
  const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], SIG_DFL);
}
