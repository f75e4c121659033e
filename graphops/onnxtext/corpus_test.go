package onnxtext_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/graphops/reference"
)

// eachModel goes through the models that others made. What is no model is left out.
func eachModel(t *testing.T, test func(t *testing.T, m *graphops.Model, path string)) {
	for _, c := range []reference.Corpus{
		reference.Testdata, reference.Shared, reference.Others(),
	} {
		t.Run(c.Name, func(t *testing.T) {
			n := 0
			for _, path := range c.Models(t) {
				if info, err := os.Stat(path); err != nil || info.Size() > largest {
					continue
				}
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					continue
				}
				n++
				t.Run(strings.TrimPrefix(path, filepath.Dir(c.Folder)), func(t *testing.T) { test(t, m, path) })
			}
			t.Logf("%d models", n)
		})
	}
}

// TestCorpora writes models that others made and reads the text back.
func TestCorpora(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	eachModel(t, func(t *testing.T, m *graphops.Model, path string) {
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		losses, err := onnxtext.Write(&text, m, onnxtext.Options{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, file, text.String(), losses)
	})
}

// TestGoldens pins how models look as text.
func TestGoldens(t *testing.T) {
	for _, name := range []string{"external", "if_loop", "scalar_f16", "strings"} {
		t.Run(name, func(t *testing.T) {
			m, err := graphops.Open("../../testdata/"+name+".onnx", graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			golden.RequireEqual(t, write(t, m))
		})
	}
}
