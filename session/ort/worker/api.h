// Typed access to ONNX Runtime's C API without its header, which cgo could find
// only through a path into the module cache.
//
// OrtApi is a table of function pointers whose order never changes: a new
// version appends. Each line below is one function: its place in the table,
// name, parameters and arguments. api_test.go compiles the lines against the
// official header, so a wrong place or parameter is a failing test.
#ifndef LATHE_API_H
#define LATHE_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define API_VERSION 24 // the C API that ONNX Runtime 1.24 introduced

#ifndef ORT_API_VERSION // the official header has these types as well
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
typedef unsigned int OrtErrorCode; // enums of the header, which C makes unsigned int
typedef unsigned int OrtLoggingLevel;
typedef int OrtAllocatorType; // has a negative member
typedef int OrtMemType;       // likewise
typedef unsigned int ONNXType;
typedef unsigned int ONNXTensorElementDataType;
typedef void (*OrtLoggingFunction)(void *param, OrtLoggingLevel severity, const char *category, const char *log_id,
                                   const char *location, const char *message);
#endif

// Functions that answer with a status, NULL for success.
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
  X(318, GetTensorSizeInBytes, (const OrtValue *value, size_t *out), (value, out)) \
  X(319, AllocatorGetStats, (const OrtAllocator *allocator, OrtKeyValuePairs **out), (allocator, out)) \
  X(407, Session_GetEpGraphAssignmentInfo, (const OrtSession *session, const OrtEpAssignedSubgraph *const **out, size_t *count), (session, out, count)) \
  X(408, EpAssignedSubgraph_GetEpName, (const OrtEpAssignedSubgraph *part, const char **out), (part, out)) \
  X(409, EpAssignedSubgraph_GetNodes, (const OrtEpAssignedSubgraph *part, const OrtEpAssignedNode *const **out, size_t *count), (part, out, count)) \
  X(410, EpAssignedNode_GetName, (const OrtEpAssignedNode *node, const char **out), (node, out)) \
  X(411, EpAssignedNode_GetDomain, (const OrtEpAssignedNode *node, const char **out), (node, out)) \
  X(412, EpAssignedNode_GetOperatorType, (const OrtEpAssignedNode *node, const char **out), (node, out))

// Functions that cannot fail and answer directly.
#define API_PLAIN_FUNCTIONS(X) \
  X(0, OrtStatus *, CreateStatus, (OrtErrorCode code, const char *message), (code, message)) \
  X(1, OrtErrorCode, GetErrorCode, (const OrtStatus *status), (status)) \
  X(2, const char *, GetErrorMessage, (const OrtStatus *status), (status)) \
  X(298, void, GetKeyValuePairs, (const OrtKeyValuePairs *pairs, const char *const **keys, const char *const **values, size_t *count), (pairs, keys, values, count)) \
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

#define DECLARE_STATUS(index, name, parameters, arguments) OrtStatus *ort_##name parameters;
#define DECLARE_PLAIN(index, type, name, parameters, arguments) type ort_##name parameters;
#define DECLARE_RELEASE(index, type) void ort_Release##type(Ort##type *object);
API_STATUS_FUNCTIONS(DECLARE_STATUS)
API_PLAIN_FUNCTIONS(DECLARE_PLAIN)
API_RELEASE_FUNCTIONS(DECLARE_RELEASE)

enum api_problem { API_FINE, API_NOT_LOADED, API_NOT_ORT, API_TOO_OLD };

// api_open loads the library at path and takes its function table. text is the
// loader's complaint with API_NOT_LOADED, else the library's version, or NULL.
enum api_problem api_open(const char *path, const char **text);

// A lane makes one run after the other on a binding of its own. Inputs, if there are any,
// are bound anew before each run, in its time: to a device that copies them. Outputs stay
// where the first run put them, unless ONNX Runtime refuses to write there again: from then
// on each run allocates its outputs anew, in its time.
struct lane {
  OrtIoBinding *binding;
  size_t inputs;
  const char *const *names;
  const OrtValue *const *values;
  size_t outputs;
  const char *const *output_names;
  const OrtMemoryInfo *const *memory;  // of each output
  int used;                            // a run has succeeded
  int fresh;                           // each run allocates its outputs
};

// A queue of requests that arrive whether or not the ones before have been answered. Times are
// nanoseconds of a clock that goes on only while blocks run, so that requests which wait at the
// end of one block wait on in the next.
struct queue {
  const int64_t *due;  // when requests arrive, ascending: as many as the block may run
  int64_t clock;       // before the block, and after it
  int64_t busy;        // set to the time that lanes have spent in runs
};

// run_block has lanes, each in a thread of its own, run a session until max_runs are done
// together or limit_ns have passed, whichever is first; runs in which the limit passes are
// completed. It fills samples with the nanoseconds of each run, in the order in which they
// began, and sets runs, both also where a run fails.
//
// Without a queue each lane makes one run after the other, one at least, as far as max_runs go.
// One clock reading ends a run and begins the next of its lane, so the samples of one lane add
// up to the time of the block.
//
// Above 0, place has the first lane begin on that of the processors that it may use, counted
// around; from there it goes where the system wants it.
//
// With a queue a lane takes the next request, waits until it is due where that is yet to come,
// and the sample is the time from when it was due to its answer. One request is answered at
// least, however long that takes; set stop to end the wait.
OrtStatus *run_block(OrtSession *session, const OrtRunOptions *options, struct lane *lanes, int count,
                     uint64_t place, int64_t max_runs, int64_t limit_ns, struct queue *queue, const int *stop,
                     int64_t *samples, int64_t *runs);

// The stages of one run, in nanoseconds.
struct stages {
  int64_t to_device;  // inputs bound, and on the device
  int64_t enqueued;   // the run given to the device, which may still be at work
  int64_t complete;   // from its beginning until it is done
  int64_t to_host;    // a further run, until its outputs are in the host's memory
};

// run_stages makes runs one after the other and times their stages, until there are max_runs or
// limit_ns have passed, one at least. Unsynchronized are options of a run that does not wait for
// the device; the host's lane has its inputs bound and leaves outputs in the host's memory.
OrtStatus *run_stages(OrtSession *session, const OrtRunOptions *options, const OrtRunOptions *unsynchronized,
                      struct lane *device, struct lane *host, int64_t max_runs, int64_t limit_ns,
                      struct stages *stages, int64_t *runs);

// set_stop sets a flag that run_block reads in another thread.
void set_stop(int *stop);

// restore_fatal_signals gives SIGSEGV and its like their default action back.
void restore_fatal_signals(void);

#endif
