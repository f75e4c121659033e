//go:build cgo && soak

package check_test

import (
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/reference"
	"lathe/session/ort"
	"lathe/session/ort/crashtest"
)

// TestCheckTrustsWhatLoads checks the models of the corpora. If ONNX Runtime loads a model at any
// level of optimization, no problem may be an error.
func TestCheckTrustsWhatLoads(t *testing.T) {
	tr := newTrial(t)
	corpora := []reference.Corpus{reference.Testdata, reference.Shared, reference.Debian}
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
			t.Logf("%d models load; check reports errors in %d of them", loaded, wrong)
		})
	}
}

// takes reports whether the runtime loads a file, optimized or not.
func (tr *trial) takes(path string) bool {
	path, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	for _, level := range crashtest.Levels {
		if loaded, err := tr.Load(ort.Model{Path: path}, level); err == nil {
			return loaded.Close() == nil
		}
	}
	return false
}
