//go:build cgo

package sessiontest

import (
	"context"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/orttest"
	"lathe/session/ort/workertest"
	"lathe/session/runtime"
)

// Workers returns a runtime whose workers are this test program. It skips the test if no ONNX
// Runtime is found.
func Workers(tb testing.TB) *runtime.Workers {
	tb.Helper()
	lib := orttest.Chosen(tb)
	o := workertest.Process(tb, lib.Path)
	return &runtime.Workers{
		Library: func(context.Context) (ort.Library, error) { return lib, nil },
		Command: o.Command, Env: o.Env,
	}
}

// Env returns an environment in which steps run models on Workers. It skips the test if no ONNX
// Runtime is found.
func Env(tb testing.TB) session.Env {
	tb.Helper()
	return session.Env{Runtime: Workers(tb), Progress: func(session.Progress) {}}
}

// Unoptimized runs a model once without the optimizations of the runtime and returns all outputs.
// If feeds is nil, inputs are generated from a fixed seed.
func Unoptimized(tb testing.TB, on runtime.Runtime, m *graphops.Model, feeds graphops.Feeds) []execution.Got {
	tb.Helper()
	l, err := on.Load(tb.Context(), m, runtime.Execution{Opt: "disable"})
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	if feeds == nil {
		made, err := inputs.Generate(l.Inputs(), inputs.Options{Seed: 1})
		if err != nil {
			tb.Fatal(err)
		}
		feeds = made.Feeds
	}
	got, err := runtime.RunWhole(tb.Context(), l, feeds)
	if err != nil {
		tb.Fatal(err)
	}
	return got
}
