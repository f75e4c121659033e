// Typed access to ONNX Runtime's C API without its header, which cgo could find only through a path
// into the module cache.
//
// OrtApi is a table of function pointers whose order never changes; new versions append functions.
// Each line below is one function: its position in the table, name, parameters and arguments.
// api_test.go compiles the lines with the official header, so that a wrong position or parameter
// makes the test fail.
#ifndef LATHE_API_H
#define LATHE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API_VERSION 24 // the C API that ONNX Runtime 1.24 introduced

#ifndef ORT_API_VERSION // the official header also defines these types
typedef struct OrtStatus OrtStatus;
typedef struct OrtEnv OrtEnv;
typedef struct OrtSession OrtSession;
typedef struct OrtSessionOptions OrtSessionOptions;
typedef struct OrtRunOptions OrtRunOptions;
typedef struct OrtIoBinding OrtIoBinding;
typedef struct OrtValue OrtValue;
typedef struct OrtMemoryInfo OrtMemoryInfo;
typedef struct OrtAllocator OrtAllocator;
typedef struct OrtTypeInfo OrtTypeInfo;
typedef struct OrtTensorTypeAndShapeInfo OrtTensorTypeAndShapeInfo;
typedef struct OrtSequenceTypeInfo OrtSequenceTypeInfo;
typedef struct OrtMapTypeInfo OrtMapTypeInfo;
typedef struct OrtOptionalTypeInfo OrtOptionalTypeInfo;
typedef struct OrtKeyValuePairs OrtKeyValuePairs;
typedef struct OrtEpAssignedSubgraph OrtEpAssignedSubgraph;
typedef struct OrtEpAssignedNode OrtEpAssignedNode;
typedef struct OrtEpDevice OrtEpDevice;
typedef struct OrtHardwareDevice OrtHardwareDevice;
typedef struct OrtSyncStream OrtSyncStream;
typedef struct OrtCompileApi OrtCompileApi;
typedef struct OrtModelCompilationOptions OrtModelCompilationOptions;
typedef unsigned int OrtErrorCode; // enums in the header, which are unsigned int in C
typedef unsigned int OrtLoggingLevel;
typedef int OrtAllocatorType; // has a negative member
typedef int OrtMemType;       // likewise
typedef unsigned int OrtHardwareDeviceType;
typedef unsigned int OrtDeviceMemoryType;
typedef unsigned int ONNXType;
typedef unsigned int ONNXTensorElementDataType;
typedef void (*OrtLoggingFunction)(void *param, OrtLoggingLevel severity, const char *category, const char *log_id,
                                   const char *location, const char *message);
#endif

