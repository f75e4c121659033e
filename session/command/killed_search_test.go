//go:build cgo

package command

import (
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"testing"
	"time"

	"lathe/session/command/commandtest"
	"lathe/session/ort/orttest"
)

// TestKilledSearch kills a search at a random moment. The next run continues it and ends with the same front.
func TestKilledSearch(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	killSearches(t, 2)
}

// killSearches kills a new search count times. The first fifth of the time finds the runtime and the ranges;
// most kills come while trials are made.
func killSearches(t *testing.T, count int) {
	lib, err := orttest.Find()
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("LATHE_ORT_LIB", lib.Path)
	start := time.Now()
	whole, _ := front(t, search(t, t.TempDir()))
	took := time.Since(start)
	for i := range count {
		data := t.TempDir()
		killed := search(t, data)
		if err := killed.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took/5 + rand.N(took*4/5))
		ended := killed.Process.Kill() != nil
		_ = killed.Wait() // its error is that it was killed
		got, reused := front(t, search(t, data))
		t.Logf("kill %d: %d trials continued, ended before: %v", i, reused, ended)
		if !reflect.DeepEqual(got, whole) {
			t.Errorf("kill %d: the front after %d trials of the killed search is\n%v\nexpected\n%v", i, reused, got, whole)
		}
	}
}

// search returns a search whose journal is in a folder.
func search(t *testing.T, data string) *exec.Cmd {
	t.Helper()
	c := commandtest.Process(t, "quantize", "auto", "testdata/digits.onnx", "--target", "snr>=45dB", "--data", "testdata/digits_test.npz", "--samples", "40", "--json")
	c.Env = append(c.Env, "XDG_DATA_HOME="+data)
	return c
}

// front runs a search, and returns its front and the number of trials of an earlier run.
func front(t *testing.T, c *exec.Cmd) (points []any, reused int) {
	t.Helper()
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var doc struct {
		Front  []any `json:"front"`
		Reused int   `json:"reused"`
	}
	if err := json.Unmarshal(out, &doc); err != nil || len(doc.Front) < 3 {
		t.Fatalf("%v: %s", err, out)
	}
	return doc.Front, doc.Reused
}
