#include "nvml.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef void *device_t;

// The types of NVML's ABI.
struct memory_info {
  uint64_t total, free, used;
};

struct utilization {
  unsigned gpu, memory;
};

struct process_info {
  unsigned pid;
  uint64_t used;
  unsigned instance, compute_instance;
};

enum { SM_CLOCK = 1, MEMORY_CLOCK = 2, MAX_PROCESSES = 4096 };

static const uint64_t NOT_AVAILABLE = ~0ull;

typedef int (*number_of)(device_t, unsigned *);
typedef int (*clock_of)(device_t, unsigned, unsigned *);

static struct nvml_number number(void *library, const char *symbol, device_t d) {
  struct nvml_number n = {0, 0};
  unsigned value = 0;
  number_of get = (number_of)dlsym(library, symbol);
  if (get && get(d, &value) == 0) n.known = 1, n.value = value;
  return n;
}

// Reads a number that exists in several kinds, as clocks and temperatures do.
static struct nvml_number number_of_kind(void *library, const char *symbol, device_t d, unsigned kind) {
  struct nvml_number n = {0, 0};
  unsigned value = 0;
  clock_of get = (clock_of)dlsym(library, symbol);
  if (get && get(d, kind, &value) == 0) n.known = 1, n.value = value;
  return n;
}

static void text(void *library, const char *symbol, device_t d, char *out) {
  int (*get)(device_t, char *, unsigned) = (int (*)(device_t, char *, unsigned))dlsym(library, symbol);
  if (!get || get(d, out, NVML_TEXT) != 0) out[0] = 0;
  out[NVML_TEXT - 1] = 0;
}

static struct nvml_number reasons(void *library, device_t d) {
  struct nvml_number n = {0, 0};
  typedef int (*bits_of)(device_t, unsigned long long *);
  bits_of get = (bits_of)dlsym(library, "nvmlDeviceGetCurrentClocksEventReasons");
  if (!get) get = (bits_of)dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons");
  unsigned long long value = 0;
  if (get && get(d, &value) == 0) n.known = 1, n.value = value;
  return n;
}

static void memory(void *library, device_t d, struct nvml_device *out) {
  struct memory_info m = {0, 0, 0};
  int (*get)(device_t, struct memory_info *) = (int (*)(device_t, struct memory_info *))dlsym(library, "nvmlDeviceGetMemoryInfo");
  if (!get || get(d, &m) != 0) return;
  out->total.known = out->used.known = 1;
  out->total.value = m.total;
  out->used.value = m.used;
}

// The memory of the process itself. It is unknown in a container if the driver has other process
// numbers there.
static void own_memory(void *library, device_t d, uint32_t pid, struct nvml_device *out) {
  typedef int (*list_of)(device_t, unsigned *, struct process_info *);
  list_of get = (list_of)dlsym(library, "nvmlDeviceGetComputeRunningProcesses_v3");
  if (!get) return;
  struct process_info *list = calloc(MAX_PROCESSES, sizeof *list);
  unsigned count = MAX_PROCESSES;
  if (list && get(d, &count, list) == 0 && count <= MAX_PROCESSES)
    for (unsigned i = 0; i < count; i++)
      if (list[i].pid == pid && list[i].used != NOT_AVAILABLE) {
        out->own.known = 1;
        out->own.value += list[i].used;
      }
  free(list);
}

static struct nvml_number utilization(void *library, device_t d) {
  struct nvml_number n = {0, 0};
  struct utilization u = {0, 0};
  int (*get)(device_t, struct utilization *) = (int (*)(device_t, struct utilization *))dlsym(library, "nvmlDeviceGetUtilizationRates");
  if (get && get(d, &u) == 0) n.known = 1, n.value = u.gpu;
  return n;
}

static int is_shared(void *library, device_t d) {
  unsigned now = 0, later = 0;
  int (*get)(device_t, unsigned *, unsigned *) = (int (*)(device_t, unsigned *, unsigned *))dlsym(library, "nvmlDeviceGetMigMode");
  return get && get(d, &now, &later) == 0 && now == 1;
}

// The bus address of the device with a CUDA number. CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER make
// the numbers of CUDA differ from those of NVML.
static const char *bus_of(void *cuda, int number, char *bus) {
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(cuda, "cuInit");
  int (*get)(int *, int) = (int (*)(int *, int))dlsym(cuda, "cuDeviceGet");
  int (*place)(char *, int, int) = (int (*)(char *, int, int))dlsym(cuda, "cuDeviceGetPCIBusId");
  int device = 0;
  if (!init || !get || !place) return "the CUDA driver lacks a function";
  if (init(0) != 0) return "the CUDA driver does not start";
  if (get(&device, number) != 0) return "the CUDA driver has no such device";
  if (place(bus, NVML_TEXT, device) != 0) return "the CUDA driver does not tell where the device is";
  bus[NVML_TEXT - 1] = 0;
  return NULL;
}

// Both stay open: the libraries count how often they were opened and initialized.
static const char *open_both(const char *nvml_path, const char *cuda_path, void **nvml, void **cuda) {
  *nvml = dlopen(nvml_path, RTLD_LAZY | RTLD_LOCAL);
  if (!*nvml) return "no NVML library";
  int (*init)(void) = (int (*)(void))dlsym(*nvml, "nvmlInit_v2");
  if (!init || init() != 0) return "NVML does not start";
  *cuda = dlopen(cuda_path, RTLD_LAZY | RTLD_LOCAL);
  return *cuda ? NULL : "no CUDA driver library";
}

const char *nvml_read(const char *nvml, const char *cuda, int device, uint32_t pid, struct nvml_device *out) {
  memset(out, 0, sizeof *out);
  void *library, *driver_library;
  char bus[NVML_TEXT] = "";
  const char *problem = open_both(nvml, cuda, &library, &driver_library);
  if (!problem) problem = bus_of(driver_library, device, bus);
  if (problem) return problem;
  int (*find)(const char *, device_t *) = (int (*)(const char *, device_t *))dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
  device_t d = NULL;
  if (!find || find(bus, &d) != 0) return "NVML does not have the device";
  text(library, "nvmlDeviceGetName", d, out->name);
  text(library, "nvmlDeviceGetUUID", d, out->uuid);
  int (*driver)(char *, unsigned) = (int (*)(char *, unsigned))dlsym(library, "nvmlSystemGetDriverVersion");
  if (!driver || driver(out->driver, NVML_TEXT) != 0) out->driver[0] = 0;
  out->driver[NVML_TEXT - 1] = 0;
  out->sm = number_of_kind(library, "nvmlDeviceGetClockInfo", d, SM_CLOCK);
  out->memory = number_of_kind(library, "nvmlDeviceGetClockInfo", d, MEMORY_CLOCK);
  out->max_sm = number_of_kind(library, "nvmlDeviceGetMaxClockInfo", d, SM_CLOCK);
  out->max_memory = number_of_kind(library, "nvmlDeviceGetMaxClockInfo", d, MEMORY_CLOCK);
  out->temperature = number_of_kind(library, "nvmlDeviceGetTemperature", d, 0);
  out->power = number(library, "nvmlDeviceGetPowerUsage", d);
  out->power_limit = number(library, "nvmlDeviceGetEnforcedPowerLimit", d);
  out->reasons = reasons(library, d);
  memory(library, d, out);
  own_memory(library, d, pid, out);
  out->busy = utilization(library, d);
  out->shared = is_shared(library, d);
  return NULL;
}
