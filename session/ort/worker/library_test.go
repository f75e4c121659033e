//go:build cgo

package worker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session/ort"
	"lathe/session/ort/workertest"
)

// buildLibrary compiles a shared library that is loaded in place of ONNX
// Runtime.
func buildLibrary(t *testing.T, source string) string {
	t.Helper()
	folder := t.TempDir()
	file, library := filepath.Join(folder, "fake.c"), filepath.Join(folder, "libonnxruntime.so")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	compiler, err := exec.CommandContext(t.Context(), "go", "env", "CC").Output()
	if err != nil {
		t.Fatal(err)
	}
	args := append(strings.Fields(string(compiler)), "-shared", "-fPIC", "-o", library, file)
	if output, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return library
}

// tooOld answers as a release before 1.24 does.
const tooOld = `
#include <stddef.h>
static const void *get_api(unsigned version) { return NULL; }
static const char *get_version(void) { return "1.23.2"; }
static const struct { const void *(*get_api)(unsigned); const char *(*get_version)(void); } base = {get_api, get_version};
const void *OrtGetApiBase(void) { return &base; }
`

// noisy prints to standard output when it is loaded, and reads standard input.
const noisy = `
#include <stdio.h>
__attribute__((constructor)) static void load(void) { printf("noise, and then %d\n", getchar()); fflush(stdout); }
`

const crashing = `
__attribute__((constructor)) static void load(void) { __builtin_trap(); }
`

func TestUnusableLibraries(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "libonnxruntime.so")
	old, loud, fatal := buildLibrary(t, tooOld), buildLibrary(t, noisy), buildLibrary(t, crashing)
	tests := []struct{ library, text string }{
		{"", "starting the worker: the worker was given no ONNX Runtime library"},
		{missing, `starting the worker: "` + missing + `": ` + missing + ": cannot open shared object file: No such file or directory"},
		{old, `starting the worker: "` + old + `" is ONNX Runtime 1.23.2; 1.24.1 is the oldest that works…`},
		{loud, `starting the worker: "` + loud + `" is not an ONNX Runtime library: it has no function OrtGetApiBase`},
		{fatal, `the worker crashed with SIGILL (illegal instruction) while starting`},
	}
	for _, tt := range tests {
		client, err := ort.Start(t.Context(), workertest.Process(t, tt.library))
		if err == nil {
			_ = client.Close()
			t.Fatalf("%q was loaded", tt.library)
		}
		checkText(t, err, tt.text)
	}
}
