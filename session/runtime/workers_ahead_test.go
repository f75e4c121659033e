package runtime

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/ort"
	"lathe/session/ort/wire"
)

// Environment variables of this test binary as a worker: how it behaves, and the folder in which it
// leaves a file named by its process number.
const (
	fakeWorker  = "LATHE_TEST_WORKER"
	fakeWorkers = "LATHE_TEST_WORKERS"
)

func TestMain(m *testing.M) {
	if mode := os.Getenv(fakeWorker); mode != "" {
		folder := os.Getenv(fakeWorkers)
		if folder == "" {
			panic(fakeWorkers + " is not set")
		}
		if err := os.WriteFile(filepath.Join(folder, strconv.Itoa(os.Getpid())), []byte(strings.Join(os.Args[1:], " ")), 0o600); err != nil {
			panic(err)
		}
		beWorker(mode)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// beWorker is a worker that loads anything. Depending on the mode it is slow to send its greeting,
// dies after the greeting ("mortal") or after one run ("dies"), rejects every request ("refuses"),
// or accepts no library.
func beWorker(mode string) {
	out := wire.NewWriter(os.Stdout)
	fmt.Print(wire.Greeting)
	switch mode {
	case "silent":
		time.Sleep(time.Hour)
	case "no library":
		_ = out.Send(&wire.Reply{Error: &wire.Error{Message: "the library is broken"}}, nil)
		return
	}
	_ = out.Send(&wire.Reply{Hello: &wire.Hello{Protocol: wire.Version, LibraryVersion: "1.2.3"}}, nil)
	in := wire.NewReader(bufio.NewReader(os.Stdin))
	for loads := 0; mode != "mortal"; {
		var req wire.Request
		if in.Next(&req) != nil {
			return
		}
		reply := &wire.Reply{ID: req.ID, Done: &wire.Done{}}
		switch {
		case req.Load != nil:
			if loads++; mode == "dies" && loads == 2 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
			if req.Load.Source == wire.FromModel {
				skipData(in)
			}
			reply = &wire.Reply{ID: req.ID, Loaded: &wire.Loaded{Provider: "cpu"}}
		case req.Run != nil && mode == "refuses":
			reply = &wire.Reply{ID: req.ID, Error: &wire.Error{Message: "it does not run"}}
		}
		_ = out.Send(reply, nil)
	}
}

func skipData(in *wire.Reader) {
	var data wire.Request
	if err := in.Next(&data); err != nil {
		panic(err)
	}
	if err := in.ReadPayload(make([]byte, in.Payload())); err != nil {
		panic(err)
	}
}

// aheadTest has Workers whose worker processes are fakes.
type aheadTest struct {
	*Workers
	t     *testing.T
	dir   string // has a file for each worker that was started
	model *graphops.Model
}

func newAheadTest(t *testing.T, mode string) *aheadTest {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only the proc file system shows how much memory a worker holds; otherwise no worker is reused")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := &aheadTest{t: t, dir: dir, model: graphtest.Model(t, threeNodes), Workers: &Workers{
		Library: func(context.Context) (ort.Library, error) { return ort.Library{Path: "libonnxruntime.so"}, nil },
		Command: []string{self},
		Env:     append(os.Environ(), fakeWorker+"="+mode, fakeWorkers+"="+dir, "GORACE=atexit_sleep_ms=0"),
	}}
	t.Cleanup(func() {
		if n := w.alive(); n > 0 {
			t.Errorf("%d workers are left", n)
		}
	})
	return w
}

// started returns the process numbers of all workers started so far.
func (w *aheadTest) started() (pids []int) {
	list, err := os.ReadDir(w.dir)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, e := range list {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			w.t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func (w *aheadTest) alive() int {
	return len(slices.DeleteFunc(w.started(), func(pid int) bool { return syscall.Kill(pid, 0) != nil }))
}

// await waits until n workers were started.
func (w *aheadTest) await(n int) {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); len(w.started()) < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("%d workers were started, expected %d", len(w.started()), n)
		}
	}
}

// use loads the model, runs it, and closes it.
func (w *aheadTest) use(ctx context.Context, o Execution) error {
	l, err := w.Load(ctx, w.model, o)
	if err != nil {
		return err
	}
	return errors.Join(l.Run(ctx, nil, nil, func(graphops.Got) error { return nil }), l.Close())
}

func (w *aheadTest) mustUse(o Execution) {
	w.t.Helper()
	if err := w.use(w.t.Context(), o); err != nil {
		w.t.Fatal(err)
	}
}

func (w *aheadTest) expectStarted(n int) {
	w.t.Helper()
	if got := len(w.started()); got != n {
		w.t.Errorf("%d workers were started, expected %d", got, n)
	}
}

var reuse = Execution{Reuse: true}

