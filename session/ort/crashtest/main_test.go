//go:build cgo

package crashtest_test

import (
	"path/filepath"
	"testing"

	"lathe/session/ort/crashtest"
	"lathe/session/ort/orttest"
	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// seedFile is the archive of mutants that are kept.
var seedFile = filepath.Join("..", "..", "..", "testdata", "mutants", "seeds.txtar")

// trial runs mutants on a version of ONNX Runtime.
type trial struct {
	*crashtest.Trial
	t       testing.TB
	version string
}

// newTrial skips the test if no runtime is found.
func newTrial(t testing.TB) *trial {
	lib := orttest.Chosen(t)
	return &trial{crashtest.New(t, workertest.Process(t, lib.Path)), t, lib.Version}
}
