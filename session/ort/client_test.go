package ort_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/wire"
)

func startFake(t *testing.T, mode string) *ort.Client {
	t.Helper()
	client, err := ort.Start(t.Context(), fake(t, mode))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func loadFake(t *testing.T, client *ort.Client) *ort.Session {
	t.Helper()
	session, err := client.Load(t.Context(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func TestStartFailures(t *testing.T) {
	tests := []struct {
		mode string
		text string
		is   func(error) bool
	}{
		{"exits", `the worker exited with status 3 while starting: something is missing`, isCrash},
		{"prints", `the worker exited with status 0 while starting: this is not the machine you look for`, isCrash},
		{"garbage", `the worker broke the protocol (no worker's greeting in the first 65536 bytes of output) while starting: g`, isCrash},
		{"greets", `the worker exited with status 0 while starting`, isCrash},
		{"raw", `the worker broke the protocol (a frame is too large: message and payload have 4294967295 and 4294967295 bytes, at most 16777216 and 1048576 are allowed) while starting`, isCrash},
		{"newer", fmt.Sprintf(`starting the worker: the worker is lathe "fake" and speaks protocol %d, this lathe speaks %d; install the same version on both ends`, wire.Version+1, wire.Version), isRefusal},
		{"older", fmt.Sprintf(`starting the worker: the worker is another version of lathe, which does not speak protocol %d as this lathe does; install the same version on both ends`, wire.Version), isRefusal},
		{"refuses", `starting the worker: the library is too old`, isRefusal},
		{"mute", `the worker broke the protocol (no worker's greeting in 0 bytes of output: EOF) while starting`, isCrash},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			client, err := ort.Start(t.Context(), fake(t, tt.mode))
			if err == nil {
				_ = client.Close()
				t.Fatal("it started")
			}
			if err.Error() != tt.text || !tt.is(err) {
				t.Errorf("got  %T %q\nwant %q", err, err, tt.text)
			}
		})
	}
}

func isCrash(err error) bool {
	var crash *ort.CrashError
	return errors.As(err, &crash) && crash.Phase == ort.Starting
}

func isRefusal(err error) bool {
	var refused *ort.Error
	return errors.As(err, &refused) && refused.Phase == ort.Starting
}

func TestStartWithoutProgram(t *testing.T) {
	if _, err := ort.Start(t.Context(), ort.Options{}); err == nil {
		t.Error("no command started")
	}
	_, err := ort.Start(t.Context(), ort.Options{Command: []string{"no-such-lathe", "worker"}})
	if !errors.Is(err, exec.ErrNotFound) || !strings.Contains(err.Error(), `"no-such-lathe"`) {
		t.Errorf("got %v", err)
	}
}

func TestStartTimeout(t *testing.T) {
	o := fake(t, "silent")
	o.StartTimeout = 50 * time.Millisecond
	_, err := ort.Start(t.Context(), o)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "sent no greeting within 50ms") {
		t.Errorf("got %v", err)
	}
}

func TestStartCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err := ort.Start(ctx, fake(t, "silent"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A child of the launcher that holds the pipes open does not hold up the news.
func TestLauncherLeavesChild(t *testing.T) {
	o := ort.Options{Command: []string{"sh", "-c", "sleep 1000 & echo lost the way >&2; exit 4", "sh"}}
	start := time.Now()
	_, err := ort.Start(t.Context(), o)
	if err == nil || err.Error() != "the worker exited with status 4 while starting: lost the way" {
		t.Errorf("got %v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestRequests(t *testing.T) {
	for _, mode := range []string{"works", "chatters"} {
		t.Run(mode, func(t *testing.T) {
			client := startFake(t, mode)
			if info := client.Info(); info.LatheVersion != "fake" || info.LibraryVersion != "1.2.3" || info.PID == 0 {
				t.Errorf("info %+v", info)
			}
			session := loadFake(t, client)
			got, err := run(t.Context(), session, graphops.Feeds{"b": scalar(1), "a": scalar(2)})
			if err != nil {
				t.Fatal(err)
			}
			of := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}
			want := []graphops.Got{{Name: "a", Value: graphops.SequenceValue(of)}, {Name: "b", Value: graphops.SequenceValue(of)}}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			if _, err := run(t.Context(), session, nil); !errors.Is(err, ort.ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		})
	}
}

// TestGoneWithItsCall makes sure that a worker that has ended is gone for whoever learns of it from a
// call. Otherwise the next model goes to this worker, and its crash counts for that model.
func TestGoneWithItsCall(t *testing.T) {
	for range 40 {
		client := startFake(t, "dies")
		_, err := client.Load(t.Context(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
		if !client.Gone() {
			t.Fatalf("the worker is not gone after %v", err)
		}
		if err := client.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func scalar(v byte) graphops.Value {
	return graphops.TensorValue(tensor.Tensor{DType: tensor.U8, Data: []byte{v}})
}

// run gives all outputs.
func run(ctx context.Context, s *ort.Session, in graphops.Feeds) ([]graphops.Got, error) {
	var got []graphops.Got
	err := s.Run(ctx, in, nil, func(g graphops.Got) error {
		got = append(got, g)
		return nil
	})
	return got, err
}

func TestModelSources(t *testing.T) {
	client := startFake(t, "works")
	both := ort.Model{Path: "m.onnx", Bytes: []byte{1}}
	if _, err := client.Load(t.Context(), both, ort.SessionOptions{}); err == nil {
		t.Error("a model of two sources was loaded")
	}
}

// What no worker sends ends the worker, and the call says what it was.
func TestProtocolViolations(t *testing.T) {
	tests := map[string]string{
		"unknown request":    "a reply to request 3, which is not in progress",
		"no body":            "a reply of unknown kind to request 2",
		"stray data":         "data arrived that belongs to no value",
		"wrong size":         `value "a": f32 2 takes 8 bytes, 1152921504606846976 were announced`,
		"unknown type":       `value "a": elements of type type(99) have no fixed size`,
		"too much data":      "5 bytes of data arrived, but 4 of 4 are missing",
		"half a value":       "request 2 ended inside a value",
		"bad strings":        "value \"a\": string 1 of 2 does not fit the 1 bytes left",
		"another value":      `value "\x1b[2Jb" arrived instead of "a"`,
		"too few values":     "request 2 ended after 0 of 2 values",
		"no elements":        `value "a": elements sent: false, requested: true`,
		"parts of nothing":   `value "a": 4611686018427387904 bytes of results were announced, which is more than was requested`,
		"a map of three":     `value "a": a value of type map(i64,f32) has 3 items, expected at most 2`,
		"unwanted content":   "a reply of unknown kind to request 2",
		"payload of no data": "a frame without Data has a payload",
		"two at once":        "a message is of several kinds at once",
		"another end":        "request 2 was answered as another kind of request is",
		"huge frame":         "a frame is too large: message and payload have 2147483647 and 0 bytes, at most 16777216 and 1048576 are allowed",
	}
	for mode, want := range tests {
		t.Run(mode, func(t *testing.T) {
			session := loadFake(t, startFake(t, mode))
			_, err := run(t.Context(), session, nil)
			wantText := fmt.Sprintf("the worker broke the protocol (%s) while running %q", want, "m.onnx")
			if err == nil || err.Error() != wantText {
				t.Errorf("got  %v\nwant %s", err, wantText)
			}
			if _, err := run(t.Context(), session, nil); !errors.Is(err, ort.ErrGone) {
				t.Errorf("after it: %v", err)
			}
		})
	}
}

func TestAnswerOfAnotherKind(t *testing.T) {
	client := startFake(t, "another answer")
	if _, err := client.Load(t.Context(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{}); err == nil {
		t.Error("samples were taken for a session")
	}
}

// An announcement alone takes no memory.
func TestHugeValue(t *testing.T) {
	o := fake(t, "huge value")
	o.MaxAnswer = 1 << 60
	client, err := ort.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	session := loadFake(t, client)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = run(t.Context(), session, nil)
	runtime.ReadMemStats(&after)
	var crash *ort.CrashError
	if !errors.As(err, &crash) || crash.ExitCode != 9 || crash.Violation != nil {
		t.Errorf("got %v, want an exit with status 9", err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 100<<20 {
		t.Errorf("%d bytes were allocated", grown)
	}
}

// A value that does not fit in memory ends the worker before it arrives.
func TestTooMuch(t *testing.T) {
	session := loadFake(t, startFake(t, "huge value"))
	_, err := run(t.Context(), session, nil)
	if !errors.Is(err, ort.ErrGone) || !strings.Contains(err.Error(), "it was killed because its answer takes more than ") {
		t.Errorf("got %v", err)
	}
}

// A worker that gets a request and sends nothing is killed, also if there is no time limit.
func TestSilence(t *testing.T) {
	o := fake(t, "deaf")
	o.Silence = 100 * time.Millisecond
	client, err := ort.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	time.Sleep(3 * o.Silence) // nothing is asked, so nothing is missed
	_, err = client.Load(t.Context(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
	want := "the worker is gone: the worker is silent: it was killed because it sent nothing for 100ms, although a worker reports every 5s that it is alive"
	if err == nil || err.Error() != want || !errors.Is(err, ort.ErrSilent) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// A worker that reports that it is alive, or whose values arrive slowly, is not silent. Neither is one
// whose client is busy with a value.
func TestNotSilent(t *testing.T) {
	for _, mode := range []string{"alive", "slow"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			o := fake(t, mode)
			o.Silence = time.Second
			client, err := ort.Start(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Close() })
			session := loadFake(t, client)
			err = session.Run(t.Context(), nil, nil, func(graphops.Got) error {
				time.Sleep(o.Silence * 3 / 2)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHugeRequest(t *testing.T) {
	session := loadFake(t, startFake(t, "works"))
	name := string(bytes.Repeat([]byte{'n'}, 17<<20))
	_, err := run(t.Context(), session, graphops.Feeds{name: scalar(1)})
	if err == nil || !strings.HasPrefix(err.Error(), `running "m.onnx": a frame is too large`) {
		t.Errorf("got %v", err)
	}
	if _, err := run(t.Context(), session, nil); err != nil {
		t.Errorf("after it: %v", err)
	}
}

func TestExitWhileRunning(t *testing.T) {
	client := startFake(t, "dies")
	_, err := client.Load(t.Context(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
	want := &ort.CrashError{Phase: ort.Loading, Model: "m.onnx", ExitCode: 7}
	var crash *ort.CrashError
	if !errors.As(err, &crash) {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff(want, crash); diff != "" {
		t.Error(diff)
	}
	_, err = client.Load(t.Context(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
	if want := "the worker is gone: the worker exited with status 7 while waiting for requests"; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// What a worker says before it ends itself is what is told.
func TestLastWill(t *testing.T) {
	client := startFake(t, "outgrows")
	_, err := client.Load(t.Context(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
	if want := `the worker is gone: it passed the memory limit of 5 bytes while loading "m.onnx"`; err == nil || err.Error() != want || !errors.Is(err, ort.ErrGone) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestStderrTail(t *testing.T) {
	client := startFake(t, "floods")
	_, err := client.Load(t.Context(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
	var crash *ort.CrashError
	if !errors.As(err, &crash) || crash.Signal != syscall.SIGKILL {
		t.Fatalf("got %v, want a kill", err)
	}
	if n := len(crash.Stderr); n > 64<<10 || n < 32<<10 {
		t.Errorf("%d bytes of stderr were kept", n)
	}
	if !strings.HasPrefix(crash.Stderr, "noise\n") || !strings.HasSuffix(crash.Error(), ": last words") {
		t.Errorf("got %q … and %q", crash.Stderr[:20], crash)
	}
}

// A worker that does not hear is killed, by cancellation and by Close.
func TestDeafWorker(t *testing.T) {
	t.Run("cancel", func(t *testing.T) {
		client := startFake(t, "deaf")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := client.Load(ctx, ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		_, err = client.Load(t.Context(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
		want := `the worker is gone: it was killed because loading "m.onnx" did not stop within 200ms`
		if err == nil || err.Error() != want || !errors.Is(err, ort.ErrGone) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	})
	t.Run("cancel while sending", func(t *testing.T) {
		client := startFake(t, "deaf")
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		_, err := client.Load(ctx, ort.Model{Bytes: make([]byte, 10<<20)}, ort.SessionOptions{})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("close", func(t *testing.T) {
		client := startFake(t, "deaf")
		done := make(chan error)
		go func() {
			_, err := client.Load(context.Background(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
			done <- err
		}()
		if err := client.Close(); err == nil {
			t.Error("killing the worker was not reported")
		}
		if err := <-done; !errors.Is(err, ort.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if err := client.Close(); err != nil {
			t.Errorf("a second Close: %v", err)
		}
	})
}

// Neither goroutines nor processes are left behind.
func TestNoLeak(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, mode := range []string{"works", "dies", "exits", "garbage", "huge frame"} {
		client, err := ort.Start(t.Context(), fake(t, mode))
		if err != nil {
			continue
		}
		ctx, cancel := context.WithCancel(t.Context())
		if session, err := client.Load(ctx, ort.Model{Path: "m.onnx"}, ort.SessionOptions{}); err == nil {
			_, _ = run(ctx, session, nil)
		}
		_ = client.Close()
		cancel()
		if err := syscall.Kill(int(client.Info().PID), 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s: the worker is still there: %v", mode, err)
		}
	}
	graphtest.NoMoreGoroutines(t, before)
}

// The last words of a crash are not what an earlier request made the worker say,
// and not a warning.
func TestLastWordsAreOwn(t *testing.T) {
	client := startFake(t, "warns")
	session := loadFake(t, client)
	_, err := run(t.Context(), session, nil)
	if want := `the worker exited with status 7 while running "m.onnx": something broke`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	var crash *ort.CrashError
	if !errors.As(err, &crash) || strings.Contains(crash.Stderr, "earlier") {
		t.Errorf("the crash has %q", crash.Stderr)
	}
}
