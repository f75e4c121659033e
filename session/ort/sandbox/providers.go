package sandbox

import (
	"lathe/session/ort/ep"
)

// addition is what a provider needs beyond the CPU.
type addition struct {
	read    []string // folders and files
	devices []string // patterns of device files, which can be read, written and controlled
	named   []string // variables of the environment that name files
	calls   []string // system calls
}

// accelerator is what every provider but the CPU needs. Drivers look at the machine in many places
// below /proc and /sys. Landlock keeps the memory and the environment of other processes out of
// reach anyway.
var accelerator = addition{
	read:    []string{"/usr", "/opt", "/proc", "/sys", "/etc/OpenCL", "/etc/vulkan", "/etc/glvnd", "/etc/drirc", "/etc/nvidia", "/run/nvidia", "/dev/shm"},
	devices: []string{"/dev/dri", "/dev/udmabuf"},
	calls:   []string{"ioctl", "memfd_create", "mlock", "mlock2", "munlock", "mbind", "timerfd_create", "timerfd_settime", "timerfd_gettime", "eventfd", "signalfd4", "getgroups", "getresuid", "getresgid", "capget", "sched_setscheduler", "setpriority", "futex_waitv"},
}

// vulkan is what the loader of Vulkan needs, which WebGPU uses.
var vulkan = addition{named: []string{"VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_LAYER_PATH"}}

// additions have what single providers need beyond accelerator. Those for CUDA and ROCm follow the
// documents of their drivers and were not run.
var additions = map[string]addition{
	"webgpu":        vulkan,
	ep.CUDA:         nvidia,
	"tensorrt":      nvidia,
	"nvtensorrtrtx": nvidia,
	"rocm":          amd,
	"migraphx":      amd,
	"openvino":      {devices: []string{"/dev/accel"}, named: []string{"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"}},
	"qnn":           {devices: []string{"/dev/fastrpc-*", "/dev/adsprpc-smd*", "/dev/dma_heap"}, named: []string{"ADSP_LIBRARY_PATH"}},
	"cann":          {devices: []string{"/dev/davinci*", "/dev/devmm_svm", "/dev/hisi_hdc"}, named: []string{"ASCEND_OPP_PATH", "ASCEND_HOME_PATH"}},
}

var (
	nvidia = addition{devices: []string{"/dev/nvidia*", "/dev/nvidia-caps", "/dev/dxg"}}
	amd    = addition{devices: []string{"/dev/kfd"}}
)

// additionOf returns what a provider needs beyond the CPU. A provider without a row gets what every
// accelerator gets.
func additionOf(name string) addition {
	if row, known := ep.Find(name); known {
		name = row.Name
	}
	own := additions[name]
	return addition{
		read:    append(append([]string{}, accelerator.read...), own.read...),
		devices: append(append([]string{}, accelerator.devices...), own.devices...),
		named:   own.named,
		calls:   append(append([]string{}, accelerator.calls...), own.calls...),
	}
}
