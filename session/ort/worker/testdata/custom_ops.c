// A library of one operator, lathe.test:Halve, which halves float32 numbers.
#include <stddef.h>

#include "onnxruntime_c_api.h"

static const OrtApi *api;

static void *create_kernel(const OrtCustomOp *op, const OrtApi *given, const OrtKernelInfo *info) {
  (void)op; (void)given; (void)info;
  return (void *)1;
}

static void compute(void *kernel, OrtKernelContext *context) {
  (void)kernel;
  const OrtValue *in = NULL;
  OrtTensorTypeAndShapeInfo *info = NULL;
  size_t rank = 0, count = 0;
  int64_t dims[16];
  OrtValue *out = NULL;
  float *from = NULL, *to = NULL;
  api->KernelContext_GetInput(context, 0, &in);
  api->GetTensorTypeAndShape(in, &info);
  api->GetDimensionsCount(info, &rank);
  api->GetDimensions(info, dims, rank < 16 ? rank : 16);
  api->GetTensorShapeElementCount(info, &count);
  api->ReleaseTensorTypeAndShapeInfo(info);
  api->KernelContext_GetOutput(context, 0, dims, rank < 16 ? rank : 16, &out);
  api->GetTensorMutableData((OrtValue *)in, (void **)&from);
  api->GetTensorMutableData(out, (void **)&to);
  for (size_t i = 0; i < count; i++) to[i] = from[i] / 2;
}

static void destroy_kernel(void *kernel) { (void)kernel; }
static const char *name(const OrtCustomOp *op) { (void)op; return "Halve"; }
static const char *provider(const OrtCustomOp *op) { (void)op; return NULL; }
static ONNXTensorElementDataType type(const OrtCustomOp *op, size_t i) {
  (void)op; (void)i;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
}
static size_t one(const OrtCustomOp *op) { (void)op; return 1; }
static OrtCustomOpInputOutputCharacteristic required(const OrtCustomOp *op, size_t i) {
  (void)op; (void)i;
  return INPUT_OUTPUT_REQUIRED;
}

static OrtCustomOp halve = {
  .version = 1, // of the members that are set
  .CreateKernel = create_kernel,
  .GetName = name,
  .GetExecutionProviderType = provider,
  .GetInputType = type, .GetInputTypeCount = one,
  .GetOutputType = type, .GetOutputTypeCount = one,
  .KernelCompute = compute, .KernelDestroy = destroy_kernel,
  .GetInputCharacteristic = required, .GetOutputCharacteristic = required,
};

OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
  api = base->GetApi(24);
  OrtCustomOpDomain *domain = NULL;
  OrtStatus *status = api->CreateCustomOpDomain("lathe.test", &domain);
  if (!status) status = api->CustomOpDomain_Add(domain, &halve);
  if (!status) status = api->AddCustomOpDomain(options, domain);
  return status;
}
