package command

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lathe/graphops/graphtest"
	"lathe/session/command/commandtest"
	"lathe/session/ort/orttest"
	"lathe/session/ort/workertest"
)

// providerFailures are the ways in which a provider fails after its library is found, for FAIL of
// session/command/testdata/failing_provider.c. badPlugins has ten libraries that cannot be loaded or have no
// device, and TestDeviceGone has five ways in which WebGPU finds no device.
var providerFailures = []struct {
	fail   string
	said   string // a part of the message
	status int    // of the command
	later  bool   // it happens in a later run, which only bench makes
}{
	{"version", "needs ONNX Runtime 99.1 or newer", exitNoRuntime, false},
	{"no device", "offers no device on this machine; run it on a machine with a device", exitNoRuntime, false},
	{"option", "unknown option frob: expected one of speed, memory", exitNoRuntime, false},
	{"type", "was added but does not run the only node, which runs on cpu; list cpu in --ep", exitNoRuntime, false},
	{"compile", "the compiler of the device is missing: libcompiler.so.3", exitFailed, false},
	{"crash at load", "SIGABRT (aborted) while loading \"neg.onnx\" (attaching failing); a minimal model crashes on failing too: leave it out", exitNoRuntime, false},
	{"crash at creation", "(creating the session on failing); a minimal model crashes on failing too: leave it out", exitNoRuntime, false},
	{"crash at compile", `node 0 "flip" (Neg) crashes by itself on failing; the model works on cpu`, exitFailed, false},
	{"crash/1", `node 0 "flip" (Neg) crashes by itself on failing; the model works on cpu`, exitFailed, false},
	{"crash/3", "SIGABRT (aborted) while running \"neg.onnx\" (after 2 runs); a single run works", exitFailed, true},
	{"memory/1", "out of device memory: 4096 bytes requested, 12 free", exitFailed, false},
	{"memory/3", "out of device memory: 4096 bytes requested, 12 free; it failed after 2 runs, and a single run works", exitFailed, true},
	{"lost/1", "the device was lost: GPU is gone from the bus", exitFailed, false},
	{"lost/3", "the device was lost: GPU is gone from the bus; it failed after 2 runs, and a single run works", exitFailed, true},
	{"hang at load", "not done within 1s, the limit that --timeout sets; the worker did not stop and was killed", exitFailed, false},
	{"hang at compile", "not done within 1s, the limit that --timeout sets; the worker did not stop and was killed", exitFailed, false},
	{"hang/1", "not done within 1s, the limit that --timeout sets; the worker did not stop and was killed", exitFailed, false},
	{"hang/3", "not done within 1s, the limit that --timeout sets; the worker did not stop and was killed", exitFailed, true},
}

// failingProvider returns the library of the provider that fails, and a folder with a model that it runs.
func failingProvider(t *testing.T) (library, folder string) {
	t.Helper()
	folder = t.TempDir()
	library = workertest.Built(t, "session/command/testdata/failing_provider.c", "-shared", "-fPIC", "-w")
	model := graphtest.Bytes(t, "input x f32[2]\noutput y f32[2]\nflip: y = Neg(x)\n")
	if err := os.WriteFile(filepath.Join(folder, "neg.onnx"), model, 0o600); err != nil {
		t.Fatal(err)
	}
	return library, folder
}

// withoutNote drops the line that says what a library adds to the sandbox, which is printed if the model
// was loaded.
func withoutNote(said, library string) string {
	var kept []string
	for line := range strings.Lines(said) {
		if !strings.HasPrefix(line, "note: "+library+": the sandbox lets") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// TestProviderFailures fails in each way. There is one line with the cause, no result, and no process
// that is left.
func TestProviderFailures(t *testing.T) {
	runtime := orttest.Library(t)
	library, folder := failingProvider(t)
	for _, c := range providerFailures {
		t.Run(c.fail, func(t *testing.T) {
			t.Parallel()
			for _, step := range []string{"run-model", "bench"} {
				if c.later && step == "run-model" {
					continue
				}
				args := []string{step, "neg.onnx", "--ep", "failing", "--ep-library", "failing=" + library, "--runtime", runtime}
				if step == "bench" {
					args = append(args, "--no-store", "--no-memory", "--runs", "20")
				}
				if strings.HasPrefix(c.fail, "hang") {
					args = append(args, "--timeout", "1s")
				}
				p := commandtest.Process(t, args...)
				mark := "LATHE_TEST_MARK=" + step + filepath.Base(folder) + c.fail
				p.Dir, p.Env = folder, append(p.Env, "LATHE_FAIL="+c.fail, mark)
				var said strings.Builder
				p.Stderr = &said
				out, err := p.Output()
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) {
					t.Fatal(err)
				}
				line := withoutNote(said.String(), "--ep-library failing="+library)
				if got := p.ProcessState.ExitCode(); got != c.status || len(out) > 0 || strings.Count(strings.TrimSpace(line), "\n") > 0 || !strings.Contains(line, c.said) {
					t.Errorf("%s: status %d, %q, %q; want status %d and one line with %q", step, got, out, said.String(), c.status, c.said)
				}
				if left := commandtest.ProcessesWith(mark); len(left) > 0 {
					t.Errorf("%s: processes are left: %q", step, left)
				}
			}
		})
	}
}

// TestProviderHangsUntilInterrupted hangs without a limit, as --timeout is not given. The user interrupts
// it.
func TestProviderHangsUntilInterrupted(t *testing.T) {
	runtime := orttest.Library(t)
	library, folder := failingProvider(t)
	p := commandtest.Process(t, "bench", "neg.onnx", "--no-store", "--ep", "failing", "--ep-library", "failing="+library, "--runtime", runtime)
	mark := "LATHE_TEST_MARK=hangs" + filepath.Base(folder)
	p.Dir, p.Env = folder, append(p.Env, "LATHE_FAIL=hang/1", mark)
	var said, out strings.Builder
	p.Stderr, p.Stdout = &said, &out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Second) // it is in the run by now, or still loads
	if err := p.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = p.Wait() // the status is checked below
	if got := p.ProcessState.ExitCode(); got != exitInterrupted || out.Len() > 0 {
		t.Errorf("status %d, %q, %q; want status %d and no result", got, out.String(), said.String(), exitInterrupted)
	}
	if left := commandtest.ProcessesWith(mark); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
}

// TestProviderWorks runs the provider without a failure.
func TestProviderWorks(t *testing.T) {
	runtime := orttest.Library(t)
	library, folder := failingProvider(t)
	p := commandtest.Process(t, "validate", "neg.onnx", "--a", "ep=failing", "--b", "ep=cpu", "--no-store", "--cases", "zeros", "--ep-library", "failing="+library, "--runtime", runtime)
	p.Dir = folder
	if out, err := p.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
