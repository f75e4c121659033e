//go:build cgo

package calibrate_test

import (
	"context"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/session/calibrate"
	"lathe/session/ort/workertest"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// loader returns a function that loads parts of a model into the runtime that is found. Without a
// runtime it skips the test. The parts stay loaded until the test ends.
func loader(t testing.TB, m *graphops.Model) calibrate.Loader {
	t.Helper()
	on := sessiontest.Workers(t)
	loaded := map[string]*runtime.Part{}
	t.Cleanup(func() {
		for _, p := range loaded {
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return func(_ context.Context, values []string) (calibrate.Session, error) {
		key := strings.Join(values, " ")
		if p := loaded[key]; p != nil {
			return staying{p}, nil
		}
		p, err := runtime.LoadPart(context.WithoutCancel(t.Context()), on, m, values, runtime.Execution{})
		if err != nil {
			return nil, err
		}
		loaded[key] = p
		return staying{p}, nil
	}
}

type staying struct{ *runtime.Part }

func (staying) Close() error { return nil }
