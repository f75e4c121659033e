package ort

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A gpuBuild is a GPU build in a folder of a machine: the library, the bridge, and providers that
// need what those of ONNX Runtime 1.30.0 need, of one version of CUDA.
func gpuBuild(t testing.TB, capi, version string, needed ...string) string {
	t.Helper()
	path := writeFile(t, filepath.Join(capi, "libonnxruntime.so."+version), runtimeELF(version))
	writeFile(t, filepath.Join(capi, "libonnxruntime_providers_shared.so"), librarySpec("libonnxruntime_providers_shared.so").build())
	writeFile(t, filepath.Join(capi, "libonnxruntime_providers_cuda.so"), librarySpec("", needed...).build())
	return path
}

// cuda13 is what the CUDA provider of ONNX Runtime 1.30.0 needs, but for the system's libraries.
var cuda13 = []string{"libcublasLt.so.13", "libcublas.so.13", "libcurand.so.10", "libcudart.so.13", "libcuda.so.1"}

// TestGPUWheels lays out what pip leaves after onnxruntime-gpu[cuda,cudnn] and TensorRT.
func TestGPUWheels(t *testing.T) {
	site := filepath.Join(t.TempDir(), "lib/python3.12/site-packages")
	capi := filepath.Join(site, "onnxruntime/capi")
	gpuBuild(t, capi, "1.30.0", cuda13...)
	writeFile(t, filepath.Join(capi, "libonnxruntime_providers_tensorrt.so"), nil)
	writeFile(t, filepath.Join(site, "nvidia/cu13/lib/libcudart.so.13"), nil)
	writeFile(t, filepath.Join(site, "nvidia/cudnn/lib/libcudnn.so.9"), nil)
	writeFile(t, filepath.Join(site, "nvidia/cuda_cccl/include/x.h"), nil)
	writeFile(t, filepath.Join(site, "tensorrt_libs/libnvinfer.so.10"), nil)
	writeFile(t, filepath.Join(site, "tensorrt_rtx_libs/libtensorrt_rtx.so.1"), nil)
	prefix := filepath.Join(site, "../../..")
	want := Library{
		Path: filepath.Join(capi, "libonnxruntime.so.1.30.0"), Version: "1.30.0", Source: SourceFlag,
		Usable: true, Providers: []string{"cuda", "tensorrt", "cpu"}, CUDA: true, Refused: []Diagnosis{},
		LibraryDirs: []string{
			filepath.Join(site, "nvidia/cu13/lib"), filepath.Join(site, "nvidia/cudnn/lib"),
			filepath.Join(site, "tensorrt_libs"), filepath.Join(site, "tensorrt_rtx_libs"),
		},
	}
	for _, flag := range []string{want.Path, capi, filepath.Dir(capi), site, prefix} {
		lib, err := choose(t.Context(), Env{Flag: flag, Root: t.TempDir()}, linux)
		if diff := cmp.Diff(want, lib); diff != "" || err != nil {
			t.Errorf("--runtime %s: %v\n%s", flag, err, diff)
		}
	}
}

