package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lathe/bench/store"
	"lathe/graphops"
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

// TestProfile finds the last profile of a model by its content, and computes the digest only if a
// model with as many bytes of weights was profiled.
func TestProfile(t *testing.T) {
	f := folder(t)
	keep := func(hours int, kind, content string, bytes int64) {
		t.Helper()
		r := &store.Result{
			Kind: kind, Machine: machine(4), Time: noon.Add(time.Duration(hours) * time.Hour), Document: []byte(`{"nodes": []}`), Subjects: []store.Subject{},
			Models: []store.Model{{Path: "a.onnx", Digest: graphops.Digest{Structure: "5a", Content: content, WeightBytes: bytes, Covers: graphops.CoversAll}}},
		}
		if _, err := f.Keep(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	keep(1, store.KindProfile, "c0", 100)
	keep(2, store.KindProfile, "c0", 100)
	keep(3, store.KindProfile, "c1", 100) // another model of the same size
	keep(4, store.KindProfile, "c0", 200)
	keep(5, store.KindBench, "c0", 100)
	asked := 0
	find := func(content string, bytes int64) *store.Result {
		t.Helper()
		r, err := f.Profile(t.Context(), store.Asked{WeightBytes: bytes, Digest: func() (graphops.Digest, error) {
			asked++
			return graphops.Digest{Structure: "5a", Content: content, Covers: graphops.CoversAll}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := find("c0", 100); r == nil || !r.Time.Equal(noon.Add(2*time.Hour)) || r.File == "" {
		t.Errorf("found %+v", r)
	}
	if r := find("c9", 100); r != nil {
		t.Errorf("found the profile of another model: %+v", r)
	}
	if r := find("c0", 300); r != nil || asked != 2 {
		t.Errorf("found %+v, computed the digest %d times, want 2", r, asked)
	}
	if r, err := (store.Folder{Path: filepath.Join(f.Path, "none")}).Profile(t.Context(), store.Asked{WeightBytes: 1}); r != nil || err != nil {
		t.Errorf("in no folder: %v, %v", r, err)
	}
}

// TestBenches finds the measurements of a model by its content, on this machine, the newest first.
func TestBenches(t *testing.T) {
	f := folder(t)
	keep := func(hours int, r *store.Result) {
		t.Helper()
		r.Time = noon.Add(time.Duration(hours) * time.Hour)
		if _, err := f.Keep(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	keep(1, measured(t, 4, "a.onnx 1 2"))
	both := measured(t, 4, "b.onnx 1 9", "a.onnx 8 3")
	both.Subjects[1].Settings["threads"] = "2"
	keep(2, both)
	keep(3, measured(t, 8, "a.onnx 1 99")) // another machine
	elsewhere := measured(t, 4, "a.onnx 1 77")
	elsewhere.Models[0].On = "ssh box"
	keep(4, elsewhere)
	a := measured(t, 4, "a.onnx 1 2").Models[0]
	found, err := f.Benches(t.Context(), machine(4), store.Asked{Digest: func() (graphops.Digest, error) { return a.Digest, nil }})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range found {
		got = append(got, fmt.Sprint(float64(b.P50), " ", b.Threads, " ", b.Time.Sub(noon)))
	}
	if diff := cmp.Diff([]string{"3 2 2h0m0s", "2 0 1h0m0s"}, got); diff != "" {
		t.Error(diff)
	}
	if found, err := f.Benches(t.Context(), machine(4), store.Asked{WeightBytes: a.WeightBytes + 1}); err != nil || len(found) > 0 {
		t.Errorf("a model of other weights: %v, %v", found, err)
	}
}
