//go:build parity

package graphops_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/graphops/reference"
)

// onnxPackage is the Python package of ONNX behind testdata/reference.py.
type onnxPackage struct{ python *reference.Python }

func startONNX(t *testing.T) onnxPackage {
	t.Helper()
	return onnxPackage{reference.Start(t, "testdata/reference.py")}
}

type onnxRequest struct {
	Do      string   `json:"do"`
	Model   string   `json:"model"`
	Other   string   `json:"other"`
	Out     string   `json:"out"`
	Inputs  []string `json:"inputs"`
	Outputs []string `json:"outputs"`
}

// ask returns what the package raises.
func (o onnxPackage) ask(t *testing.T, r onnxRequest) error {
	t.Helper()
	var answer struct{ Error *string }
	o.python.Ask(t, r, &answer)
	if answer.Error != nil {
		return errors.New(*answer.Error)
	}
	return nil
}

// eachCorpus runs a test on the models of every corpus, those of the package's
// own backend tests and of the repository included.
func eachCorpus(t *testing.T, o onnxPackage, test func(t *testing.T, models []string)) {
	t.Helper()
	backend := t.TempDir()
	if err := o.ask(t, onnxRequest{Do: "backend", Out: backend}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []reference.Corpus{
		reference.Testdata,
		reference.Shared, reference.Others(),
		{Name: "backend tests", Folder: backend},
	} {
		t.Run(c.Name, func(t *testing.T) {
			test(t, slices.DeleteFunc(c.Models(t), func(path string) bool {
				return refusalOf(path) != "" || strings.Contains(path, "/testdata/broken/")
			}))
		})
	}
}

func open(t *testing.T, path string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func save(t *testing.T, m *graphops.Model, path string) {
	t.Helper()
	o := graphops.SaveOptions{Options: durable.Options{Overwrite: true}}
	if _, err := graphops.Save(context.Background(), m, path, o); err != nil {
		t.Fatal(err)
	}
}

// TestSaveParity compares what was saved with the original as the package reads
// both, all data loaded.
func TestSaveParity(t *testing.T) {
	o := startONNX(t)
	if err := o.ask(t, onnxRequest{Do: "same", Model: "../testdata/digits.onnx", Other: "../testdata/digits_batch1.onnx"}); err == nil {
		t.Fatal("two models are the same")
	}
	eachCorpus(t, o, func(t *testing.T, models []string) {
		out := filepath.Join(t.TempDir(), "saved.onnx")
		for _, path := range models {
			save(t, open(t, path), out)
			if err := o.ask(t, onnxRequest{Do: "same", Model: path, Other: out}); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		}
		t.Logf("%d models saved", len(models))
	})
}