// Functions that return a status, NULL for success.
#define API_STATUS_FUNCTIONS(X) \
  X(3, CreateEnv, (OrtLoggingLevel level, const char *id, OrtEnv **out), (level, id, out)) \
  X(4, CreateEnvWithCustomLogger, (OrtLoggingFunction logger, void *param, OrtLoggingLevel level, const char *id, OrtEnv **out), (logger, param, level, id, out)) \
  X(7, CreateSession, (const OrtEnv *env, const char *path, const OrtSessionOptions *options, OrtSession **out), (env, path, options, out)) \
  X(8, CreateSessionFromArray, (const OrtEnv *env, const void *data, size_t size, const OrtSessionOptions *options, OrtSession **out), (env, data, size, options, out)) \
  X(9, Run, (OrtSession *session, const OrtRunOptions *options, const char *const *inputs, const OrtValue *const *feeds, size_t in, const char *const *outputs, size_t out, OrtValue **results), (session, options, inputs, feeds, in, outputs, out, results)) \
  X(11, SetOptimizedModelFilePath, (OrtSessionOptions *options, const char *path), (options, path)) \
  X(14, EnableProfiling, (OrtSessionOptions *options, const char *prefix), (options, prefix)) \
  X(17, DisableMemPattern, (OrtSessionOptions *options), (options)) \
  X(19, DisableCpuMemArena, (OrtSessionOptions *options), (options)) \
  X(20, SetSessionLogId, (OrtSessionOptions *options, const char *id), (options, id)) \
  X(22, SetSessionLogSeverityLevel, (OrtSessionOptions *options, int level), (options, level)) \
  X(30, SessionGetInputCount, (const OrtSession *session, size_t *out), (session, out)) \
  X(31, SessionGetOutputCount, (const OrtSession *session, size_t *out), (session, out)) \
  X(32, SessionGetOverridableInitializerCount, (const OrtSession *session, size_t *out), (session, out)) \
  X(33, SessionGetInputTypeInfo, (const OrtSession *session, size_t index, OrtTypeInfo **out), (session, index, out)) \
  X(34, SessionGetOutputTypeInfo, (const OrtSession *session, size_t index, OrtTypeInfo **out), (session, index, out)) \
  X(36, SessionGetInputName, (const OrtSession *session, size_t index, OrtAllocator *allocator, char **out), (session, index, allocator, out)) \
  X(37, SessionGetOutputName, (const OrtSession *session, size_t index, OrtAllocator *allocator, char **out), (session, index, allocator, out)) \
  X(38, SessionGetOverridableInitializerName, (const OrtSession *session, size_t index, OrtAllocator *allocator, char **out), (session, index, allocator, out)) \
  X(39, CreateRunOptions, (OrtRunOptions **out), (out)) \
  X(46, RunOptionsSetTerminate, (OrtRunOptions *options), (options)) \
  X(48, CreateTensorAsOrtValue, (OrtAllocator *allocator, const int64_t *shape, size_t rank, ONNXTensorElementDataType type, OrtValue **out), (allocator, shape, rank, type, out)) \
  X(49, CreateTensorWithDataAsOrtValue, (const OrtMemoryInfo *memory, void *data, size_t bytes, const int64_t *shape, size_t rank, ONNXTensorElementDataType type, OrtValue **out), (memory, data, bytes, shape, rank, type, out)) \
  X(51, GetTensorMutableData, (OrtValue *value, void **out), (value, out)) \
  X(53, GetStringTensorDataLength, (const OrtValue *value, size_t *out), (value, out)) \
  X(54, GetStringTensorContent, (const OrtValue *value, void *bytes, size_t size, size_t *offsets, size_t count), (value, bytes, size, offsets, count)) \
  X(55, CastTypeInfoToTensorInfo, (const OrtTypeInfo *info, const OrtTensorTypeAndShapeInfo **out), (info, out)) \
  X(56, GetOnnxTypeFromTypeInfo, (const OrtTypeInfo *info, ONNXType *out), (info, out)) \
  X(60, GetTensorElementType, (const OrtTensorTypeAndShapeInfo *info, ONNXTensorElementDataType *out), (info, out)) \
  X(61, GetDimensionsCount, (const OrtTensorTypeAndShapeInfo *info, size_t *out), (info, out)) \
  X(62, GetDimensions, (const OrtTensorTypeAndShapeInfo *info, int64_t *dims, size_t rank), (info, dims, rank)) \
  X(63, GetSymbolicDimensions, (const OrtTensorTypeAndShapeInfo *info, const char **symbols, size_t rank), (info, symbols, rank)) \
  X(65, GetTensorTypeAndShape, (const OrtValue *value, OrtTensorTypeAndShapeInfo **out), (value, out)) \
  X(67, GetValueType, (const OrtValue *value, ONNXType *out), (value, out)) \
  X(68, CreateMemoryInfo, (const char *name, OrtAllocatorType allocator, int device, OrtMemType type, OrtMemoryInfo **out), (name, allocator, device, type, out)) \
  X(69, CreateCpuMemoryInfo, (OrtAllocatorType allocator, OrtMemType type, OrtMemoryInfo **out), (allocator, type, out)) \
  X(71, MemoryInfoGetName, (const OrtMemoryInfo *memory, const char **out), (memory, out)) \
  X(76, AllocatorFree, (OrtAllocator *allocator, void *memory), (allocator, memory)) \
  X(78, GetAllocatorWithDefaultOptions, (OrtAllocator **out), (out)) \
  X(80, GetValue, (const OrtValue *value, int index, OrtAllocator *allocator, OrtValue **out), (value, index, allocator, out)) \
  X(81, GetValueCount, (const OrtValue *value, size_t *out), (value, out)) \
  X(82, CreateValue, (const OrtValue *const *items, size_t count, ONNXType type, OrtValue **out), (items, count, type, out)) \
  X(103, CastTypeInfoToMapTypeInfo, (const OrtTypeInfo *info, const OrtMapTypeInfo **out), (info, out)) \
  X(104, CastTypeInfoToSequenceTypeInfo, (const OrtTypeInfo *info, const OrtSequenceTypeInfo **out), (info, out)) \
  X(105, GetMapKeyType, (const OrtMapTypeInfo *info, ONNXTensorElementDataType *out), (info, out)) \
  X(106, GetMapValueType, (const OrtMapTypeInfo *info, OrtTypeInfo **out), (info, out)) \
  X(107, GetSequenceElementType, (const OrtSequenceTypeInfo *info, OrtTypeInfo **out), (info, out)) \
  X(110, SessionEndProfiling, (OrtSession *session, OrtAllocator *allocator, char **path), (session, allocator, path)) \
  X(124, AddFreeDimensionOverrideByName, (OrtSessionOptions *options, const char *name, int64_t size), (options, name, size)) \
  X(125, GetAvailableProviders, (char ***out, int *count), (out, count)) \
  X(126, ReleaseAvailableProviders, (char **providers, int count), (providers, count)) \
  X(131, CreateAllocator, (const OrtSession *session, const OrtMemoryInfo *memory, OrtAllocator **out), (session, memory, out)) \
  X(133, RunWithBinding, (OrtSession *session, const OrtRunOptions *options, const OrtIoBinding *binding), (session, options, binding)) \
  X(134, CreateIoBinding, (OrtSession *session, OrtIoBinding **out), (session, out)) \
  X(136, BindInput, (OrtIoBinding *binding, const char *name, const OrtValue *value), (binding, name, value)) \
  X(137, BindOutput, (OrtIoBinding *binding, const char *name, const OrtValue *value), (binding, name, value)) \
  X(138, BindOutputToDevice, (OrtIoBinding *binding, const char *name, const OrtMemoryInfo *memory), (binding, name, memory)) \
  X(140, GetBoundOutputValues, (const OrtIoBinding *binding, OrtAllocator *allocator, OrtValue ***out, size_t *count), (binding, allocator, out, count)) \
  X(165, AddRunConfigEntry, (OrtRunOptions *options, const char *key, const char *value), (options, key, value)) \
  X(192, HasValue, (const OrtValue *value, int *out), (value, out)) \
  X(202, SynchronizeBoundInputs, (OrtIoBinding *binding), (binding)) \
  X(203, SynchronizeBoundOutputs, (OrtIoBinding *binding), (binding)) \
  X(228, RegisterCustomOpsLibrary_V2, (OrtSessionOptions *options, const char *path), (options, path)) \
  X(250, CastTypeInfoToOptionalTypeInfo, (const OrtTypeInfo *info, const OrtOptionalTypeInfo **out), (info, out)) \
  X(251, GetOptionalContainedTypeInfo, (const OrtOptionalTypeInfo *info, OrtTypeInfo **out), (info, out)) \
  X(252, GetResizedStringTensorElementBuffer, (OrtValue *value, size_t index, size_t size, char **out), (value, index, size, out)) \
  X(273, SetDeterministicCompute, (OrtSessionOptions *options, bool value), (options, value)) \
  X(293, SessionOptionsSetLoadCancellationFlag, (OrtSessionOptions *options, bool cancel), (options, cancel)) \
  X(301, RegisterExecutionProviderLibrary, (OrtEnv *env, const char *name, const char *path), (env, name, path)) \
  X(303, GetEpDevices, (const OrtEnv *env, const OrtEpDevice *const **out, size_t *count), (env, out, count)) \
  X(304, SessionOptionsAppendExecutionProvider_V2, (OrtSessionOptions *options, OrtEnv *env, const OrtEpDevice *const *devices, size_t count, const char *const *keys, const char *const *values, size_t pairs), (options, env, devices, count, keys, values, pairs)) \
  X(318, GetTensorSizeInBytes, (const OrtValue *value, size_t *out), (value, out)) \
  X(319, AllocatorGetStats, (const OrtAllocator *allocator, OrtKeyValuePairs **out), (allocator, out)) \
  X(386, CopyTensors, (const OrtEnv *env, const OrtValue *const *from, OrtValue *const *to, OrtSyncStream *stream, size_t count), (env, from, to, stream, count)) \
  X(407, Session_GetEpGraphAssignmentInfo, (const OrtSession *session, const OrtEpAssignedSubgraph *const **out, size_t *count), (session, out, count)) \
  X(408, EpAssignedSubgraph_GetEpName, (const OrtEpAssignedSubgraph *part, const char **out), (part, out)) \
  X(409, EpAssignedSubgraph_GetNodes, (const OrtEpAssignedSubgraph *part, const OrtEpAssignedNode *const **out, size_t *count), (part, out, count)) \
  X(410, EpAssignedNode_GetName, (const OrtEpAssignedNode *node, const char **out), (node, out)) \
  X(411, EpAssignedNode_GetDomain, (const OrtEpAssignedNode *node, const char **out), (node, out)) \
  X(412, EpAssignedNode_GetOperatorType, (const OrtEpAssignedNode *node, const char **out), (node, out))

