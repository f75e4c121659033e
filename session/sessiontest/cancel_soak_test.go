//go:build cgo && linux && soak

package sessiontest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	gort "runtime"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/ort/workertest"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// cancelCycles is how often a load is canceled.
const cancelCycles = 10_000

// TestLoadsCanceled begins to load a model and cancels it after a random time, which is for most of them
// within the time that a load takes. Nothing may remain: no process, no goroutine, no open file. The
// model must load afterwards.
func TestLoadsCanceled(t *testing.T) {
	workers := sessiontest.Workers(t)
	m := graphtest.Model(t, "input x f32[1,64]\ninit w f32[64,64] 1\ny = MatMul(x, w)\noutput y f32[1,64]")
	took := min(loadTime(t, workers, m), loadTime(t, workers, m), loadTime(t, workers, m))
	files, routines := openFiles(t), gort.NumGoroutine()
	rng := rand.New(rand.NewPCG(1, 2))
	loaded := 0
	for i := range cancelCycles {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.Int64N(int64(took)*3/2)))
		l, err := workers.Load(ctx, m, runtime.Execution{Reuse: i%2 == 0})
		if err == nil {
			loaded++
			err = l.Close()
		} else if ctx.Err() == nil {
			t.Fatalf("load %d, not canceled: %v", i, err)
		} else {
			err = nil
		}
		cancel()
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of %d were loaded before they were canceled; a load takes %v", loaded, cancelCycles, took)
	loadTime(t, workers, m)
	for range 100 { // workers that are kept ready, and those that end
		if openFiles(t) <= files+10 && gort.NumGoroutine() <= routines+10 && len(children(t)) <= 2 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("%d files were open and %d goroutines there, then %d and %d; children %q", files, routines, openFiles(t), gort.NumGoroutine(), children(t))
}

func loadTime(t *testing.T, on runtime.Runtime, m *graphops.Model) time.Duration {
	t.Helper()
	began := time.Now()
	l, err := on.Load(t.Context(), m, runtime.Execution{})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return took
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// children returns the processes that this one has started and that still exist (proc(5)).
func children(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/children", os.Getpid()))
	if err != nil {
		t.Skip(err)
	}
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Fields(string(text))
	for _, task := range tasks {
		more, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		if err == nil && task.Name() != fmt.Sprint(os.Getpid()) {
			all = append(all, strings.Fields(string(more))...)
		}
	}
	return all
}
