package command

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session/command/commandtest"
	"lathe/session/ort/orttest"
)

// badPlugins are libraries that cannot be used, by name: their C source, and the reason that is
// reported. ONNX Runtime's function table begins with CreateStatus; GetApi(24) returns the table.
var badPlugins = map[string]struct{ source, why string }{
	"missing":  {"", "no such file"},
	"text":     {"text", "not an ELF file"},
	"other":    {"int other(void) { return 0; }", "has no function CreateEpFactories"},
	"aborts":   {"#include <stdlib.h>\nvoid *CreateEpFactories(void) { abort(); } void *ReleaseEpFactory(void) { return 0; }", "SIGABRT"},
	"at load":  {"#include <stdlib.h>\n__attribute__((constructor)) static void boom(void) { abort(); } void *CreateEpFactories(void) { return 0; }", "SIGABRT"},
	"half":     {"extern int nowhere(void); int CreateEpFactories(void) { return nowhere(); }", "needs the symbol"},
	"empty":    {"#include <stddef.h>\nvoid *CreateEpFactories(const char *n, void *b, void *l, void **f, size_t m, size_t *count) { *count = 0; return 0; } void *ReleaseEpFactory(void *f) { return 0; }", "offers no device"},
	"refuses":  {"#include <stddef.h>\n#include <stdint.h>\nstruct base { void **(*api)(uint32_t); const char *(*version)(void); };\nvoid *CreateEpFactories(const char *n, struct base *b, void *l, void **f, size_t m, size_t *count) { return ((void *(*)(int, const char *))b->api(24)[0])(1, \"needs a newer ONNX Runtime, 99.1\"); } void *ReleaseEpFactory(void *f) { return 0; }", "needs a newer ONNX Runtime, 99.1"},
	"needs":    {"needs", "libnowhere.so.7"},
	"no entry": {"int ReleaseEpFactory(void) { return 0; } const char text[] = \"CreateEpFactories\";", "has no function"},
}

// TestBadPlugins lists libraries that fail in different ways. Each is reported with its reason, none
// ends the program, and a model does not run on it.
func TestBadPlugins(t *testing.T) {
	library := orttest.Library(t)
	dir := t.TempDir()
	for name, c := range badPlugins {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "libonnxruntime_providers_"+strings.ReplaceAll(name, " ", "_")+".so")
			makePlugin(t, path, c.source)
			out, err := commandtest.Process(t, "runtime", "list", "--json", "--runtime", library, "--ep-library", path).Output()
			if err != nil {
				t.Fatalf("the list fails: %v", err)
			}
			var report runtimeReport
			if err := json.Unmarshal(out, &report); err != nil {
				t.Fatal(err)
			}
			if p := report.Plugins[0]; p.Path != path || p.Usable || len(p.Devices) > 0 || !strings.Contains(p.Reason, c.why) {
				t.Errorf("%+v, want the reason %q", p, c.why)
			}
			run := commandtest.Process(t, "run-model", "testdata/digits.onnx", "--runtime", library, "--ep", "mine", "--ep-library", "mine="+path)
			said, err := run.CombinedOutput()
			if exit := new(exec.ExitError); !errors.As(err, &exit) {
				t.Errorf("a run succeeds: %s", said)
			}
			if lines := strings.Count(strings.TrimSpace(string(said)), "\n"); lines > 0 || !strings.Contains(string(said), c.why) {
				t.Errorf("a run says %q, want one line with %q", said, c.why)
			}
		})
	}
}

// makePlugin writes a library, or a text file.
func makePlugin(t *testing.T, path, source string) {
	t.Helper()
	switch source {
	case "":
		return
	case "text":
		if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	args := []string{"-shared", "-fPIC", "-w", "-o", path, "-xc", "-"}
	if source == "needs" { // a library that is not there
		needed := filepath.Join(t.TempDir(), "libnowhere.so.7")
		makePlugin(t, needed, "int nowhere(void) { return 0; }")
		source = "extern int nowhere(void); int CreateEpFactories(void) { return nowhere(); } int ReleaseEpFactory(void) { return 0; }"
		args = append(args, "-xnone", needed, "-Wl,--no-as-needed")
		defer func() { _ = os.Remove(needed) }()
	}
	build := exec.Command("cc", args...)
	build.Stdin = strings.NewReader(source)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("cc: %v: %s", err, out)
	}
}
