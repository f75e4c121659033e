//go:build cgo

package steps

import (
	"context"
	"testing"

	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/workertest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// realRuntime is an environment that runs models on the runtime that is found; the test
// is skipped where there is none.
func realRuntime(t testing.TB) session.Env {
	t.Helper()
	o := workertest.Options(t)
	return session.Env{
		Runtime: &session.Workers{
			Library: func(context.Context) (ort.Library, error) { return ort.Library{Path: o.Library}, nil },
			Command: o.Command, Env: o.Env,
		},
		Progress: func(session.Progress) {},
	}
}