// Functions that cannot fail and return their result.
#define API_PLAIN_FUNCTIONS(X) \
  X(0, OrtStatus *, CreateStatus, (OrtErrorCode code, const char *message), (code, message)) \
  X(1, OrtErrorCode, GetErrorCode, (const OrtStatus *status), (status)) \
  X(2, const char *, GetErrorMessage, (const OrtStatus *status), (status)) \
  X(294, const OrtCompileApi *, GetCompileApi, (void), ()) \
  X(298, void, GetKeyValuePairs, (const OrtKeyValuePairs *pairs, const char *const **keys, const char *const **values, size_t *count), (pairs, keys, values, count)) \
  X(307, OrtHardwareDeviceType, HardwareDevice_Type, (const OrtHardwareDevice *device), (device)) \
  X(308, uint32_t, HardwareDevice_VendorId, (const OrtHardwareDevice *device), (device)) \
  X(309, const char *, HardwareDevice_Vendor, (const OrtHardwareDevice *device), (device)) \
  X(310, uint32_t, HardwareDevice_DeviceId, (const OrtHardwareDevice *device), (device)) \
  X(311, const OrtKeyValuePairs *, HardwareDevice_Metadata, (const OrtHardwareDevice *device), (device)) \
  X(312, const char *, EpDevice_EpName, (const OrtEpDevice *device), (device)) \
  X(313, const char *, EpDevice_EpVendor, (const OrtEpDevice *device), (device)) \
  X(314, const OrtKeyValuePairs *, EpDevice_EpMetadata, (const OrtEpDevice *device), (device)) \
  X(316, const OrtHardwareDevice *, EpDevice_Device, (const OrtEpDevice *device), (device)) \
  X(374, const OrtMemoryInfo *, EpDevice_MemoryInfo, (const OrtEpDevice *device, OrtDeviceMemoryType type), (device, type)) \
  X(390, bool, TensorTypeAndShape_HasShape, (const OrtTensorTypeAndShapeInfo *info), (info))

