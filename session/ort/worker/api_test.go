//go:build cgo

package worker

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// checkProgram compiles where every line of api.h names its function at its
// place in the official table and with its parameters.
const checkProgram = `
#include <stddef.h>
#include "onnxruntime_c_api.h"
#include "api.h"

_Static_assert(API_VERSION == ORT_API_VERSION, "api.h is written for another version of the C API");

#define PLACE(index, name) _Static_assert(offsetof(OrtApi, name) == (index) * sizeof(void *), "place of " #name);
#define CHECK_STATUS(index, name, parameters, arguments) \
  PLACE(index, name) static OrtStatus *(*check_##name(const OrtApi *api)) parameters { return api->name; }
#define CHECK_PLAIN(index, type, name, parameters, arguments) \
  PLACE(index, name) static type (*check_##name(const OrtApi *api)) parameters { return api->name; }
#define CHECK_RELEASE(index, type) \
  PLACE(index, Release##type) static void (*check_Release##type(const OrtApi *api))(Ort##type *) { return api->Release##type; }
#define CHECK_COMPILE(index, name, parameters, arguments) \
  _Static_assert(offsetof(OrtCompileApi, name) == (index) * sizeof(void *), "place of " #name); \
  static OrtStatus *(*check_##name(const OrtCompileApi *api)) parameters { return api->name; }
_Static_assert(offsetof(OrtCompileApi, ReleaseModelCompilationOptions) == 0, "place of ReleaseModelCompilationOptions");
API_STATUS_FUNCTIONS(CHECK_STATUS)
COMPILE_STATUS_FUNCTIONS(CHECK_COMPILE)
API_PLAIN_FUNCTIONS(CHECK_PLAIN)
API_RELEASE_FUNCTIONS(CHECK_RELEASE)
`

// compile checks a C program against api.h and the official header, which the
// binding's module holds, and returns the compiler's complaints.
func compile(t *testing.T, program, api string) string {
	t.Helper()
	folder := t.TempDir()
	for name, content := range map[string]string{"check.c": program, "api.h": api} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	official := goTool(t, "list", "-m", "-f", "{{.Dir}}", "github.com/yalue/onnxruntime_go")
	compiler := strings.Fields(goTool(t, "env", "CC"))
	args := append(compiler[1:], "-std=gnu11", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused-function",
		"-I", official, "-I", folder, filepath.Join(folder, "check.c"))
	output, err := exec.CommandContext(t.Context(), compiler[0], args...).CombinedOutput()
	if err != nil && len(output) == 0 {
		t.Fatal(err)
	}
	return string(output)
}

func goTool(t *testing.T, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatalf("go %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(output))
}

func readAPI(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("api.h")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestAPIAgreesWithOfficialHeader(t *testing.T) {
	if complaints := compile(t, checkProgram, readAPI(t)); complaints != "" {
		t.Error(complaints)
	}
}

// The check itself must notice a wrong line.
func TestAPICheckFindsFaults(t *testing.T) {
	tests := []struct{ name, right, wrong, complaint string }{
		{"place", "X(133, RunWithBinding", "X(132, RunWithBinding", "place of RunWithBinding"},
		{"place of a release", "X(97, RunOptions)", "X(98, RunOptions)", "place of ReleaseRunOptions"},
		{"place in the other table", "X(8, CompileModel", "X(9, CompileModel", "place of CompileModel"},
		{"parameter", "(const OrtValue *value, size_t *out)", "(const OrtValue *value, int *out)", "incompatible"},
		{"result", "X(390, bool,", "X(390, int,", "incompatible"},
		{"version", "#define API_VERSION 24", "#define API_VERSION 23", "another version"},
	}
	api := readAPI(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(api, tt.right) {
				t.Fatalf("api.h does not hold %q", tt.right)
			}
			complaints := compile(t, checkProgram, strings.ReplaceAll(api, tt.right, tt.wrong))
			if !strings.Contains(complaints, tt.complaint) {
				t.Errorf("want a complaint with %q, got %q", tt.complaint, complaints)
			}
		})
	}
}
