//go:build cgo

package workertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"lathe/session/ort"
	"lathe/session/ort/orttest"
	"lathe/session/ort/plugin"
	"lathe/session/ort/sandbox"
	"lathe/session/ort/worker"
)

// asWorker in the environment makes a test program run as a worker. Launched makes it run as a
// worker that a launcher started.
const (
	asWorker = "LATHE_TEST_WORKER=1"
	Launched = "LATHE_TEST_LAUNCHED=1"
)

// Main is what TestMain calls in a package whose tests start workers.
func Main(m *testing.M) {
	if os.Getenv("LATHE_TEST_WORKER") != "" {
		args := os.Args[1:]
		if os.Getenv("LATHE_TEST_LAUNCHED") != "" {
			args = append(args, "--launched")
		}
		orttest.BePlain(args...)
	}
	Serve()
	os.Exit(m.Run())
}

// Serve runs the worker if this program was started as one, and then does not return. Otherwise it
// does nothing.
func Serve() {
	if os.Getenv("LATHE_TEST_WORKER") == "" {
		return
	}
	cfg := worker.Config{Launched: os.Getenv("LATHE_TEST_LAUNCHED") != "", In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "test", Exit: os.Exit}
	var plugins []plugin.Library
	for i := 1; i+1 < len(os.Args); i += 2 {
		switch value := os.Args[i+1]; os.Args[i] {
		case "--runtime":
			cfg.Library = value
		case "--sandbox":
			mode, err := sandbox.Parse(value)
			if err != nil {
				panic(err)
			}
			cfg.Sandbox = mode
		case "--ep-library", "--ep-found":
			l, err := plugin.ParseNamed(value)
			if err != nil {
				panic(err)
			}
			plugins = append(plugins, l)
		case "--memory-limit":
			limit, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				panic(err)
			}
			cfg.MemoryLimit = limit
		}
	}
	cfg.Plugins = func() []plugin.Library { return plugins }
	fmt.Fprintln(os.Stderr, worker.Main(context.Background(), cfg))
	os.Exit(1)
}

// Options returns options that start this program as a worker on the installed runtime; the test is
// skipped if there is none. The worker has no limits, so that a test can load models in it that have
// nothing in common.
func Options(tb testing.TB) ort.Options {
	tb.Helper()
	return Process(tb, orttest.Library(tb))
}

// Process returns options that start this program as a worker on the given library.
func Process(tb testing.TB, library string) ort.Options {
	tb.Helper()
	o, err := Of(library)
	if err != nil {
		tb.Fatal(err)
	}
	return o
}

// Of returns what Process returns, for callers without a testing.TB.
func Of(library string) (ort.Options, error) {
	self, err := os.Executable()
	// Without this setting, a program with the race detector waits for a second when it ends.
	return ort.Options{Command: []string{self}, Library: library, Env: append(os.Environ(), asWorker, "GORACE=atexit_sleep_ms=0"), Sandbox: sandbox.Off}, err
}

// Built compiles a C source file with the given flags and returns the path of the program or
// library. The source can include the official header of ONNX Runtime, which is in the module of
// the Go binding.
func Built(tb testing.TB, source string, flags ...string) string {
	tb.Helper()
	tool := func(args ...string) string {
		out, err := exec.CommandContext(tb.Context(), "go", args...).Output()
		if err != nil {
			tb.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	official := tool("list", "-m", "-f", "{{.Dir}}", "github.com/yalue/onnxruntime_go")
	compiler := strings.Fields(tool("env", "CC"))
	made := filepath.Join(tb.TempDir(), strings.TrimSuffix(filepath.Base(source), ".c"))
	args := append(append(compiler[1:], flags...), "-O2", "-I", official, "-o", made, source, "-ldl")
	if out, err := exec.CommandContext(tb.Context(), compiler[0], args...).CombinedOutput(); err != nil {
		tb.Fatalf("%v: %s", err, out)
	}
	return made
}
