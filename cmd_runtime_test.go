package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"lathe/session/ort"
)

func TestRuntimeReport(t *testing.T) {
	for name, c := range map[string]struct {
		libs []ort.Library
		want string
	}{
		"none": {nil, "no ONNX Runtime found; get one with: lathe runtime install\n"},
		"some": {[]ort.Library{
			{Path: "/a/libonnxruntime.so", Version: "1.30.0", Source: ort.SourceCache, Usable: true, Providers: []string{"cpu"}, Refused: []ort.Diagnosis{
				{Provider: "cuda", Reason: "not found: NVIDIA driver (libcuda.so.1)", Remedy: "install it"},
				{Provider: "webgpu", Reason: "no\x1badapter"},
			}},
			{Path: "/b\nc", Source: ort.SourceFlag, Reason: "not an ELF file"},
		}, `   version  from   providers        path
✓  1.30.0   cache  cpu              /a/libonnxruntime.so
✗           flag   not an ELF file  /b\x0ac
cuda does not attach to /a/libonnxruntime.so
  why   not found: NVIDIA driver (libcuda.so.1)
  help  install it
webgpu does not attach to /a/libonnxruntime.so
  why   no\x1badapter
`},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := (runtimeReport{"", c.libs}).WriteText(&out); err != nil || out.String() != c.want {
				t.Errorf("%v\n%s\nexpected\n%s", err, out.String(), c.want)
			}
		})
	}
}

// TestGPUBuildIsExplained probes a GPU build that LATHE_GPU_BUILD names, such as a virtual
// environment with onnxruntime-gpu or its unpacked wheel: CUDA attaches, or it is told why not.
func TestGPUBuildIsExplained(t *testing.T) {
	build := os.Getenv("LATHE_GPU_BUILD")
	if build == "" {
		t.Skip("LATHE_GPU_BUILD names no folder with a GPU build of ONNX Runtime")
	}
	app := &app{runtime: build}
	env := app.discovery()
	lib, err := ort.Choose(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	if !lib.CUDA {
		t.Fatalf("%s: no CUDA provider lies beside it", lib.Path)
	}
	probed := ort.Probe(t.Context(), env, []ort.Library{lib}, app.workers().Probe)[0]
	if !probed.Usable {
		t.Fatal(probed.Reason)
	}
	for _, provider := range []string{"cuda", "tensorrt"} {
		at := slices.IndexFunc(probed.Refused, func(d ort.Diagnosis) bool { return d.Provider == provider })
		if slices.Contains(probed.Providers, provider) == (at >= 0) {
			t.Fatalf("%s is both attached and refused, or neither: %+v", provider, probed)
		}
		if at < 0 {
			continue
		}
		d := probed.Refused[at]
		t.Logf("%s: %s", provider, d)
		if d.Said == "" || d.Reason == d.Said || d.Remedy == "" || strings.Contains(d.String(), "\n") {
			t.Errorf("%s is not explained: %+v", provider, d)
		}
	}
}
