//go:build cgo

package worker

// #include <stdlib.h>
// #include "nvml.h"
import "C"

import (
	"errors"
	"math"
	"os"
	"unsafe"

	"lathe/bench/machine"
)

// driverLibraries contains the file names of NVIDIA's management library (NVML) and of the CUDA
// driver's library, which the dynamic loader searches for.
type driverLibraries struct{ nvml, cuda string }

var installedDriver = driverLibraries{"libnvidia-ml.so.1", "libcuda.so.1"}

// slowedBy lists the reasons for low clock rates that are reported as disturbances of a
// measurement, with their bits in NVML (nvmlClocksEventReasons). NVML's other reasons are not
// disturbances: the device is idle, or an administrator has chosen the rate.
var slowedBy = []struct {
	bit  uint64
	text string
}{
	{0x04, "power limit"},
	{0x08, "hardware slowdown"},
	{0x20, "heat (reported by the driver)"},
	{0x40, "heat (reported by the hardware)"},
	{0x80, "power brake"},
}

// read returns the state of the device that has the given CUDA device number in this process. The
// driver reports all numbers in it.
func (l driverLibraries) read(number int) (machine.GPU, error) {
	nvml, cuda := C.CString(l.nvml), C.CString(l.cuda)
	defer C.free(unsafe.Pointer(nvml))
	defer C.free(unsafe.Pointer(cuda))
	var d C.struct_nvml_device
	if problem := C.nvml_read(nvml, cuda, C.int(number), C.uint32_t(os.Getpid()), &d); problem != nil {
		return machine.GPU{}, errors.New(C.GoString(problem))
	}
	g := machine.GPU{
		Name: C.GoString(&d.name[0]), UUID: C.GoString(&d.uuid[0]), Driver: C.GoString(&d.driver[0]),
		SM: nvmlNumber(d.sm, 1), MaxSM: nvmlNumber(d.max_sm, 1), Memory: nvmlNumber(d.memory, 1), MaxMemory: nvmlNumber(d.max_memory, 1),
		Watts: nvmlNumber(d.power, 1000), MaxWatts: nvmlNumber(d.power_limit, 1000),
		Celsius: nvmlNumber(d.temperature, 1), Busy: nvmlNumber(d.busy, 100),
		Used: nvmlBytes(d.used), Total: nvmlBytes(d.total), Own: nvmlBytes(d.own),
		Shared: d.shared != 0,
	}
	for _, r := range slowedBy {
		if d.reasons.known != 0 && uint64(d.reasons.value)&r.bit != 0 {
			g.Slowed = append(g.Slowed, r.text)
		}
	}
	return g, nil
}

func nvmlNumber(n C.struct_nvml_number, per machine.Number) *machine.Number {
	if n.known == 0 {
		return nil
	}
	x := machine.Number(n.value) / per
	return &x
}

func nvmlBytes(n C.struct_nvml_number) *int64 {
	if n.known == 0 || n.value > math.MaxInt64 {
		return nil
	}
	x := int64(n.value)
	return &x
}
