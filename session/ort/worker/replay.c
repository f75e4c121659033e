#include "replay.h"

#include <dlfcn.h>
#include <stdint.h>

typedef uint64_t device_pointer;

const char *cuda_copy(void *to, const void *from, size_t bytes, int to_device) {
  // It stays open, because ONNX Runtime's provider uses it too.
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!driver) return "no CUDA driver library";
  int failed;
  if (to_device) {
    int (*copy)(device_pointer, const void *, size_t) = (int (*)(device_pointer, const void *, size_t))dlsym(driver, "cuMemcpyHtoD_v2");
    if (!copy) return "the CUDA driver lacks a function";
    failed = copy((device_pointer)(uintptr_t)to, from, bytes);
  } else {
    int (*copy)(void *, device_pointer, size_t) = (int (*)(void *, device_pointer, size_t))dlsym(driver, "cuMemcpyDtoH_v2");
    if (!copy) return "the CUDA driver lacks a function";
    failed = copy(to, (device_pointer)(uintptr_t)from, bytes);
  }
  return failed ? "the CUDA driver does not copy the memory of the device" : NULL;
}
