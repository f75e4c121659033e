//go:build cgo && linux

package worker_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

// runEndless starts an endless run and returns where its error will be.
func runEndless(ctx context.Context, session *ort.Session) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := run(ctx, session, endless(), nil)
		done <- err
	}()
	return done
}

// waitBusy returns once the worker has burned processor time, which it does
// only inside the runtime.
func waitBusy(t *testing.T, pid int64) {
	t.Helper()
	before := processorTime(t, pid)
	poll(t, "the worker to be busy", func() bool { return processorTime(t, pid)-before >= 50*time.Millisecond })
}

// poll waits for a condition, and fails the test when it takes too long.
func poll(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func TestCancelRun(t *testing.T) {
	client := start(t)
	session := load(t, client, loop(t))
	ctx, cancel := context.WithCancelCause(t.Context())
	done := runEndless(ctx, session)
	waitBusy(t, client.Info().PID)
	cancel(errors.New("enough"))
	checkText(t, <-done, `running "model in memory": enough`)

	three := map[string]tensor.Tensor{"times": {DType: tensor.I64, Data: []byte{3, 0, 0, 0, 0, 0, 0, 0}}}
	got, err := run(t.Context(), session, three, nil)
	if err != nil {
		t.Fatalf("after a cancelled run: %v", err)
	}
	if got[0].Value.Tensor.Data[0] != 3 {
		t.Errorf("got %v, want 3", got[0].Value.Tensor.Data)
	}
}

func TestCancelBlock(t *testing.T) {
	client := start(t)
	session := load(t, client, addOne(t))
	if err := session.Bind(t.Context(), fed(map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 1)}), ort.Binding{}); err != nil {
		t.Fatal(err)
	}
	// Short enough for the samples' limit to be far off.
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := session.Block(ctx, ort.MaxBlockRuns, math.MaxInt64); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a deadline exceeded", err)
	}
}

// A request that waits for its turn is cancelled without harm to the one that
// runs.
func TestCancelWhileWaiting(t *testing.T) {
	client := start(t)
	session := load(t, client, loop(t))
	first, cancelFirst := context.WithCancel(t.Context())
	running := runEndless(first, session)
	waitBusy(t, client.Info().PID)
	second, cancelSecond := context.WithCancel(t.Context())
	waiting := runEndless(second, session)
	cancelSecond()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("waiting: %v", err)
	}
	select {
	case err := <-running:
		t.Fatalf("the running request ended: %v", err)
	default:
	}
	cancelFirst()
	if err := <-running; !errors.Is(err, context.Canceled) {
		t.Errorf("running: %v", err)
	}
}

// The runtime's crashes end the worker with their signal, though it is a Go
// program; and a client learns it at once.
func TestSignals(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGFPE} {
		t.Run(signal.String(), func(t *testing.T) {
			client := start(t)
			session := load(t, client, loop(t))
			done := runEndless(t.Context(), session)
			waitBusy(t, client.Info().PID)
			if err := syscall.Kill(int(client.Info().PID), signal); err != nil {
				t.Fatal(err)
			}
			err := <-done
			var crash *ort.CrashError
			if !errors.As(err, &crash) || crash.Signal != signal || crash.Phase != ort.Running || crash.Model != "model in memory" {
				t.Errorf("got %#v, want a crash by %v while running", err, signal)
			}
			t.Log(err)
			if _, err := run(t.Context(), session, endless(), nil); !errors.Is(err, ort.ErrGone) || !errors.As(err, &crash) {
				t.Errorf("after the crash: %v, want that the worker is gone, and why", err)
			}
			if err := session.Close(); err != nil {
				t.Errorf("closing a session of a worker that is gone: %v", err)
			}
		})
	}
}

// The least integer divided by -1 has no result that fits, which traps the
// processor: while running, and while constants are folded at load.
func TestRuntimeCrash(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skipf("%s does not trap", runtime.GOARCH)
	}
	divide := &onnxpb.GraphProto{
		Node:        []*onnxpb.NodeProto{node("Div", []string{"x", "minus_one"}, []string{"y"})},
		Input:       []*onnxpb.ValueInfoProto{value("x", tensor.I64, 1)},
		Output:      []*onnxpb.ValueInfoProto{value("y", tensor.I64, 1)},
		Initializer: []*onnxpb.TensorProto{int64s("minus_one", []int64{1}, -1)},
	}
	least := tensor.Tensor{DType: tensor.I64, Shape: []int64{1}, Data: []byte{0, 0, 0, 0, 0, 0, 0, 0x80}}
	t.Run("running", func(t *testing.T) {
		client := start(t)
		session := load(t, client, modelBytes(t, divide))
		_, err := run(t.Context(), session, map[string]tensor.Tensor{"x": least}, nil)
		checkCrash(t, err, ort.CrashError{Phase: ort.Running, Model: "model in memory", Signal: syscall.SIGFPE, ExitCode: -1})
	})
	t.Run("loading", func(t *testing.T) {
		divide.Input = nil
		divide.Initializer = append(divide.Initializer, int64s("x", []int64{1}, math.MinInt64))
		_, err := start(t).Load(t.Context(), ort.Model{Name: "folded", Bytes: modelBytes(t, divide)}, ort.SessionOptions{})
		checkCrash(t, err, ort.CrashError{
			Phase: ort.Loading, Activity: "creating the session on cpu", Model: "folded", Signal: syscall.SIGFPE, ExitCode: -1,
		})
	})
}

func checkCrash(t *testing.T, err error, want ort.CrashError) {
	t.Helper()
	var crash *ort.CrashError
	if !errors.As(err, &crash) {
		t.Fatalf("got %v, want a crash", err)
	}
	if diff := cmp.Diff(want, *crash); diff != "" {
		t.Error(diff)
	}
}
