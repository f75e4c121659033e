//go:build soak

package tui

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/ort"
	workers "lathe/session/runtime"
	"lathe/session/steps"
)

// What a day at the workbench is: a key every two seconds for 11 hours.
const (
	upsetKeys   = 20_000
	upsetChange = 15 // keys between two changes of the file
	// upsetBytes is how much the heap may grow from the first to the last quarter.
	upsetBytes = 16 << 20
)

// upsets are what happens to a file while its model is open.
var upsets = []func(path string, whole, other []byte) error{
	func(path string, whole, _ []byte) error { return os.WriteFile(path, whole, 0o600) },
	func(path string, _, other []byte) error { return os.WriteFile(path, other, 0o600) },
	func(path string, whole, _ []byte) error { return os.Truncate(path, int64(len(whole)/2)) },
	func(path string, _, _ []byte) error { return os.Truncate(path, 0) },
	func(path string, _, _ []byte) error { return os.RemoveAll(path) },
	func(path string, whole, _ []byte) error { return replace(path, whole) },
	func(path string, _, other []byte) error { return replace(path, other) },
	func(path string, _, _ []byte) error { return os.Chmod(path, 0) },
	func(path string, _, _ []byte) error { return os.Chtimes(path, time.Time{}, time.Unix(1, 0)) },
	func(path string, _, _ []byte) error {
		return os.Chtimes(path, time.Time{}, time.Now().AddDate(50, 0, 0))
	},
	func(path string, _, _ []byte) error {
		_ = os.RemoveAll(path)
		return os.Mkdir(path, 0o700)
	},
}

// replace puts another file in the place of one.
func replace(path string, content []byte) error {
	fresh := path + ".fresh"
	if err := os.WriteFile(fresh, content, 0o600); err != nil {
		return err
	}
	_ = os.RemoveAll(path)
	return os.Rename(fresh, path)
}

// TestActionsWhileTheFileChanges presses 20,000 random keys on each of three models, with all steps and
// no ONNX Runtime, while the model's file is replaced, cut, removed and put back, and while the clock
// jumps forwards and backwards. Nothing may panic, every frame must fill the screen, Ctrl-C and q must be
// answered at the end, and neither the heap nor the number of goroutines may grow with the keys.
func TestActionsWhileTheFileChanges(t *testing.T) {
	keys := randomKeys()
	for i, name := range []string{"digits.onnx", "external.onnx", "if_loop.onnx"} {
		t.Run(name, func(t *testing.T) { upset(t, name, keys, rand.New(rand.NewPCG(uint64(i), 11))) })
	}
}

func upset(t *testing.T, name string, keys []string, rng *rand.Rand) {
	dir := t.TempDir()
	whole, err := os.ReadFile(filepath.Join("../testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("../testdata/gather_mlp.onnx")
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile("../testdata/external.data"); err == nil {
		if err := os.WriteFile(filepath.Join(dir, "external.data"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	if err := os.WriteFile(name, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	d := upsetDesk(t, name, rng)
	var pressed []string
	defer func() {
		if p := recover(); p != nil {
			t.Fatalf("%v after %q", p, pressed[max(0, len(pressed)-40):])
		}
	}()
	var heap, routines int
	for n := range upsetKeys {
		if n%upsetChange == 0 {
			_ = upsets[rng.IntN(len(upsets))](name, whole, other) // of a folder, some of them fail
		}
		if n == upsetKeys/4 {
			heap, routines = held()
		}
		pressed = append(pressed, keys[rng.IntN(len(keys))])
		d.press(pressed[n])
		if n%20 == 0 {
			checkSize(t, d, [2]int{d.app.w, d.app.h})
			d.judged = judged{}
		}
		if d.quit { // the model is left and opened again, as a person does
			d.quit = false
		}
		if t.Failed() {
			t.Fatalf("after %q", pressed[max(0, n-40):])
		}
	}
	heapAfter, routinesAfter := held()
	t.Logf("heap %d KiB, then %d KiB; goroutines %d, then %d; the slowest message %v", heap>>10, heapAfter>>10, routines, routinesAfter, d.slowest)
	if heapAfter-heap > upsetBytes || routinesAfter > routines+10 {
		t.Errorf("heap %d KiB, then %d KiB; goroutines %d, then %d", heap>>10, heapAfter>>10, routines, routinesAfter)
	}
	d.press("esc", "esc", "esc", "ctrl+c")
	if !d.quit {
		d.press("y")
	}
	if !d.quit {
		t.Errorf("Ctrl-C does not leave:\n%s", d.screen())
	}
}

// upsetDesk opens a model with all steps, without an ONNX Runtime, and with a clock that jumps.
func upsetDesk(t *testing.T, path string, rng *rand.Rand) *desk {
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := testOptions(m)
	o.Path, o.Steps = path, steps.All
	o.Env = session.Env{Progress: func(session.Progress) {}, Results: filepath.Join(t.TempDir(), "results"), Runtime: &workers.Workers{
		Library: func(context.Context) (ort.Library, error) { return ort.Library{}, ort.ErrNoRuntime },
	}}
	now := time.Unix(1_700_000_000, 0)
	o.Now = func() time.Time {
		if rng.IntN(50) == 0 {
			return now.Add(time.Duration(rng.Int64N(int64(200*365*24*time.Hour))) - 100*365*24*time.Hour)
		}
		return now
	}
	return newDeskWith(t, o, 100, 30)
}

// held returns the bytes of the heap in use, and the number of goroutines.
func held() (heap, routines int) {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc), runtime.NumGoroutine()
}
