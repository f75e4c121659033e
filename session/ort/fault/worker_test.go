//go:build cgo

package fault_test

import (
	"testing"

	"lathe/session/ort"
	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// start runs a worker on the runtime that is found, and skips the test where
// there is none.
func start(t *testing.T) *ort.Client {
	t.Helper()
	client, err := ort.Start(t.Context(), workertest.Options(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}
