package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lathe/bench/store"
)

// TestLatest takes the last latency of each file of this machine, whatever else the folder holds.
func TestLatest(t *testing.T) {
	f := folder(t)
	keep := func(r *store.Result) {
		t.Helper()
		if _, err := f.Keep(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	at := func(hours int, r *store.Result) *store.Result {
		r.Time = noon.Add(time.Duration(hours) * time.Hour)
		return r
	}
	keep(at(1, measured(t, 4, "a.onnx 1 2")))
	keep(at(3, measured(t, 4, "a.onnx 1 3", "a.onnx 8 20", "b.onnx 1 5")))
	keep(at(2, measured(t, 4, "b.onnx 1 4")))
	keep(at(9, measured(t, 8, "a.onnx 1 99"))) // another machine
	elsewhere := at(8, measured(t, 4, "a.onnx 1 77"))
	elsewhere.Models[0].On = "ssh box" // a file there
	keep(elsewhere)
	unnamed := at(7, measured(t, 4, "c.onnx 1 66"))
	unnamed.Models[0].Absolute = "" // no file
	keep(unnamed)
	validated := at(6, measured(t, 4, "a.onnx 1 55"))
	validated.Kind, validated.Document = store.KindValidate, []byte(`{"outputs": []}`)
	keep(validated)
	if err := os.WriteFile(filepath.Join(f.Path, "29990101T000000.000Z-bench.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := f.Latest(t.Context(), machine(4))
	if err != nil {
		t.Fatal(err)
	}
	type figure struct {
		P50       float64
		Batch     string
		Structure string
		At        time.Time
	}
	got := map[string]figure{}
	for path, l := range found {
		got[path] = figure{float64(*l.P50), l.Settings["batch"], l.Structure, l.Time}
	}
	want := map[string]figure{
		"/models/a.onnx": {3, "1", "5a.onnx", noon.Add(3 * time.Hour)},
		"/models/b.onnx": {5, "1", "5b.onnx", noon.Add(3 * time.Hour)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	f.Path = filepath.Join(f.Path, "missing")
	if found, err := f.Latest(t.Context(), machine(4)); len(found) > 0 || err != nil {
		t.Errorf("of a missing folder: %v, %v", found, err)
	}
}
