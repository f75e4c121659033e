package command

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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
			if err := (runtimeReport{Libraries: c.libs}).WriteText(&out); err != nil || out.String() != c.want {
				t.Errorf("%v\n%s\nexpected\n%s", err, out.String(), c.want)
			}
		})
	}
}

// TestGPUBuildIsExplained tries the GPU build that LATHE_GPU_BUILD names: a virtual environment
// with onnxruntime-gpu, or its unpacked wheel. Either CUDA attaches, or the report explains why
// not.
func TestGPUBuildIsExplained(t *testing.T) {
	lib := attachGPUBuild(t)
	for _, provider := range []string{"cuda", "tensorrt"} {
		at := slices.IndexFunc(lib.Refused, func(d ort.Diagnosis) bool { return d.Provider == provider })
		if slices.Contains(lib.Providers, provider) == (at >= 0) {
			t.Fatalf("%s is both attached and refused, or neither: %+v", provider, lib)
		}
		if at < 0 {
			continue
		}
		d := lib.Refused[at]
		t.Logf("%s: %s", provider, d)
		if d.Said == "" || d.Reason == d.Said || d.Remedy == "" || strings.Contains(d.String(), "\n") {
			t.Errorf("%s is not explained: %+v", provider, d)
		}
	}
}

// TestGPUBuildOnFakeDrivers loads such a build with driver libraries that the test compiles, so
// that the CUDA runtime itself refuses. The build needs all CUDA libraries beside it.
func TestGPUBuildOnFakeDrivers(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if _, driver := os.Stat("/proc/driver/nvidia/version"); err != nil || driver == nil {
		t.Skip("no C compiler, or a real driver")
	}
	for name, c := range map[string]struct{ source, said string }{
		"without a GPU": {"int cuInit(unsigned f) { return 100; } int cuDriverGetVersion(int *v) { *v = 13000; return 0; }", "CUDA failure 100: no CUDA-capable device is detected"},
		"of CUDA 10":    {"int cuInit(unsigned f) { return 0; } int cuDriverGetVersion(int *v) { *v = 10000; return 0; }", "CUDA failure 35: CUDA driver version is insufficient"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			build := exec.Command(cc, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", filepath.Join(dir, "libcuda.so.1"), "-xc", "-")
			build.Stdin = strings.NewReader(c.source + " int cuTensorMapEncodeTiled(void) { return 100; }")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			t.Setenv("LD_LIBRARY_PATH", dir)
			lib := attachGPUBuild(t)
			at := slices.IndexFunc(lib.Refused, func(d ort.Diagnosis) bool { return d.Provider == "cuda" })
			if at < 0 {
				t.Fatalf("CUDA is not refused: %+v", lib)
			}
			d := lib.Refused[at]
			if len(d.Missing) > 0 {
				t.Skipf("the build has not all of CUDA beside it: %s", d)
			}
			t.Log(d)
			if !strings.Contains(d.Said, c.said) || d.Remedy == "" || !strings.Contains(d.Reason, "driver") {
				t.Errorf("%s: %s", d, d.Said)
			}
		})
	}
}

// attachGPUBuild attaches the providers of the build that LATHE_GPU_BUILD names.
func attachGPUBuild(t *testing.T) ort.Library {
	t.Helper()
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
	lib = ort.Attach(t.Context(), env, []ort.Library{lib}, app.workers().Attach)[0]
	if !lib.Usable {
		t.Fatal(lib.Reason)
	}
	return lib
}
