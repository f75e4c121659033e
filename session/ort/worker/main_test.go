//go:build cgo

package worker_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"lathe/session/ort"
	"lathe/session/ort/orttest"
	"lathe/session/ort/worker"
)

// asLaunched in the environment makes that worker one behind a launcher.
const asLaunched = "LATHE_TEST_LAUNCHED=1"

// asWorker in the environment makes this test program a worker.
const asWorker = "LATHE_TEST_WORKER=1"

func TestMain(m *testing.M) {
	switch {
	case os.Getenv("LATHE_TEST_WORKER") != "":
		beWorker()
	case os.Getenv(asParent) != "":
		beParent(os.Args[1])
	}
	os.Exit(m.Run())
}

// beWorker never returns.
func beWorker() {
	cfg := worker.Config{Launched: os.Getenv("LATHE_TEST_LAUNCHED") != "", In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Version: "test", Exit: os.Exit}
	for i := 1; i+1 < len(os.Args); i += 2 {
		switch value := os.Args[i+1]; os.Args[i] {
		case "--runtime":
			cfg.Library = value
		case "--memory-limit":
			limit, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				panic(err)
			}
			cfg.MemoryLimit = limit
		}
	}
	err := worker.Main(context.Background(), cfg)
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// asParent in the environment makes this test program start a worker, keep it
// busy for ever and print its process id.
const asParent = "LATHE_TEST_PARENT"

// beParent never returns.
func beParent(library string) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	client, err := ort.Start(context.Background(), ort.Options{
		Command: []string{self}, Library: library, Env: append(os.Environ(), asWorker),
	})
	if err != nil {
		panic(err)
	}
	model, err := os.ReadFile(os.Getenv(asParent))
	if err != nil {
		panic(err)
	}
	session, err := client.Load(context.Background(), ort.Model{Bytes: model}, ort.SessionOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(client.Info().PID)
	_, err = run(context.Background(), session, endless(), nil)
	panic(err)
}

// workerOptions start this program as a worker on the runtime that was found.
func workerOptions(tb testing.TB) ort.Options {
	tb.Helper()
	return workerProcess(tb, orttest.Library(tb))
}

// workerProcess starts this program as a worker on any library.
func workerProcess(tb testing.TB, library string) ort.Options {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	// Under the race detector a program lingers for a second when it ends.
	return ort.Options{
		Command: []string{self},
		Library: library,
		Env:     append(os.Environ(), asWorker, "GORACE=atexit_sleep_ms=0"),
	}
}

func start(tb testing.TB) *ort.Client {
	tb.Helper()
	client, err := ort.Start(tb.Context(), workerOptions(tb))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := client.Close(); err != nil {
			tb.Error(err)
		}
	})
	return client
}
