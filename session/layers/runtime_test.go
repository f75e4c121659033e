//go:build cgo

package layers_test

import (
	"context"
	"testing"

	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// workers run models on the runtime that is found; the test is skipped where there is
// none.
func workers(t testing.TB) *session.Workers {
	t.Helper()
	o := workertest.Options(t)
	return &session.Workers{
		Library: func(context.Context) (ort.Library, error) { return ort.Library{Path: o.Library}, nil },
		Command: o.Command, Env: o.Env,
	}
}