// Functions that release an object. NULL is allowed.
#define API_RELEASE_FUNCTIONS(X) \
  X(93, Status) \
  X(94, MemoryInfo) \
  X(95, Session) \
  X(96, Value) \
  X(97, RunOptions) \
  X(98, TypeInfo) \
  X(99, TensorTypeAndShapeInfo) \
  X(132, Allocator) \
  X(135, IoBinding) \
  X(300, KeyValuePairs)

// Functions of OrtCompileApi, a table of its own, which return a status.
#define COMPILE_STATUS_FUNCTIONS(X) \
  X(1, CreateModelCompilationOptionsFromSessionOptions, (const OrtEnv *env, const OrtSessionOptions *options, OrtModelCompilationOptions **out), (env, options, out)) \
  X(2, ModelCompilationOptions_SetInputModelPath, (OrtModelCompilationOptions *options, const char *path), (options, path)) \
  X(3, ModelCompilationOptions_SetInputModelFromBuffer, (OrtModelCompilationOptions *options, const void *data, size_t size), (options, data, size)) \
  X(4, ModelCompilationOptions_SetOutputModelPath, (OrtModelCompilationOptions *options, const char *path), (options, path)) \
  X(5, ModelCompilationOptions_SetOutputModelExternalInitializersFile, (OrtModelCompilationOptions *options, const char *path, size_t least), (options, path, least)) \
  X(7, ModelCompilationOptions_SetEpContextEmbedMode, (OrtModelCompilationOptions *options, bool embed), (options, embed)) \
  X(8, CompileModel, (const OrtEnv *env, const OrtModelCompilationOptions *options), (env, options))

#define DECLARE_STATUS(index, name, parameters, arguments) OrtStatus *ort_##name parameters;
#define DECLARE_PLAIN(index, type, name, parameters, arguments) type ort_##name parameters;
#define DECLARE_RELEASE(index, type) void ort_Release##type(Ort##type *object);
API_STATUS_FUNCTIONS(DECLARE_STATUS)
API_PLAIN_FUNCTIONS(DECLARE_PLAIN)
API_RELEASE_FUNCTIONS(DECLARE_RELEASE)
COMPILE_STATUS_FUNCTIONS(DECLARE_STATUS)

