// A library with an execution provider that computes y = -x, and that fails where FAIL says: a point, and
// perhaps the number of the run before a slash, such as "crash/3". It is built with the header of ONNX
// Runtime's C API.
#include <onnxruntime_c_api.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const OrtApi *ort;
static const OrtEpApi *ep_api;
static int runs;

static int fails(const char *point) {
  const char *wanted = getenv("LATHE_FAIL");
  return wanted && !strcmp(wanted, point);
}

static void hang(void) {
  for (;;) pause();
}

// Fails in a run if FAIL is KIND/RUN for this run. The library is told of each run once.
static OrtStatus *fail_in_run(void) {
  const char *wanted = getenv("LATHE_FAIL"), *number = wanted ? strchr(wanted, '/') : NULL;
  if (++runs, !number || atoi(number + 1) > runs) return NULL;
  if (!strncmp(wanted, "crash", 5)) abort();
  if (!strncmp(wanted, "hang", 4)) hang();
  if (!strncmp(wanted, "memory", 6)) return ort->CreateStatus(ORT_EP_FAIL, "out of device memory: 4096 bytes requested, 12 free");
  return ort->CreateStatus(ORT_EP_FAIL, "the device was lost: GPU is gone from the bus");
}

static OrtStatus *create_state(OrtNodeComputeInfo *info, OrtNodeComputeContext *context, void **state) {
  *state = NULL;
  return NULL;
}

static void release_state(OrtNodeComputeInfo *info, void *state) {}

static OrtStatus *compute(OrtNodeComputeInfo *info, void *state, OrtKernelContext *context) {
  OrtStatus *status = fail_in_run();
  const OrtValue *x;
  OrtValue *y;
  OrtTensorTypeAndShapeInfo *shape;
  size_t rank, count;
  int64_t dims[8];
  void *from, *to;
  if (status || (status = ort->KernelContext_GetInput(context, 0, &x)) || (status = ort->GetTensorTypeAndShape(x, &shape))) return status;
  if ((status = ort->GetDimensionsCount(shape, &rank)) || (status = ort->GetDimensions(shape, dims, rank)) ||
      (status = ort->GetTensorShapeElementCount(shape, &count)) ||
      (status = ort->KernelContext_GetOutput(context, 0, dims, rank, &y)) ||
      (status = ort->GetTensorMutableData((OrtValue *)x, &from)) || (status = ort->GetTensorMutableData(y, &to)))
    return status;
  ort->ReleaseTensorTypeAndShapeInfo(shape);
  for (size_t i = 0; i < count; i++) ((float *)to)[i] = -((float *)from)[i];
  return NULL;
}

static OrtNodeComputeInfo computing = {ORT_API_VERSION, create_state, compute, release_state};

static const char *ep_name(const OrtEp *ep) { return "failing"; }

static OrtStatus *capability(OrtEp *ep, const OrtGraph *graph, OrtEpGraphSupportInfo *info) {
  size_t count;
  const OrtNode *nodes[64];
  OrtStatus *status = ort->Graph_GetNumNodes(graph, &count);
  if (fails("type") || count > 64) return status;
  if (!status) status = ort->Graph_GetNodes(graph, nodes, count);
  for (size_t i = 0; !status && i < count; i++) {
    const char *op;
    status = ort->Node_GetOperatorType(nodes[i], &op);
    OrtNodeFusionOptions options = {.ort_version_supported = ORT_API_VERSION};
    if (!status && !strcmp(op, "Neg")) status = ep_api->EpGraphSupportInfo_AddNodesToFuse(info, &nodes[i], 1, &options);
  }
  return status;
}

static OrtStatus *compile(OrtEp *ep, const OrtGraph **graphs, const OrtNode **fused, size_t count, OrtNodeComputeInfo **infos, OrtNode **contexts) {
  if (fails("crash at compile")) abort();
  if (fails("hang at compile")) hang();
  if (fails("compile")) return ort->CreateStatus(ORT_EP_FAIL, "the compiler of the device is missing: libcompiler.so.3");
  for (size_t i = 0; i < count; i++) infos[i] = &computing;
  return NULL;
}

static void release_infos(OrtEp *ep, OrtNodeComputeInfo **infos, size_t count) {}

static OrtEp provider = {.ort_version_supported = ORT_API_VERSION, .GetName = ep_name, .GetCapability = capability,
                         .Compile = compile, .ReleaseNodeComputeInfos = release_infos};

static const char *name_of(const OrtEpFactory *f) { return "failing"; }
static const char *vendor_of(const OrtEpFactory *f) { return "Lathe"; }
static uint32_t vendor_id(const OrtEpFactory *f) { return 0; }
static const char *version_of(const OrtEpFactory *f) { return "1.0.0"; }

static OrtStatus *devices_of(OrtEpFactory *f, const OrtHardwareDevice *const *devices, size_t count, OrtEpDevice **out, size_t most, size_t *found) {
  *found = 0;
  for (size_t i = 0; i < count && !*found && !fails("no device"); i++)
    if (ort->HardwareDevice_Type(devices[i]) == OrtHardwareDeviceType_CPU) {
      OrtStatus *status = ep_api->CreateEpDevice(f, devices[i], NULL, NULL, out);
      if (status) return status;
      *found = 1;
    }
  return NULL;
}

static OrtStatus *create_ep(OrtEpFactory *f, const OrtHardwareDevice *const *devices, const OrtKeyValuePairs *const *pairs, size_t count,
                            const OrtSessionOptions *options, const OrtLogger *logger, OrtEp **ep) {
  if (fails("crash at creation")) abort();
  if (fails("option")) return ort->CreateStatus(ORT_INVALID_ARGUMENT, "unknown option frob: expected one of speed, memory");
  *ep = &provider;
  return NULL;
}

static void release_ep(OrtEpFactory *f, OrtEp *ep) {}

static OrtStatus *no_allocator(OrtEpFactory *f, const OrtMemoryInfo *info, const OrtKeyValuePairs *options, OrtAllocator **out) {
  *out = NULL;
  return NULL;
}

static void release_allocator(OrtEpFactory *f, OrtAllocator *allocator) {}

static OrtStatus *no_transfer(OrtEpFactory *f, OrtDataTransferImpl **out) {
  *out = NULL;
  return NULL;
}

static bool no_streams(const OrtEpFactory *f) { return false; }

static OrtEpFactory factory = {.ort_version_supported = ORT_API_VERSION, .GetName = name_of, .GetVendor = vendor_of,
                               .GetSupportedDevices = devices_of, .CreateEp = create_ep, .ReleaseEp = release_ep,
                               .GetVendorId = vendor_id, .GetVersion = version_of, .CreateAllocator = no_allocator,
                               .ReleaseAllocator = release_allocator, .CreateDataTransfer = no_transfer, .IsStreamAware = no_streams};

OrtStatus *CreateEpFactories(const char *name, const OrtApiBase *base, const OrtLogger *logger, OrtEpFactory **factories, size_t most, size_t *count) {
  ort = base->GetApi(ORT_API_VERSION);
  ep_api = ort->GetEpApi();
  if (fails("hang at load")) hang();
  if (fails("crash at load")) abort();
  if (fails("version")) return ort->CreateStatus(ORT_FAIL, "needs ONNX Runtime 99.1 or newer");
  factories[0] = &factory;
  *count = 1;
  return NULL;
}

OrtStatus *ReleaseEpFactory(OrtEpFactory *f) { return NULL; }
