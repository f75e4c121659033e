//go:build cgo

package worker_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"lathe/session/ort"
	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) {
	workertest.Serve()
	if os.Getenv(asParent) != "" {
		beParent(os.Args[1])
	}
	os.Exit(m.Run())
}

// asParent in the environment makes this test program start a worker, keep it
// busy for ever and print its process id.
const asParent = "LATHE_TEST_PARENT"

// beParent never returns.
func beParent(library string) {
	o, err := workertest.Of(library)
	if err != nil {
		panic(err)
	}
	client, err := ort.Start(context.Background(), o)
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

func start(tb testing.TB) *ort.Client {
	tb.Helper()
	return startWith(tb, workertest.Options(tb))
}

func startWith(tb testing.TB, o ort.Options) *ort.Client {
	tb.Helper()
	client, err := ort.Start(tb.Context(), o)
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
