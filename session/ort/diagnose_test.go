package ort

import (
	"debug/elf"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A gpuMachine is a fake tree with a GPU build for CUDA 13 in opt/ort.
type gpuMachine struct {
	root string
	lib  Library
	env  Env
}

func newGPUMachine(t testing.TB) *gpuMachine {
	t.Helper()
	m := &gpuMachine{root: t.TempDir()}
	m.env = Env{Root: m.root, CacheDir: m.path("cache")}
	path := gpuBuild(t, m.path("opt/ort"), "1.30.0", cuda13...)
	m.lib = candidate{path: path}.inspect(SourceFlag, linux)
	return m
}

func (m *gpuMachine) path(name string) string { return filepath.Join(m.root, name) }

// has puts libraries into a folder.
func (m *gpuMachine) has(t testing.TB, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		writeFile(t, filepath.Join(m.path(dir), name), librarySpec(name).build())
	}
}

// hasDriver makes a driver of a version that serves one GPU.
func (m *gpuMachine) hasDriver(t testing.TB, version string) {
	t.Helper()
	m.has(t, "usr/lib", "libcuda.so.1")
	writeFile(t, m.path("dev/nvidia0"), nil)
	writeFile(t, m.path("proc/driver/nvidia/version"),
		[]byte("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "+version+"  Release Build  (dvs-builder)  Wed\nGCC version: gcc 12\n"))
}

func (m *gpuMachine) diagnose(t testing.TB, said string) Diagnosis {
	t.Helper()
	return diagnose(t.Context(), m.lib, Refusal{Provider: "cuda", Reason: said}, m.env, linux)
}

const loadFailed = "OrtSessionOptionsAppendExecutionProvider_Cuda: Failed to load shared library"

var cudaLibraries = []string{"libcublasLt.so.13", "libcublas.so.13", "libcurand.so.10", "libcudart.so.13"}

