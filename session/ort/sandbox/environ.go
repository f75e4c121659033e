package sandbox

import (
	"slices"
	"strings"
)

// environment lists the variables that a worker gets. A name that ends in "*" means every name
// that begins so. Everything else stays with the client, because the variables of a shell often hold
// passwords and tokens.
var environment = []string{
	// the system and the C library
	"HOME", "LANG", "LANGUAGE", "LC_*", "LOCPATH", "PATH", "TMPDIR", "TZ", "TZDIR", "USER", "LD_LIBRARY_PATH", "LD_PRELOAD",
	"LD_BIND_NOW", "GLIBC_TUNABLES", "MALLOC_*", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_DIRS", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
	// Go, and Lathe itself
	"GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GORACE", "GOTRACEBACK", "GOCOVERDIR", "LATHE_*",
	// where libraries are looked for
	"VIRTUAL_ENV", "CONDA_PREFIX", "MODULESHOME",
	// which job of Slurm a worker belongs to
	"SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_CPUS_*",
	// the runtime and libraries for threads and arithmetic
	"ORT_*", "ONNXRUNTIME_*", "OMP_*", "KMP_*", "GOMP_*", "MKL_*", "OPENBLAS_*", "DNNL_*", "ONEDNN_*", "TBB_*",
	// devices and their libraries
	"CUDA_*", "NVIDIA_*", "NCCL_*", "CUDNN_*", "CUBLAS_*", "TENSORRT_*", "TF32_*", "HIP_*", "HSA_*", "ROCR_*", "ROCM_*", "MIOPEN_*",
	"MIGRAPHX_*", "AMD_*", "GPU_*", "OPENVINO_*", "OV_*", "ZE_*", "NEO*", "SYCL_*", "ONEAPI_*", "OCL_*", "OPENCL_*", "VK_*", "DAWN_*",
	"MESA_*", "LIBGL_*", "LP_NUM_THREADS", "QNN_*", "ADSP_LIBRARY_PATH", "ASCEND_*", "XILINX_*", "XLNX_*", "VITISAI_*",
}

// Environ returns the variables of env, each as NAME=VALUE, that a worker gets.
func Environ(env []string) []string {
	var out []string
	for _, e := range env {
		if name, _, ok := strings.Cut(e, "="); ok && passes(name) && !secret(name) {
			out = append(out, e)
		}
	}
	return out
}

func passes(name string) bool {
	return slices.ContainsFunc(environment, func(pattern string) bool {
		prefix, many := strings.CutSuffix(pattern, "*")
		return name == pattern || many && strings.HasPrefix(name, prefix)
	})
}

// secret reports whether a name says that its value is one, such as LATHE_TOKEN, although its
// beginning is allowed.
func secret(name string) bool {
	return slices.ContainsFunc([]string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "ACCESS_KEY", "PRIVATE_KEY"}, func(word string) bool {
		return strings.Contains(name, word)
	})
}
