// Information about a device from NVIDIA's driver, through its libraries NVML and CUDA. They are
// loaded at run time if present, and never linked.
#ifndef LATHE_NVML_H
#define LATHE_NVML_H

#include <stdint.h>

enum { NVML_TEXT = 96 };

// A number that the driver may not know.
struct nvml_number {
  int known;
  uint64_t value;
};

struct nvml_device {
  char name[NVML_TEXT], uuid[NVML_TEXT], driver[NVML_TEXT];
  struct nvml_number sm, max_sm, memory, max_memory;  // MHz
  struct nvml_number power, power_limit;              // milliwatts
  struct nvml_number temperature;                     // degrees Celsius
  struct nvml_number reasons;                         // bits, see nvml.go
  struct nvml_number used, total, own;                // bytes
  struct nvml_number busy;                            // percent
  int shared;
};

// Reads the device with a CUDA number in this process, with the libraries at two paths. The result
// is NULL, or the name of what is missing.
const char *nvml_read(const char *nvml, const char *cuda, int number, uint32_t pid, struct nvml_device *out);

#endif