func TestPrepared(t *testing.T) {
	for name, c := range map[string]struct {
		prepared Execution
		runs     []Execution
		started  int
	}{
		"never needed":            {Execution{}, nil, 1},
		"taken":                   {Execution{}, []Execution{{}}, 1},
		"taken within a time":     {Execution{}, []Execution{{Timeout: time.Minute}}, 1},
		"another limit":           {Execution{}, []Execution{{MemoryLimit: 1 << 40}}, 2},
		"its limit":               {Execution{MemoryLimit: 1 << 40}, []Execution{{MemoryLimit: 1 << 40}}, 1},
		"one after the other":     {Execution{}, []Execution{reuse, reuse, reuse}, 1},
		"alone each":              {Execution{}, []Execution{{}, {}}, 2},
		"alone after another":     {Execution{}, []Execution{reuse, {}}, 2},
		"another after one alone": {Execution{}, []Execution{{}, reuse, reuse}, 2},
		"placed":                  {Execution{}, []Execution{{Reuse: true, Placement: true}, reuse}, 2},
		"with operators":          {Execution{}, []Execution{{Reuse: true, CustomOps: []string{"x.so"}}, reuse}, 2},
		"on a device":             {Execution{}, []Execution{{Reuse: true, Providers: []ort.Provider{{Name: "cuda"}}}, reuse}, 2},
		"limited":                 {Execution{}, []Execution{{Reuse: true, MemoryLimit: 1 << 40}, {Reuse: true, MemoryLimit: 1 << 40}}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			w := newAheadTest(t, "works")
			end := w.Prepare(t.Context(), NeedWorker, c.prepared)
			w.await(1)
			for _, o := range c.runs {
				w.mustUse(o)
			}
			end()
			end() // a second call does nothing
			w.expectStarted(c.started)
		})
	}
}

// TestUnprepared checks that without Prepare every model has its own worker, which ends with it.
func TestUnprepared(t *testing.T) {
	w := newAheadTest(t, "works")
	for need := range NeedWorker {
		end := w.Prepare(t.Context(), need, Execution{})
		w.mustUse(reuse)
		end()
	}
	elsewhere := w.Prepare(t.Context(), NeedWorker, Execution{On: "ssh gpu1"})
	w.mustUse(reuse)
	elsewhere()
	w.expectStarted(3)
	if w.alive() > 0 {
		t.Error("a worker outlives its model")
	}
}

// TestPreparedByTwo checks that the spare stays until both calls of Prepare have ended.
func TestPreparedByTwo(t *testing.T) {
	w := newAheadTest(t, "works")
	first, second := w.Prepare(t.Context(), NeedWorker, Execution{}), w.Prepare(t.Context(), NeedWorker, Execution{})
	w.mustUse(reuse)
	first()
	if w.alive() != 1 {
		t.Error("the spare ended with the first")
	}
	w.mustUse(reuse)
	second()
	w.expectStarted(1)
}

// TestSpareOfCancelled checks that a spare whose start was cancelled by one caller does not affect
// another caller.
func TestSpareOfCancelled(t *testing.T) {
	w := newAheadTest(t, "works")
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	first := w.Prepare(cancelled, NeedWorker, Execution{})
	second := w.Prepare(t.Context(), NeedWorker, Execution{})
	w.mustUse(Execution{})
	first()
	second()
}

func TestCancelledStart(t *testing.T) {
	w := newAheadTest(t, "silent")
	ctx, cancel := context.WithCancel(t.Context())
	end := w.Prepare(ctx, NeedWorker, Execution{})
	w.await(1)
	waiting := make(chan error)
	go func() { waiting <- w.use(ctx, Execution{}) }()
	cancel()
	if err := <-waiting; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected that it was cancelled", err)
	}
	end()
}

// TestUnneededStart checks that end does not wait for a worker that is slow to send its greeting.
func TestUnneededStart(t *testing.T) {
	w := newAheadTest(t, "silent")
	end := w.Prepare(t.Context(), NeedWorker, Execution{})
	w.await(1)
	start := time.Now()
	end()
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("the end took %v", d)
	}
}

func TestClosedSpare(t *testing.T) {
	w := newAheadTest(t, "works")
	end := w.Prepare(t.Context(), NeedWorker, Execution{})
	w.await(1)
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	end()
}

// TestFaultsAhead checks that errors of the preparation are returned once, to the code that needs a
// worker.
func TestFaultsAhead(t *testing.T) {
	t.Run("no library", func(t *testing.T) {
		w := newAheadTest(t, "works")
		w.Library = func(context.Context) (ort.Library, error) { return ort.Library{}, ort.ErrNoRuntime }
		defer w.Prepare(t.Context(), NeedWorker, Execution{})()
		if err := w.use(t.Context(), Execution{}); !errors.Is(err, ort.ErrNoRuntime) {
			t.Errorf("%v, expected %v", err, ort.ErrNoRuntime)
		}
		w.expectStarted(0)
	})
	t.Run("refused library", func(t *testing.T) {
		w := newAheadTest(t, "no library")
		defer w.Prepare(t.Context(), NeedWorker, Execution{})()
		if err := w.use(t.Context(), Execution{}); err == nil || !strings.Contains(err.Error(), "the library is broken") {
			t.Errorf("%v, expected what the worker said", err)
		}
		w.expectStarted(1)
	})
	t.Run("dead before use", func(t *testing.T) {
		w := newAheadTest(t, "mortal")
		defer w.Prepare(t.Context(), NeedWorker, Execution{})()
		<-w.spare.ready
		for !w.spare.client.Gone() {
			time.Sleep(time.Millisecond)
		}
		w.Env = append(w.Env, fakeWorker+"=works")
		w.mustUse(Execution{})
		w.expectStarted(2)
	})
}

