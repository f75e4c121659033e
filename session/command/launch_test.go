package command

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lathe/session/ort"
	"lathe/session/ort/orttest"
)

// A worker behind a launcher finds the folders of CUDA beside its library. The loader reads its
// search path only when a process starts. The worker therefore executes itself again, once.
func TestWorkerStartsAnewForCUDA(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	lib := orttest.Library(t)
	site := t.TempDir()
	capi, nvidia := filepath.Join(site, "onnxruntime", "capi"), filepath.Join(site, "nvidia", "cublas", "lib")
	for _, dir := range []string{capi, nvidia} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(lib, filepath.Join(capi, filepath.Base(lib))); err != nil {
		t.Fatal(err)
	}
	writeText(t, capi+"/libonnxruntime_providers_cuda.so", "")
	writeText(t, nvidia+"/libcublas.so.13", "")
	launcher, err := ort.ParseLauncher("env")
	if err != nil {
		t.Fatal(err)
	}
	client, err := ort.Start(t.Context(), ort.Options{Launcher: launcher, Library: site, MemoryLimit: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	process := fmt.Sprintf("/proc/%d/", client.Info().PID)
	for file, want := range map[string]string{
		"environ": "LD_LIBRARY_PATH=" + nvidia,
		"cmdline": "worker\x00--runtime\x00" + capi + "/" + filepath.Base(lib) + "\x00--memory-limit\x001073741824\x00--launched\x00",
	} {
		if got, err := os.ReadFile(process + file); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("its %s is %q, %v, want %q in it", file, got, err, want)
		}
	}
}