// TestNVIDIADirs tells which folders go on the loader's path of a build for CUDA 13 that lies in a
// folder of its own, by what is active.
func TestNVIDIADirs(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	library := gpuBuild(t, at("cache/lathe/runtime/1.30.0-cuda"), "1.30.0", cuda13...)
	for _, file := range []string{
		"venv13/lib/python3.12/site-packages/nvidia/cu13/lib/libcudart.so.13",
		"venv13/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9",
		"venv12/lib/python3.12/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12",
		"venv12/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9",
		"conda/conda-meta/history",
		"conda/lib/libcudnn.so.9",
		"conda/targets/x86_64-linux/lib/libcudart.so.13",
		"conda/lib/python3.12/site-packages/tensorrt_libs/libnvinfer.so.10",
		"plain/conda-meta/history",
		"plain/lib/libssl.so.3",
	} {
		writeFile(t, at(file), nil)
	}
	python := writeScript(t, at("bin/python3"), "echo nvidia="+at("venv13/lib/python3.12/site-packages/nvidia"))
	venv13 := []string{at("venv13/lib/python3.12/site-packages/nvidia/cu13/lib"), at("venv13/lib/python3.12/site-packages/nvidia/cudnn/lib")}
	conda := []string{at("conda/lib"), at("conda/targets/x86_64-linux/lib"), at("conda/lib/python3.12/site-packages/tensorrt_libs")}
	for _, name := range append([]string{"libcudnn.so.9", "libcufft.so.12"}, cuda13[:4]...) {
		writeFile(t, at("system/usr/lib/"+name), librarySpec(name).build())
	}
	for name, c := range map[string]struct {
		env    Env
		system bool // the system has all that is needed
		want   []string
	}{
		"nothing active":     {Env{}, false, []string{}},
		"its CUDA":           {Env{VirtualEnv: at("venv13")}, false, venv13},
		"the system's":       {Env{VirtualEnv: at("venv13")}, true, []string{}},
		"another CUDA":       {Env{VirtualEnv: at("venv12")}, false, []string{}},
		"conda":              {Env{CondaPrefix: at("conda")}, false, conda},
		"conda without CUDA": {Env{CondaPrefix: at("plain")}, false, []string{}},
		"both":               {Env{VirtualEnv: at("venv12"), CondaPrefix: at("conda")}, false, conda},
		"Python in PATH":     {Env{Path: at("bin")}, false, venv13},
		"Python named":       {Env{Python: python, VirtualEnv: at("venv12")}, false, venv13},
	} {
		t.Run(name, func(t *testing.T) {
			c.env.Root = at("empty")
			if c.system {
				c.env.Root = at("system")
			}
			if diff := cmp.Diff(c.want, nvidiaDirs(t.Context(), c.env, library, linux)); diff != "" {
				t.Error(diff)
			}
		})
	}
	inConda := gpuBuild(t, at("conda/lib"), "1.30.0", cuda13...)
	if diff := cmp.Diff(conda, nvidiaDirs(t.Context(), Env{Root: at("empty"), VirtualEnv: at("venv12")}, inConda, linux)); diff != "" {
		t.Errorf("a build of conda's own: %s", diff)
	}
}

// TestLinkedLibrary holds that a link is followed to where the providers are: the runtime looks for
// them beside the name that it was loaded by.
func TestLinkedLibrary(t *testing.T) {
	root := t.TempDir()
	real := gpuBuild(t, filepath.Join(root, "opt"), "1.30.0", cuda13...)
	link := filepath.Join(root, "lib/libonnxruntime.so.1")
	writeFile(t, filepath.Join(root, "lib/readme"), nil)
	symlink(t, real, link)
	lib := candidate{path: link}.inspect(SourceFlag, linux)
	if lib.Path != real || !lib.CUDA {
		t.Errorf("%+v, expected the path %s", lib, real)
	}
	plain := writeFile(t, filepath.Join(root, "cpu/libonnxruntime.so.1.30.0"), runtimeELF("1.30.0"))
	link = filepath.Join(root, "lib/libonnxruntime.so.1.30.0")
	symlink(t, plain, link)
	if lib := (candidate{path: link}).inspect(SourceFlag, linux); lib.Path != link {
		t.Errorf("%s, expected a link without providers behind it to stay", lib.Path)
	}
}

// TestTooOldGPUBuild holds that a GPU build is to be replaced by one.
func TestTooOldGPUBuild(t *testing.T) {
	for command, providers := range map[string]bool{"lathe runtime install --cuda": true, "lathe runtime install": false} {
		dir := t.TempDir()
		path := writeFile(t, filepath.Join(dir, "libonnxruntime.so.1.20.0"), runtimeELF("1.20.0"))
		if providers {
			gpuBuild(t, dir, "1.20.0", cuda13...)
		}
		want := "version 1.20.0 is too old, 1.24.1 or newer is needed: " + command
		if lib := (candidate{path: path}).inspect(SourceFlag, linux); lib.Reason != want || lib.Usable {
			t.Errorf("%q, expected %q", lib.Reason, want)
		}
	}
}
