package ort

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/session/ort/ep"
)

// driverLibrary is part of NVIDIA's driver and of no other package.
const driverLibrary = "libcuda.so.1"

// A product is what a user has to install to get a library, such as cuDNN.
type product struct {
	words string // %s is replaced by the version; texts without %s do not mention it
	// wheel is the name of the Python package without its suffix for the version of CUDA. Packages
	// for CUDA 12 have the suffix ("-cu12"). Those for CUDA 13 have it only if always is set.
	wheel  string
	always bool
}

// products maps the file name of a library, up to ".so", to its product.
var products = map[string]product{
	"libcudart":                  {"CUDA %s runtime", "nvidia-cuda-runtime", false},
	"libcublas":                  {"cuBLAS %s", "nvidia-cublas", false},
	"libcublasLt":                {"cuBLAS %s", "nvidia-cublas", false},
	"libcurand":                  {"cuRAND %s", "nvidia-curand", false},
	"libcufft":                   {"cuFFT %s", "nvidia-cufft", false},
	"libcusparse":                {"cuSPARSE %s", "nvidia-cusparse", false},
	"libcusolver":                {"cuSOLVER %s", "nvidia-cusolver", false},
	"libcupti":                   {"CUPTI %s", "nvidia-cuda-cupti", false},
	"libnvrtc":                   {"NVRTC %s", "nvidia-cuda-nvrtc", false},
	"libnvJitLink":               {"nvJitLink %s", "nvidia-nvjitlink", false},
	"libnccl":                    {"NCCL %s", "nvidia-nccl", true},
	"libcudnn":                   {"cuDNN %s", "nvidia-cudnn", true},
	"libnvinfer":                 {"TensorRT %s", "tensorrt", true},
	"libnvinfer_plugin":          {"TensorRT %s", "tensorrt", true},
	"libnvonnxparser":            {"TensorRT %s", "tensorrt", true},
	"libcuda":                    {"NVIDIA driver", "", false},
	"libnvidia-ml":               {"NVIDIA driver", "", false},
	"libstdc++":                  {"C++ library of GCC", "", false},
	"libopenvino":                {"OpenVINO", "openvino", false},
	"libamdhip64":                {"ROCm %s", "", false},
	"libmigraphx_c":              {"MIGraphX", "", false},
	"libtensorrt_rtx":            {"TensorRT for RTX %s", "", false},
	"libtensorrt_onnxparser_rtx": {"TensorRT for RTX %s", "", false},
}

func lookupProduct(name string) (p product, version string, known bool) {
	stem, version := splitSoname(name)
	if strings.HasPrefix(stem, "libcudnn") { // cuDNN is split into libcudnn_adv, libcudnn_ops and more
		stem = "libcudnn"
	}
	p, known = products[stem]
	return p, version, known
}

// productOf returns a short description of the product that a library belongs to, such as its name
// and version. It returns "" if the product is not known.
func productOf(name string) string {
	p, version, known := lookupProduct(name)
	if !known {
		return ""
	}
	if !strings.Contains(p.words, "%s") {
		return p.words
	}
	return strings.TrimSpace(fmt.Sprintf(p.words, version))
}

// wheelOf returns the requirement to give to pip to get a library for a version of CUDA. It is
// empty if no Python package has the library.
func wheelOf(name string, cuda int) string {
	p, version, known := lookupProduct(name)
	if !known || p.wheel == "" || cuda == 0 {
		return ""
	}
	wheel, nvidias := p.wheel, strings.HasPrefix(p.wheel, "nvidia-")
	switch {
	case p.always, nvidias && cuda < 13:
		wheel += "-cu" + strconv.Itoa(cuda)
	}
	if major := majorOf(version); major > 0 {
		wheel += fmt.Sprintf("~=%d.0", major)
	}
	return wheel
}

// lazilyLoaded returns the libraries that a provider loads only when an operator first needs them.
// Libraries in needed are left out, because the provider's library lists them as needed and they
// are loaded with it.
func lazilyLoaded(provider ep.Provider, cuda int, needed []string) []string {
	var names []string
	for _, l := range provider.Later {
		if (l.CUDA == cuda || l.CUDA == 0 && cuda >= 12) && !slices.Contains(needed, l.Name) {
			names = append(names, l.Name)
		}
	}
	return names
}