// TestDiagnose sets up one trouble after the other and reads the line that a person gets.
func TestDiagnose(t *testing.T) {
	const driverHelp = "install NVIDIA's driver, version 580 or newer, on a machine with an NVIDIA GPU"
	const wheels = "python3 -m pip install nvidia-cublas~=13.0 nvidia-curand~=10.0 nvidia-cuda-runtime~=13.0 nvidia-cudnn-cu13~=9.0 nvidia-cufft~=12.0"
	for name, c := range map[string]struct {
		set  func(*testing.T, *gpuMachine)
		said string
		want string // ROOT stands for the machine's folder
	}{
		"nothing there": {
			nil, loadFailed,
			"not found: cuBLAS 13 (libcublasLt.so.13, libcublas.so.13), cuRAND 10 (libcurand.so.10), CUDA 13 runtime (libcudart.so.13), NVIDIA driver (libcuda.so.1); " + wheels + "; " + driverHelp,
		},
		"CUDA 12 there": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				m.has(t, "usr/lib", "libcublasLt.so.12", "libcublas.so.12", "libcurand.so.10", "libcudart.so.12")
			}, loadFailed,
			"not found: cuBLAS 13 (libcublasLt.so.13, libcublas.so.13; there is libcublasLt.so.12 in ROOT/usr/lib), " +
				"CUDA 13 runtime (libcudart.so.13; there is libcudart.so.12 in ROOT/usr/lib); " +
				"python3 -m pip install nvidia-cublas~=13.0 nvidia-cuda-runtime~=13.0 nvidia-cudnn-cu13~=9.0 nvidia-cufft~=12.0, or install the build for CUDA 12: lathe runtime install --cuda --version 1.26.0",
		},
		"where nobody looks": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				m.has(t, "usr/local/cuda-13.0/lib64", cudaLibraries...)
				m.has(t, "usr/local/cuda-13.0/lib64", "libcublas.so.12")
			}, loadFailed,
			"not found: cuBLAS 13 (libcublasLt.so.13, libcublas.so.13; there is libcublasLt.so.13 in ROOT/usr/local/cuda-13.0/lib64), " +
				"cuRAND 10 (libcurand.so.10; there is libcurand.so.10 in ROOT/usr/local/cuda-13.0/lib64), CUDA 13 runtime (libcudart.so.13; there is libcudart.so.13 in ROOT/usr/local/cuda-13.0/lib64); " +
				"add ROOT/usr/local/cuda-13.0/lib64 to LD_LIBRARY_PATH",
		},
		"for another processor": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				m.has(t, "usr/lib", cudaLibraries...)
				s := librarySpec("libcudart.so.13")
				s.machine = elf.EM_AARCH64
				writeFile(t, m.path("usr/lib/libcudart.so.13"), s.build())
			}, loadFailed,
			"not found: CUDA 13 runtime (libcudart.so.13; there is libcudart.so.13 in ROOT/usr/lib); python3 -m pip install nvidia-cuda-runtime~=13.0 nvidia-cudnn-cu13~=9.0 nvidia-cufft~=12.0",
		},
		"modules": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				m.has(t, "usr/lib", cudaLibraries[:3]...)
				m.env.Modules = "/usr/share/lmod"
			}, loadFailed,
			"not found: CUDA 13 runtime (libcudart.so.13); python3 -m pip install nvidia-cuda-runtime~=13.0 nvidia-cudnn-cu13~=9.0 nvidia-cufft~=12.0, or load the environment module that has them (module avail cuda; CUDA 13)",
		},
		"what it needs needs another": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				m.has(t, "usr/lib", cudaLibraries...)
				writeFile(t, m.path("usr/lib/libcublas.so.13"), librarySpec("libcublas.so.13", "libfrob.so.7", "libcublasLt.so.13").build())
			}, loadFailed,
			"not found: libfrob.so.7; install the package that has libfrob.so.7, or add its folder to LD_LIBRARY_PATH",
		},
		"no bridge": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				m.has(t, "usr/lib", cudaLibraries...)
				removeFile(t, m.path("opt/ort/libonnxruntime_providers_shared.so"))
			}, loadFailed,
			"not found: libonnxruntime_providers_shared.so; install the package that has libonnxruntime_providers_shared.so, or add its folder to LD_LIBRARY_PATH",
		},
		"no driver": {
			func(t *testing.T, m *gpuMachine) { m.has(t, "usr/lib", cudaLibraries...) }, loadFailed,
			"not found: NVIDIA driver (libcuda.so.1); " + driverHelp,
		},
		"no driver in a container": {
			func(t *testing.T, m *gpuMachine) {
				m.has(t, "usr/lib", cudaLibraries...)
				writeFile(t, m.path(".dockerenv"), nil)
			}, loadFailed,
			"not found: NVIDIA driver (libcuda.so.1); start the container with access to the GPU (docker run --gpus all), on a machine that has one",
		},
		"driver too old": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "550.54.14")
				m.has(t, "usr/lib", cudaLibraries...)
			}, "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version ; GPU=-1 ; hostname=h",
			"the NVIDIA driver 550.54.14 is too old for CUDA 13, which needs 580 or newer; update the driver, or install the build for CUDA 12: lathe runtime install --cuda --version 1.26.0",
		},
		"driver too old for any": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "470.1")
				m.has(t, "usr/lib", cudaLibraries...)
			}, "",
			"the NVIDIA driver 470.1 is too old for CUDA 13, which needs 580 or newer; " + driverHelp,
		},
		"no device": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				removeFile(t, m.path("dev/nvidia0"))
				m.has(t, "usr/lib", cudaLibraries...)
			}, "CUDA failure 100: no CUDA-capable device is detected ; GPU=-1",
			"no NVIDIA GPU is visible: there is no /dev/nvidia0, although driver 580.65.06 is loaded; " + driverHelp,
		},
		"library without kernel module": {
			func(t *testing.T, m *gpuMachine) { m.has(t, "usr/lib", append(cudaLibraries, "libcuda.so.1")...) }, loadFailed,
			"no NVIDIA GPU is visible: the kernel has no NVIDIA driver loaded; " + driverHelp,
		},
		"GPU hidden": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				m.has(t, "usr/lib", cudaLibraries...)
			}, "CUDA failure 100: no CUDA-capable device is detected ; GPU=-1",
			"the driver sees no GPU (CUDA failure 100: no CUDA-capable device is detected); check whether CUDA_VISIBLE_DEVICES hides it and whether nvidia-smi lists it",
		},
		"all there": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				m.has(t, "usr/lib", cudaLibraries...)
			}, "some\ntext",
			"some text",
		},
		"all there and no word": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				m.has(t, "usr/lib", cudaLibraries...)
			}, "",
			"nothing is missing among the libraries that it needs, and the runtime gave no reason",
		},
		"the loader knows better": {
			func(t *testing.T, m *gpuMachine) {
				m.hasDriver(t, "580.65.06")
				m.has(t, "usr/lib", cudaLibraries...)
			}, "Failed to load library libonnxruntime_providers_cuda.so with error: libcudnn.so.9: cannot open shared object file: No such file or directory",
			"not found: cuDNN 9 (libcudnn.so.9); python3 -m pip install nvidia-cudnn-cu13~=9.0 nvidia-cufft~=12.0",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newGPUMachine(t)
			if c.set != nil {
				c.set(t, m)
			}
			d := m.diagnose(t, c.said)
			if got := strings.ReplaceAll(d.String(), m.root, "ROOT"); got != c.want {
				t.Errorf("%s\nexpected %s", got, c.want)
			}
			if d.Said != strings.ReplaceAll(c.said, "\n", " ") || d.Provider != "cuda" || d.Driver == nil {
				t.Errorf("%+v", d)
			}
		})
	}
}

