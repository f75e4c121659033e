package runtime

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/ort"
)

const threeNodes = `
input x f32[2]
output y f32[2]
first: a = Relu(x)
second: b = Neg(a)
third: y = Abs(b)
`

// refused is an error of ONNX Runtime.
func refused(message string) *ort.Error {
	return &ort.Error{Phase: ort.Running, Model: "m.onnx", Code: 1, Message: message}
}

func kernelFailed(node string) *ort.Error {
	return refused("Non-zero status code returned while running Neg node. Name:'" + node + "' Status Message: it cannot")
}

var crash = &ort.CrashError{Phase: ort.Running, Model: "m.onnx", Signal: syscall.SIGSEGV}

func TestFailed(t *testing.T) {
	m := graphtest.Model(t, threeNodes)
	works := func(context.Context, *graphops.Model, Execution) error { return nil }
	// crashes is a runtime that crashes on Neg, whatever is before and after it.
	crashes := func(_ context.Context, m *graphops.Model, _ Execution) error {
		for n := range m.AllNodes() {
			if n.OpType() == "Neg" {
				return crash
			}
		}
		return nil
	}
	never := func(context.Context, *graphops.Model, Execution) error {
		t.Error("it was tried again")
		return nil
	}
	still := func(err error) attempt {
		return func(context.Context, *graphops.Model, Execution) error { return err }
	}
	// optimized is a runtime that rejects models with a Neg if it optimizes.
	optimized := func(_ context.Context, m *graphops.Model, o Execution) error {
		for n := range m.AllNodes() {
			if n.OpType() == "Neg" && o.Opt != "disable" {
				return refused("no such kernel")
			}
		}
		return nil
	}
	tests := []struct {
		name  string
		err   error
		opt   string
		took  time.Duration
		again attempt
		want  []string
		is    bool // whether the error is a *Failure
	}{
		{"none", nil, "", 0, never, nil, false},
		{"another's", errors.New("no such file"), "", 0, never, []string{"no such file"}, false},
		{"words that nobody knows", refused("qwertz"), "disable", 0, never, []string{`running "m.onnx": qwertz (FAIL)`}, true},
		{"a node of the model", kernelFailed("second"), "", 0, still(kernelFailed("second")), []string{`running "m.onnx": node 1 "second" (Neg): `}, true},
		{
			"a node of the model, which works without optimizations", kernelFailed("second"), "", 0, works,
			[]string{`running "m.onnx": node 1 "second" (Neg): the runtime's graph optimizations break the model, which works without them; use --opt disable to run without them`},
			true,
		},
		{
			"no node, and works without optimizations", refused("no such kernel"), "", 0, optimized,
			[]string{`running "m.onnx": node 1 "second" (Neg): the runtime's graph optimizations break the model`},
			true,
		},
		{"what no optimization can cause", refused("Got invalid dimensions for input: x for the following indices\n index: 0 Got: 3 Expected: 2\n"), "", 0, never, nil, true},
		{
			"a node that an optimization made, and works without", kernelFailed("fused_1"), "", 0, works,
			[]string{"which works without them; use --opt disable to run without them"},
			true,
		},
		{
			"a node that an optimization made", kernelFailed("fused_1"), "", 0,
			func(_ context.Context, _ *graphops.Model, o Execution) error {
				if o.Opt != "disable" {
					t.Errorf("tried again at level %q", o.Opt)
				}
				return kernelFailed("second")
			},
			[]string{`node 1 "second" (Neg)`},
			true,
		},
		{"a crash", crash, "", time.Millisecond, crashes, []string{"SIGSEGV", `node 1 "second" (Neg)`}, true},
		{"a crash of an optimization", crash, "", time.Millisecond, works, []string{"SIGSEGV", "it works without graph optimizations: --opt disable"}, true},
		{"a crash that does not come again", crash, "disable", time.Millisecond, works, []string{"SIGSEGV", "the node was not found"}, true},
		{"a crash that takes long", crash, "", time.Minute, never, []string{"SIGSEGV", "was not searched for, because that would take 4 tries of 1m0s"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := failed(t.Context(), tt.err, m, Execution{Opt: tt.opt}, tt.took, tt.again)
			for _, want := range tt.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
			var f *Failure
			if errors.As(err, &f) != tt.is || !errors.Is(err, tt.err) {
				t.Errorf("got a %T that wraps %v", err, errors.Unwrap(err))
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
		})
	}
}

// After a cancellation there is no explanation, and nothing is tried again.
func TestFailedAfterCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := failed(ctx, crash, graphtest.Model(t, threeNodes), Execution{}, 0, func(context.Context, *graphops.Model, Execution) error {
		t.Error("it was tried again")
		return nil
	})
	if !errors.Is(err, crash) {
		t.Errorf("got %v", err)
	}
}

// TestFurtherTriesEnd: a try after a failure does not run without end, as a model with an endless loop
// would whose worker was killed.
func TestFurtherTriesEnd(t *testing.T) {
	endless := attempt(func(ctx context.Context, _ *graphops.Model, _ Execution) error {
		<-ctx.Done()
		return ctx.Err()
	})
	if err := endless.within(time.Millisecond)(t.Context(), nil, Execution{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}
