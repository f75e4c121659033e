//go:build cgo

package fault_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"lathe/session/ort"
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

var chooseLibrary = sync.OnceValues(func() (ort.Library, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ort.Library{}, err
	}
	return ort.Choose(context.Background(), ort.Env{
		LibEnv: os.Getenv("LATHE_ORT_LIB"), VirtualEnv: os.Getenv("VIRTUAL_ENV"),
		Path: os.Getenv("PATH"), CacheDir: cache,
	})
})

// start runs a worker on the runtime that is found, and skips the test where
// there is none.
func start(t *testing.T) *ort.Client {
	t.Helper()
	lib, err := chooseLibrary()
	if err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	client, err := ort.Start(t.Context(), ort.Options{
		Command: []string{self}, Library: lib.Path,
		Env: append(os.Environ(), asWorker, "GORACE=atexit_sleep_ms=0"),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