// TestDiagnoseBuild is about builds that were compiled without the provider.
func TestDiagnoseBuild(t *testing.T) {
	const said = "CUDA execution provider is not enabled in this build. "
	for name, c := range map[string]struct {
		provider, said string
		source         Source
		cached         bool // a GPU build lies in the cache
		want           string
	}{
		"from the cache":   {"cuda", said, SourceCache, false, "this build of ONNX Runtime 1.30.0 has no CUDA provider; get a build that has it: lathe runtime install --cuda"},
		"of Python":        {"cuda", said, SourcePython, false, "this build of ONNX Runtime 1.30.0 has no CUDA provider; get a build that has it: lathe runtime install --cuda, and name what it installs with --runtime"},
		"without a word":   {"tensorrt", "", SourceCache, false, "this build of ONNX Runtime 1.30.0 has no TensorRT provider; get a build that has it: lathe runtime install --cuda"},
		"one in the cache": {"cuda", said, SourcePython, true, "this build of ONNX Runtime 1.30.0 has no CUDA provider; use the installed build that has it: --runtime ROOT/cache/lathe/runtime/1.30.0-cuda/libonnxruntime.so.1.30.0"},
		"OpenVINO":         {"openvino", "", SourceCache, false, "this build of ONNX Runtime 1.30.0 has no OpenVINO provider; get its library: lathe runtime install --ep openvino"},
		"unknown":          {"frob", "Unknown provider name 'frob'. Currently supported values are 'DML'/'DmlExecutionProvider', 'QNN'/'QNNExecutionProvider'", SourceCache, false, `ONNX Runtime 1.30.0 does not know a provider named "frob"; name one of cpu, cuda, tensorrt, dml, qnn`},
		"known elsewhere":  {"cann", "Unknown provider name 'cann'. Currently supported values are 'DML'/'DmlExecutionProvider'", SourceCache, false, `this build of ONNX Runtime 1.30.0 has no CANN provider; get a build that has it: pip install onnxruntime-cann (replaces onnxruntime)`},
		"DirectML":         {"dml", "DML execution provider is not supported in this build. ", SourceCache, false, `this build of ONNX Runtime 1.30.0 has no DirectML provider; give the path of a build that has it with --runtime`},
		"in no package":    {"rocm", "Unknown provider name 'ROCM'. Currently supported values are 'DML'/'DmlExecutionProvider'", SourceCache, false, `this build of ONNX Runtime 1.30.0 has no ROCm provider; give the path of a build that has it with --runtime`},
		"compiled in":      {"webgpu", "no adapter", SourceCache, false, "no adapter"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := writeFile(t, filepath.Join(root, "lib/libonnxruntime.so.1.30.0"), runtimeELF("1.30.0"))
			env := Env{Root: root, CacheDir: filepath.Join(root, "cache")}
			if c.cached {
				gpuBuild(t, filepath.Join(runtimeStore(env.CacheDir), "1.30.0-cuda"), "1.30.0", cuda13...)
			}
			d := diagnose(t.Context(), candidate{path: path}.inspect(c.source, linux), Refusal{Provider: c.provider, Reason: c.said}, env, linux)
			if got := strings.ReplaceAll(d.String(), root, "ROOT"); got != c.want {
				t.Errorf("%s\nexpected %s", got, c.want)
			}
		})
	}
}

// TestDiagnoseElsewhere holds that a library on another machine is judged by words alone.
func TestDiagnoseElsewhere(t *testing.T) {
	lib := Library{Path: "/nonexistent/libonnxruntime.so.1.30.0", Version: "1.30.0"}
	d := diagnose(t.Context(), lib, Refusal{Provider: "cuda", Reason: "libcublasLt.so.13: cannot open shared object file: No such file or directory"}, Env{Root: t.TempDir()}, linux)
	const want = "not found: cuBLAS 13 (libcublasLt.so.13); python3 -m pip install nvidia-cublas~=13.0"
	if d.String() != want {
		t.Errorf("%s\nexpected %s", d, want)
	}
}

func TestDiagnosisJSON(t *testing.T) {
	m := newGPUMachine(t)
	m.hasDriver(t, "580.65.06")
	m.has(t, "usr/lib", cudaLibraries[1:]...)
	m.has(t, "usr/lib", "libcudnn.so.9")
	text, err := json.Marshal(m.diagnose(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.ReplaceAll(string(text), m.root, "ROOT")
	want := `{"provider":"cuda","reason":"not found: cuBLAS 13 (libcublasLt.so.13)",` +
		`"missing":[{"name":"libcublasLt.so.13","product":"cuBLAS 13","needed_by":"ROOT/opt/ort/libonnxruntime_providers_cuda.so","near":[]}],` +
		`"missing_later":[{"name":"libcufft.so.12","product":"cuFFT 12","needed_by":"ROOT/opt/ort/libonnxruntime_providers_cuda.so","near":[]}],` +
		`"driver":{"library":"ROOT/usr/lib/libcuda.so.1","version":"580.65.06","devices":["ROOT/dev/nvidia0"]},` +
		`"remedy":"python3 -m pip install nvidia-cublas~=13.0 nvidia-cufft~=12.0","said":""}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
