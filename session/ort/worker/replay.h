// Copies between the memory of an NVIDIA device and the host, with the driver's library. It is loaded at
// run time and never linked.
#ifndef LATHE_REPLAY_H
#define LATHE_REPLAY_H

#include <stddef.h>

// Copies bytes to the device if to_device is set, and otherwise to the host. A context of the device has
// to be current in this thread, as is so after a run. The result is NULL, or the problem.
const char *cuda_copy(void *to, const void *from, size_t bytes, int to_device);

#endif