// TestNotReused checks that a worker after an error gets no second model.
func TestNotReused(t *testing.T) {
	t.Run("refused a run", func(t *testing.T) {
		w := newAheadTest(t, "refuses")
		defer w.Prepare(t.Context(), NeedWorker, Execution{})()
		if err := w.use(t.Context(), reuse); err == nil {
			t.Fatal("no error")
		}
		if w.spare != nil {
			t.Error("it is the spare")
		}
	})
	t.Run("crashed on the second", func(t *testing.T) {
		w := newAheadTest(t, "dies")
		defer w.Prepare(t.Context(), NeedWorker, Execution{})()
		w.mustUse(reuse)
		w.mustUse(reuse) // in a new worker
		w.expectStarted(2)
	})
	t.Run("holds memory", func(t *testing.T) {
		w := newAheadTest(t, "works")
		w.maxReused = 1
		defer w.Prepare(t.Context(), NeedWorker, Execution{})()
		w.mustUse(reuse)
		w.mustUse(reuse)
		w.expectStarted(2)
	})
}

// TestLikely checks that a worker started early is used if its library is the one that is chosen.
func TestLikely(t *testing.T) {
	for name, c := range map[string]struct {
		likely, chosen ort.Library
		known          bool
		started        int
	}{
		"right":         {ort.Library{Path: "a.so"}, ort.Library{Path: "a.so"}, true, 1},
		"wrong":         {ort.Library{Path: "a.so"}, ort.Library{Path: "b.so"}, true, 2},
		"other folders": {ort.Library{Path: "a.so"}, ort.Library{Path: "a.so", LibraryDirs: []string{"/cuda"}}, true, 2},
		"not known":     {ort.Library{}, ort.Library{Path: "b.so"}, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newAheadTest(t, "works")
			asked := make(chan struct{})
			w.Likely = func() (ort.Library, bool) { return c.likely, c.known }
			w.Library = func(ctx context.Context) (ort.Library, error) {
				select {
				case <-asked:
					return c.chosen, nil
				case <-ctx.Done():
					return ort.Library{}, ctx.Err()
				}
			}
			end := w.Prepare(t.Context(), NeedWorker, Execution{})
			if c.known {
				w.await(1)
			}
			close(asked)
			l, err := w.Load(t.Context(), w.model, Execution{})
			if err != nil {
				t.Fatal(err)
			}
			if n := w.alive(); n != 1 {
				t.Errorf("%d workers while a model is loaded, expected one", n)
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
			end()
			w.expectStarted(c.started)
		})
	}
}

// TestAnyLibrary runs on the likely library while the choice is not made yet. It runs on the chosen
// one if none is likely or if the model must not use another.
func TestAnyLibrary(t *testing.T) {
	w := newAheadTest(t, "works")
	chosen := make(chan struct{})
	w.Likely = func() (ort.Library, bool) { return ort.Library{Path: "a.so"}, true }
	w.Library = func(ctx context.Context) (ort.Library, error) {
		select {
		case <-chosen:
			return ort.Library{Path: "b.so"}, nil
		case <-ctx.Done():
			return ort.Library{}, ctx.Err()
		}
	}
	defer w.Prepare(t.Context(), NeedWorker, Execution{})()
	w.mustUse(Execution{Reuse: true, AnyLibrary: true})
	w.expectStarted(1)
	close(chosen)
	w.mustUse(reuse)
	w.expectStarted(2)
	w.Likely = func() (ort.Library, bool) { return ort.Library{}, false }
	w.mustUse(Execution{Reuse: true, AnyLibrary: true})
	w.expectStarted(2)
}

// TestAnyLibraryAhead checks that the library is not searched for if any will do.
func TestAnyLibraryAhead(t *testing.T) {
	w := newAheadTest(t, "works")
	w.Likely = func() (ort.Library, bool) { return ort.Library{Path: "a.so"}, true }
	w.Library = func(context.Context) (ort.Library, error) {
		t.Error("the library was looked for")
		return ort.Library{}, errors.New("asked")
	}
	o := Execution{Reuse: true, AnyLibrary: true}
	end := w.Prepare(t.Context(), NeedWorker, o)
	w.await(1)
	w.mustUse(o)
	end()
	w.expectStarted(1)
}

// TestPreparedAtOnce takes and returns the spare from several goroutines at the same time.
func TestPreparedAtOnce(t *testing.T) {
	w := newAheadTest(t, "works")
	defer w.Prepare(t.Context(), NeedWorker, Execution{})()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			for range 3 {
				end := w.Prepare(t.Context(), NeedWorker, Execution{})
				if err := w.use(t.Context(), reuse); err != nil {
					t.Error(err)
				}
				end()
			}
		})
	}
	all.Wait()
}
