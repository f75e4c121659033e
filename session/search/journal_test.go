package search

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"lathe/graphops/tensor"
)

func openJournal(t *testing.T, path string, units int) *Journal {
	t.Helper()
	j, err := OpenJournal(path, units)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func closeJournal(t *testing.T, j *Journal) {
	t.Helper()
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestJournal writes trials and reads them again. A torn last line, lines without a trial, and trials of
// another number of units do not count, and what is appended after them is read.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "journal")
	want := map[string]Outcome{
		"\x00\x00": {Bytes: 100, Errors: []OutputGap{{"y", 0, tensor.Number(math.NaN())}}},
		"\x01\x04": {Bytes: 50, Errors: []OutputGap{{"y\n\"", tensor.Number(math.Inf(1)), 0.25}}},
		"\x02\x00": {Failed: "no kernel for \"x\"\n"},
	}
	j := openJournal(t, path, 2)
	for a, o := range want {
		if err := j.Put(Assignment(a), o); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := OpenJournal(path, 2); !errors.Is(err, ErrBusy) {
		t.Errorf("%v, expected ErrBusy", err)
	}
	closeJournal(t, j)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("garbage\n{\"assignment\":\"111\",\"bytes\":1}\n{\"assignment\":\"11\",\"bytes\":-4}\n{\"assignment\":\"11\",\"byt"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	j = openJournal(t, path, 2)
	if err := j.Put(Assignment{3, 3}, Outcome{Bytes: 7}); err != nil {
		t.Fatal(err)
	}
	closeJournal(t, j)
	want["\x03\x03"] = Outcome{Bytes: 7}
	j = openJournal(t, path, 2)
	defer closeJournal(t, j)
	if got := j.Trials(); len(got) != len(want) {
		t.Errorf("%d trials, expected %d: %v", len(got), len(want), got)
	}
	for a, o := range want {
		got, ok := j.Get(Assignment(a))
		if !ok || got.Bytes != o.Bytes || got.Failed != o.Failed || !slices.EqualFunc(got.Errors, o.Errors, sameGap) {
			t.Errorf("%q: %+v, expected %+v", a, got, o)
		}
	}
}

// sameGap compares gaps, where NaN equals NaN.
func sameGap(a, b OutputGap) bool {
	same := func(x, y tensor.Number) bool {
		return x == y || math.IsNaN(float64(x)) && math.IsNaN(float64(y))
	}
	return a.Output == b.Output && same(a.Noise, b.Noise) && same(a.KL, b.KL)
}

// TestTornAnywhere cuts a journal after each byte. All complete lines are read.
func TestTornAnywhere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	j := openJournal(t, path, 3)
	for i := range byte(3) {
		if err := j.Put(Assignment{i, 0, i}, Outcome{Bytes: int64(i) + 1}); err != nil {
			t.Fatal(err)
		}
	}
	closeJournal(t, j)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		lines := 0
		for _, c := range whole[:cut] {
			if c == '\n' {
				lines++
			}
		}
		j := openJournal(t, path, 3)
		if got := len(j.Trials()); got != lines {
			t.Errorf("cut after %d bytes: %d trials, expected %d", cut, got, lines)
		}
		closeJournal(t, j)
	}
}

// FuzzJournal checks that any content can be opened, appended to, and read again.
func FuzzJournal(f *testing.F) {
	f.Add([]byte("{\"assignment\":\"01\",\"bytes\":4,\"errors\":[{\"output\":\"y\",\"noise\":\"Infinity\",\"kl\":\"NaN\"}]}\n{\"ass"))
	f.Add([]byte("\n\n\x00null\n{\"assignment\":null}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "journal")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		a := Assignment{byte(rand.IntN(10)), 1}
		j := openJournal(t, path, 2)
		if err := j.Put(a, Outcome{Bytes: 9}); err != nil {
			t.Fatal(err)
		}
		known := len(j.Trials())
		closeJournal(t, j)
		j = openJournal(t, path, 2)
		defer closeJournal(t, j)
		if o, ok := j.Get(a); !ok || o.Bytes != 9 || len(j.Trials()) != known {
			t.Errorf("%d trials after it was opened again, expected %d with the one that was appended", len(j.Trials()), known)
		}
	})
}
