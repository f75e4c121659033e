//go:build cgo

package fault_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"lathe/session/ort"
	"lathe/session/ort/orttest"
	"lathe/session/ort/worker"
)

// asWorker in the environment makes this test program a worker.
const asWorker = "LATHE_TEST_WORKER=1"

func TestMain(m *testing.M) {
	if os.Getenv("LATHE_TEST_WORKER") != "" {
		cfg := worker.Config{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "test", Exit: os.Exit}
		if len(os.Args) == 3 && os.Args[1] == "--runtime" {
			cfg.Library = os.Args[2]
		}
		fmt.Fprintln(os.Stderr, worker.Main(context.Background(), cfg))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// start runs a worker on the runtime that is found, and skips the test where
// there is none.
func start(t *testing.T) *ort.Client {
	t.Helper()
	library := orttest.Library(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	client, err := ort.Start(t.Context(), ort.Options{
		Command: []string{self}, Library: library,
		Env: append(os.Environ(), asWorker, "GORACE=atexit_sleep_ms=0"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
