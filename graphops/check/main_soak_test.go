//go:build cgo && soak

package check_test

import (
	"context"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session/ort"
	"lathe/session/ort/crashtest"
	"lathe/session/ort/orttest"
	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// trial compares what check says with what a version of ONNX Runtime does.
type trial struct {
	*crashtest.Trial
	version string
}

func newTrial(t *testing.T) *trial {
	lib := orttest.Chosen(t)
	return &trial{crashtest.New(t, workertest.Process(t, lib.Path)), lib.Version}
}

// checkLimit bounds the time that check may need for one model.
const checkLimit = 30 * time.Second

// checked returns what check says without reading weights.
func (tr *trial) checked(m *graphops.Model) ([]check.Problem, error) {
	ctx, cancel := context.WithTimeout(context.Background(), checkLimit)
	defer cancel()
	return check.Model(ctx, m, check.Options{Runtime: tr.version, HasLocale: ort.HasLocale})
}

// answer loads a model and runs it once on generated inputs.
func (tr *trial) answer(source ort.Model, m *graphops.Model, level ort.Optimization) crashtest.Outcome {
	return tr.Attempt(source, level, func(loaded *ort.Session) error { return crashtest.Feed(loaded, m, false) })
}