// ort_ReleaseModelCompilationOptions is the release function of OrtCompileApi.
void ort_ReleaseModelCompilationOptions(OrtModelCompilationOptions *options);

// has_compile_api reports whether the library can compile models. A minimal build cannot. The functions
// of OrtCompileApi must not be called otherwise.
int has_compile_api(void);

enum api_problem { API_FINE, API_NOT_LOADED, API_NOT_ORT, API_TOO_OLD };

// api_open loads the library at path and gets its function table. For API_NOT_LOADED, text is the
// error of the loader; otherwise it is the library's version, or NULL.
enum api_problem api_open(const char *path, const char **text);

// A lane makes one run after the other with its own binding. Several lanes run at the same time. If
// a lane has inputs, they are bound again before each run, which copies them to a device. The time
// for this is part of the run's time. The outputs of all runs are written to the memory that the
// first run allocated, unless ONNX Runtime refuses that. In this case each later run allocates its
// outputs, as a part of its time.
//
// If a lane has a fence, a run ends with a copy of it from the device to the host. Such a copy waits
// until the device has done all work that it was given before.
struct lane {
  OrtIoBinding *binding;
  size_t inputs;
  const char *const *names;
  const OrtValue *const *values;
  size_t outputs;
  const char *const *output_names;
  const OrtMemoryInfo *const *memory;  // for each output
  const OrtEnv *env;
  const OrtValue *fence;               // on the device, or NULL
  OrtValue *fence_copy;                // in host memory
  int used;                            // a run has succeeded
  int fresh;                           // each run allocates its outputs
};

// A queue of requests that arrive whether or not earlier ones were answered. Times are in
// nanoseconds of a clock that runs only during blocks. Requests that wait at the end of a block are
// therefore still waiting when the next one begins.
struct queue {
  const int64_t *due;  // arrival times, ascending: as many as the maximum number of runs
  int64_t clock;       // set by the caller to the time before the block, and then to that after it
  int64_t busy;        // set to the total time of the lanes in runs
};

// run_block runs a session in several lanes, each in its own thread, until max_runs have been made
// in total or limit_ns have passed, whichever is first; runs in progress at the limit are
// completed. It fills samples with the nanoseconds of each run, in the order in which they started,
// and sets runs, even if a run fails.
//
// Without a queue each lane makes one run after the other, at least one, within max_runs. One clock
// reading ends a run and starts the next of its lane, so that the samples of one lane add up to the
// time of the block.
//
// If place is above 0, the first lane starts on that one of the processors that it may use, modulo
// their number; later the system may move it.
//
// With a queue a lane takes the next request and, if necessary, waits until the request arrives. The
// sample is the time from the arrival to the answer. At least one request is answered, however long
// that takes; set stop to end the wait.
OrtStatus *run_block(OrtSession *session, const OrtRunOptions *options, struct lane *lanes, int count,
                     uint64_t place, int64_t max_runs, int64_t limit_ns, struct queue *queue, const int *stop,
                     int64_t *samples, int64_t *runs);

// The stages of one run, in nanoseconds.
struct stages {
  int64_t to_device;  // from the start of binding the inputs until they are on the device
  int64_t enqueued;   // from the start of the run until it is enqueued; the device may still be busy
  int64_t complete;   // from the start of the run until the device is done
  int64_t to_host;    // of an additional run, from its start until its outputs are in host memory
};

// run_stages makes runs one after the other and measures their stages, until max_runs have been
// made or limit_ns have passed, and at least one. unsynchronized are options for a run that does
// not wait for the device. The lane host has its inputs bound and its outputs in host memory.
OrtStatus *run_stages(OrtSession *session, const OrtRunOptions *options, const OrtRunOptions *unsynchronized,
                      struct lane *device, struct lane *host, int64_t max_runs, int64_t limit_ns,
                      struct stages *stages, int64_t *runs);

// now_ns returns the time of a clock that only moves forward, in nanoseconds.
int64_t now_ns(void);

// begin_on moves this thread to another processor, and then lets the system move it again. place selects
// one of the processors that it may use, modulo their number; 0 does nothing.
void begin_on(uint64_t place);

// set_stop sets a flag that run_block reads in another thread.
void set_stop(int *stop);

// restore_fatal_signals restores the default action of SIGSEGV and similar signals.
void restore_fatal_signals(void);

#endif
