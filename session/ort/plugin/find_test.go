package plugin_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/session/ort"
	"lathe/session/ort/plugin"
)

// compile makes a shared library that exports a function.
func compile(t *testing.T, path, function string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(t.TempDir(), "plugin.c")
	if err := os.WriteFile(source, []byte("int "+function+"(void) { return 0; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", path, source).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v: %s", err, out)
	}
}

// install makes a Python package with files in a site. It returns their paths.
func install(t *testing.T, site, name, version string, files ...string) {
	t.Helper()
	info := filepath.Join(site, strings.ReplaceAll(name, "-", "_")+"-"+version+".dist-info")
	var record strings.Builder
	for _, file := range files {
		record.WriteString(file + ",sha256=abc,10\n")
	}
	write(t, filepath.Join(info, "RECORD"), record.String())
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	venv, cache := t.TempDir(), t.TempDir()
	site := filepath.Join(venv, "lib", "python3.11", "site-packages")
	const plug = "CreateEpFactories"
	compile(t, filepath.Join(site, "onnxruntime_ep_webgpu", "libonnxruntime_providers_webgpu.so"), plug)
	install(t, site, "onnxruntime-ep-webgpu", "0.4.0", "onnxruntime_ep_webgpu/__init__.py", "onnxruntime_ep_webgpu/libonnxruntime_providers_webgpu.so")
	compile(t, filepath.Join(site, "odd", "deep", "libonnx_runtime_ep_cpu_plugin.so"), plug)
	install(t, site, "nxrt-ep-cpu", "0.1.0", "odd/deep/libonnx_runtime_ep_cpu_plugin.so")
	compile(t, filepath.Join(site, "ggml", "libonnxruntime_ggml.so"), plug)
	install(t, site, "onnxruntime-ggml", "0.2.0", "ggml/libonnxruntime_ggml.so")
	// None of these is a plug-in: a provider beside its runtime, a library without the function, a
	// file that is not a library, one that was deleted, and one outside of the site.
	write(t, filepath.Join(site, "onnxruntime", "capi", "libonnxruntime.so.1.30.0"), "")
	compile(t, filepath.Join(site, "onnxruntime", "capi", "libonnxruntime_providers_openvino.so"), plug)
	install(t, site, "onnxruntime", "1.30.0", "onnxruntime/capi/libonnxruntime_providers_openvino.so")
	compile(t, filepath.Join(site, "other", "libonnx_other.so"), "something")
	write(t, filepath.Join(site, "other", "libonnx_text.so"), "text")
	compile(t, filepath.Join(venv, "libonnx_outside.so"), plug)
	install(t, site, "other", "1", "other/libonnx_other.so", "other/libonnx_text.so", "other/libonnx_gone.so", "../../../libonnx_outside.so")
	compile(t, filepath.Join(cache, "lathe", "providers", "webgpu", "0.3.0", "w", "libonnxruntime_providers_webgpu.so"), plug)
	install(t, filepath.Join(cache, "lathe", "providers", "webgpu", "0.3.0"), "onnxruntime-ep-webgpu", "0.3.0", "w/libonnxruntime_providers_webgpu.so")

	named, err := plugin.ParseNamed("mine=" + filepath.Join(t.TempDir(), "gone.so"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, l := range plugin.Find(context.Background(), ort.Env{VirtualEnv: venv, CacheDir: cache}, []plugin.Library{named}) {
		got = append(got, strings.Join([]string{filepath.Base(l.Path), l.Name, l.Package, l.Version, string(l.Source)}, " "))
	}
	want := []string{
		"gone.so mine   flag",
		"libonnx_runtime_ep_cpu_plugin.so  nxrt-ep-cpu 0.1.0 python",
		"libonnxruntime_providers_webgpu.so webgpu onnxruntime-ep-webgpu 0.4.0 python",
		"libonnxruntime_ggml.so ggml onnxruntime-ggml 0.2.0 python",
		"libonnxruntime_providers_webgpu.so webgpu onnxruntime-ep-webgpu 0.3.0 cache",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestParseNamed(t *testing.T) {
	for value, want := range map[string]string{
		"/a/libonnxruntime_providers_webgpu.so":          "webgpu",
		"/a/libonnxruntime_providers_openvino_plugin.so": "openvino",
		"/a/libonnxruntime_providers_nv_tensorrt_rtx.so": "nvtensorrtrtx",
		"mine=/a/b.so": "mine",
		"/a/b.so":      "",
		"/a/b=c.so":    "",
	} {
		if l, err := plugin.ParseNamed(value); err != nil || l.Name != want || !filepath.IsAbs(l.Path) {
			t.Errorf("%s: %+v, %v; want name %q", value, l, err, want)
		}
	}
	for _, value := range []string{"", "=x", "name="} {
		if l, err := plugin.ParseNamed(value); err == nil {
			t.Errorf("%q: %+v, an error expected", value, l)
		}
	}
}

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	other, text := filepath.Join(dir, "other.so"), filepath.Join(dir, "text.so")
	compile(t, other, "something")
	write(t, text, "text")
	for path, want := range map[string]string{
		filepath.Join(dir, "gone.so"): "no such file",
		other:                         "has no function CreateEpFactories",
		text:                          "not an ELF file",
	} {
		if err := (plugin.Library{Path: path}).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
