package ort

import (
	"strings"
	"testing"
)

func TestReadWords(t *testing.T) {
	for name, c := range map[string]struct {
		said string
		want words
	}{
		"nothing": {"", words{}},
		"the runtime's": {
			"/onnxruntime_src/onnxruntime/core/session/provider_bridge_ort.cc:1778 onnxruntime::Provider& onnxruntime::ProviderLibrary::Get() [ONNXRuntimeError] : 1 : FAIL : " +
				"Failed to load library libonnxruntime_providers_cuda.so with error: libcudnn_adv.so.9: cannot open shared object file: No such file or directory\n",
			words{missing: "libcudnn_adv.so.9"},
		},
		"with its path":    {"/opt/ort/libonnxruntime_providers_shared.so: cannot open shared object file: No such file or directory", words{missing: "libonnxruntime_providers_shared.so"}},
		"unknown option":   {`Unknown provider option: "nosuch".`, words{}},
		"not in the build": {"CUDA execution provider is not enabled in this build.", words{notInBuild: true}},
		"symbol version": {
			"Failed to load library x.so with error: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /opt/libonnxruntime_providers_cuda.so)",
			words{
				trouble: "/lib/x86_64-linux-gnu/libstdc++.so.6 is too old: it lacks GLIBCXX_3.4.32, which /opt/libonnxruntime_providers_cuda.so needs",
				remedy:  "run it on a newer system, or with a newer library of that name first in LD_LIBRARY_PATH",
			},
		},
		"symbol": {
			"libcudnn_graph.so.9: undefined symbol: cublasLtGetVersion, version libcublasLt.so.12",
			words{
				trouble: "libcudnn_graph.so.9 needs the symbol cublasLtGetVersion, which none of the libraries that were found has: their versions do not match",
				remedy:  "install the library and its provider from one package, and check LD_LIBRARY_PATH for other copies",
			},
		},
		"damaged":    {"/opt/libcudart.so.13: file too short", words{trouble: "/opt/libcudart.so.13 cannot be loaded: file too short", remedy: "reinstall it: the file is damaged or for another processor"}},
		"noexec":     {"/mnt/x.so: failed to map segment from shared object", words{trouble: "/mnt/x.so cannot be loaded: failed to map segment from shared object", remedy: "check whether its file system is mounted noexec, and whether there is free memory"}},
		"unreadable": {"/opt/x.so.1: cannot open shared object file: Permission denied", words{trouble: "/opt/x.so.1 cannot be loaded: cannot open shared object file: Permission denied", remedy: "make it readable"}},
		"CUDA": {
			"CUDA failure 803: system has unsupported display driver / cuda driver combination ; GPU=0 ; hostname=h ; file=/x.cc ; line=282 ; expr=cudaSetDevice(info_.device_id);",
			words{
				code: 803, trouble: "the driver's library and the kernel module have different versions (CUDA failure 803: system has unsupported display driver / cuda driver combination)",
				remedy: "restart the machine, or reload the kernel module",
			},
		},
		"CUDA, unknown": {"CUDA failure 77: an illegal memory access was encountered ; GPU=0", words{trouble: "CUDA failure 77: an illegal memory access was encountered"}},
		"cuDNN":         {"CUDNN failure 1001: CUDNN_STATUS_NOT_INITIALIZED ; GPU=0", words{trouble: "CUDNN failure 1001: CUDNN_STATUS_NOT_INITIALIZED"}},
		"of another":    {"CUBLAS failure 35: the GPU program failed to execute ; GPU=0", words{trouble: "CUBLAS failure 35: the GPU program failed to execute"}},
		"hostile":       {"\x1b[31m.so: cannot open shared object file: No such file", words{missing: "\x1b[31m.so"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := readWords(c.said); got != c.want {
				t.Errorf("%+v\nexpected %+v", got, c.want)
			}
		})
	}
}

// FuzzDiagnoseWords holds that whatever a worker says, what is made of it is one printable line.
func FuzzDiagnoseWords(f *testing.F) {
	f.Add("libcublasLt.so.13: cannot open shared object file: No such file or directory")
	f.Add("CUDA failure 100: no CUDA-capable device is detected ; GPU=-1")
	f.Add("\x1b[31m.so: cannot open shared object file: No such file")
	f.Fuzz(func(t *testing.T, said string) {
		d := diagnose(t.Context(), Library{Path: "/nonexistent/x.so"}, Refusal{Provider: "cuda", Reason: said}, Env{Root: "/nonexistent"}, "plan9/amd64")
		for _, line := range []string{d.String(), d.Said} {
			if strings.ContainsAny(line, "\n\x1b") {
				t.Errorf("%q", line)
			}
		}
	})
}

func TestWheelOf(t *testing.T) {
	for name, want := range map[string][2]string{ // for CUDA 12 and 13
		"libcudart.so.12":     {"nvidia-cuda-runtime-cu12~=12.0", ""},
		"libcudart.so.13":     {"", "nvidia-cuda-runtime~=13.0"},
		"libcurand.so.10":     {"nvidia-curand-cu12~=10.0", "nvidia-curand~=10.0"},
		"libcudnn_adv.so.9":   {"nvidia-cudnn-cu12~=9.0", "nvidia-cudnn-cu13~=9.0"},
		"libnvinfer.so.10":    {"tensorrt-cu12~=10.0", "tensorrt-cu13~=10.0"},
		"libcuda.so.1":        {"", ""},
		"libfrob.so.1":        {"", ""},
		"libcudart.so.x":      {"nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime"},
		"not a library":       {"", ""},
		"libnvrtc.so.12.99.1": {"nvidia-cuda-nvrtc-cu12~=12.0", "nvidia-cuda-nvrtc~=12.0"},
	} {
		for i, cuda := range []int{12, 13} {
			if got := wheelOf(name, cuda); got != want[i] && want[i] != "" {
				t.Errorf("%s for CUDA %d: %q, expected %q", name, cuda, got, want[i])
			}
		}
	}
	if got := wheelOf("libcudart.so.13", 0); got != "" {
		t.Errorf("%q for no known CUDA", got)
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{"/opt/x-1.0/lib": "/opt/x-1.0/lib", "/a b": "'/a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "": "''"} {
		if got := shellWord(in); got != want {
			t.Errorf("%q becomes %s, expected %s", in, got, want)
		}
	}
}
