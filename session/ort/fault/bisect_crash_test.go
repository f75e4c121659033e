//go:build cgo

package fault_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/graphtest"
	"lathe/session/ort"
	"lathe/session/ort/fault"
)

// TestBisectCrash finds a node that ends the process: ONNX Runtime divides the
// least integer by -1, which is SIGFPE on x86 (seen with 1.24.3 to 1.31.1), in a
// run, or already while loading, where it folds constants.
func TestBisectCrash(t *testing.T) {
	var text strings.Builder
	text.WriteString("opset 13\ninit v0 i32[2] -2147483648 5\ninit b i32[2] -1\noutput y i32[2]\n")
	for i := range 24 {
		op, other := "Max", fmt.Sprintf("v%d", i)
		if i == 17 {
			op, other = "Div", "b"
		}
		fmt.Fprintf(&text, "node_%d: v%d = %s(v%d, %s)\n", i, i+1, op, i, other)
	}
	text.WriteString("last: y = Identity(v24)\n")
	model := graphtest.Model(t, text.String())
	for name, level := range map[string]ort.Optimization{"running": ort.OptimizeDisable, "loading": ort.OptimizeAll} {
		t.Run(name, func(t *testing.T) {
			s, err := fault.Bisect(t.Context(), model, crashing(t, level), nil)
			if errors.Is(err, fault.ErrNoCrash) {
				t.Skip("this runtime does not crash on it")
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := s.Site.String(), `node 17 "node_17" (Div)`; got != want {
				t.Errorf("got %s after %d tries, want %s", got, s.Tries, want)
			}
		})
	}
}

// crashing tries models in workers, a new one after each crash.
func crashing(t *testing.T, level ort.Optimization) fault.Try {
	client := start(t)
	return func(ctx context.Context, m *graphops.Model) (bool, error) {
		image, err := graphops.ImageOf(m)
		if err != nil {
			return false, err
		}
		session, err := client.Load(ctx, ort.Model{Bytes: image.Bytes, Folder: image.Folder}, ort.SessionOptions{Optimization: level, IntraThreads: 1})
		if err == nil {
			err = session.Run(ctx, nil, nil, func(execution.Got) error { return nil })
		}
		var crash *ort.CrashError
		var refused *ort.Error
		switch {
		case errors.As(err, &crash):
			client = start(t)
			return true, nil
		case errors.As(err, &refused):
			return false, nil
		}
		return false, err
	}
}
