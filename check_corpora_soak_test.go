//go:build soak

package main

import (
	"context"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/reference"
	"lathe/session/ort"
)

// TestCheckTrustsWhatLoads holds what `check` finds against models that others made:
// of one that ONNX Runtime loads, at either level of optimization, no problem is an
// error.
func TestCheckTrustsWhatLoads(t *testing.T) {
	tr := newTrial(t)
	corpora := []reference.Corpus{{Name: "testdata", Folder: "testdata"}, reference.Shared, reference.Debian}
	if c := reference.Others(); c != reference.Debian {
		corpora = append(corpora, c)
	}
	for _, corpus := range corpora {
		t.Run(corpus.Name, func(t *testing.T) {
			loaded, wrong := 0, 0
			for _, path := range corpus.Models(t) {
				if !tr.takes(path) {
					continue
				}
				loaded++
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					t.Errorf("%s loads and does not open: %v", path, err)
					continue
				}
				list, err := check.Model(t.Context(), m, check.Options{Runtime: tr.version})
				if err != nil {
					t.Errorf("%s: %v", path, err)
				}
				if !check.OK(list) {
					wrong++
					t.Errorf("%s loads, check says: %.500s", path, errorsOf(list))
				}
			}
			t.Logf("%d models load, of %d of them check says what is no error", loaded, wrong)
		})
	}
}

// takes reports whether the runtime takes a file, optimized or not.
func (tr *trial) takes(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	for _, level := range levels {
		loaded, err := tr.worker().Load(context.Background(), ort.Model{Path: path}, ort.SessionOptions{Optimization: level, IntraThreads: 1})
		if err == nil {
			return loaded.Close() == nil
		}
		if judge(ort.Loading, err).fails() {
			tr.fresh()
		}
	}
	return false
}
