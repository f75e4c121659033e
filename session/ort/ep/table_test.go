package ep

import (
	"regexp"
	"slices"
	"testing"

	"lathe/graphops/opschema"
)

// TestTable checks that every row is complete, that no name finds two rows, and that columns which
// depend on each other agree.
func TestTable(t *testing.T) {
	seen := map[string]string{}
	for _, p := range All() {
		if p.Name == "" || p.Runtime == "" || p.Words == "" {
			t.Errorf("row %+v: Name, Runtime and Words are required", p)
		}
		if short := opschema.ShortProvider(p.Runtime); short != p.Name {
			t.Errorf("%s: ONNX Runtime's name %s becomes %q", p.Name, p.Runtime, short)
		}
		own := slices.Compact(slices.Sorted(slices.Values([]string{p.Name, p.Runtime, p.File, p.Attached})))
		for _, name := range own {
			if other, used := seen[name]; used && name != "" {
				t.Errorf("%s has the name %q of %s", p.Name, name, other)
			}
			seen[name] = p.Name
			if found, known := Find(name); name != "" && name != p.Runtime && (!known || found.Name != p.Name) {
				t.Errorf("the name %q finds %q, not %s", name, found.Name, p.Name)
			}
		}
		checkDevice(t, p)
	}
}

func checkDevice(t *testing.T, p Provider) {
	t.Helper()
	switch {
	case p.Package != "" && p.Installed:
		t.Errorf("%s: there are two ways to install it", p.Name)
	case p.File == "" && (p.Package != "" || p.Installed || len(p.Later) > 0 || p.NVIDIA):
		t.Errorf("%s: a provider without a library of its own needs nothing beside it", p.Name)
	case p.Memory != "" && !p.Asynchronous:
		t.Errorf("%s: work in device memory is asynchronous", p.Name)
	case p.Torch != "" && p.Memory == "":
		t.Errorf("%s: PyTorch has a device for it, so it needs the name of the device's memory", p.Name)
	}
	for _, l := range p.Later {
		if l.Name == "" || l.CUDA != 0 && l.CUDA < 12 {
			t.Errorf("%s: library %+v", p.Name, l)
		}
	}
	for _, expression := range slices.Concat(p.Failures.Libraries, p.Failures.Memory, p.Failures.Unusable, p.Failures.Device) {
		if _, err := regexp.Compile(expression); err != nil || expression == "" {
			t.Errorf("%s: expression %q: %v", p.Name, expression, err)
		}
	}
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"cuda": "cuda", "coreml": "coreml", "CoreML": "coreml", "COREML": "coreml", "nv_tensorrt_rtx": "nvtensorrtrtx", "NvTensorRtRtx": "nvtensorrtrtx",
	} {
		if p, known := Find(name); !known || p.Name != want {
			t.Errorf("%q finds %q, expected %q", name, p.Name, want)
		}
	}
	for _, name := range []string{"", "CUDA", "CUDAExecutionProvider", "mine"} {
		if p, known := Find(name); known || p.Name != name || p.Attached != name {
			t.Errorf("%q finds %+v, expected no row", name, p)
		}
	}
}

func TestFailureTexts(t *testing.T) {
	f := FailureTexts()
	if !slices.Contains(f.Libraries, "MIOPEN") || !slices.Contains(f.Memory, "CUDA_ERROR_OUT_OF_MEMORY") || len(f.Unusable) == 0 || len(f.Device) == 0 {
		t.Errorf("%+v", f)
	}
	for i, name := range f.Libraries {
		if slices.Contains(f.Libraries[:i], name) {
			t.Errorf("%s is there twice", name)
		}
	}
}
