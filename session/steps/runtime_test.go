//go:build cgo

package steps

import (
	"testing"

	"lathe/session"
	"lathe/session/ort/workertest"
	"lathe/session/sessiontest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// realRuntime returns an environment with the runtime that is found. Without a runtime it skips the
// test.
func realRuntime(t testing.TB) session.Env {
	t.Helper()
	return sessiontest.Env(t)
}
