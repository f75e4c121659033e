//go:build cgo

package reduce_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/orttest"
	"lathe/session/ort/worker"
)

// asWorker in the environment makes this test program a worker.
const asWorker = "LATHE_TEST_WORKER=1"

func TestMain(m *testing.M) {
	if os.Getenv("LATHE_TEST_WORKER") != "" {
		cfg := worker.Config{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "test", Exit: os.Exit}
		for i := 1; i+1 < len(os.Args); i += 2 {
			switch value := os.Args[i+1]; os.Args[i] {
			case "--runtime":
				cfg.Library = value
			case "--memory-limit":
				cfg.MemoryLimit, _ = strconv.ParseInt(value, 10, 64)
			}
		}
		fmt.Fprintln(os.Stderr, worker.Main(context.Background(), cfg))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// workers run models on the runtime that is found; the test is skipped where there is
// none.
func workers(t testing.TB) *session.Workers {
	t.Helper()
	library := orttest.Library(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &session.Workers{
		Library: func(context.Context) (ort.Library, error) { return ort.Library{Path: library}, nil },
		Command: []string{self}, Env: append(os.Environ(), asWorker, "GORACE=atexit_sleep_ms=0"),
	}
}
