//go:build soak

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/ort/orttest"
)

// TestRepairsAreProved runs what the models of graphops/axes become, but for those
// that cannot be mended or say that they are not to be proved.
func TestRepairsAreProved(t *testing.T) {
	t.Setenv("LATHE_ORT_LIB", orttest.Library(t))
	t.Setenv("GORACE", "atexit_sleep_ms=0") // each worker would wait a second at its end
	archive, err := txtar.ParseFile("graphops/axes/testdata/pins.txtar")
	if err != nil {
		t.Fatal(err)
	}
	proved := 0
	for _, f := range archive.Files {
		text := string(f.Data)
		if !strings.Contains(text, "# repaired ") || strings.Contains(text, "# pin ") || strings.Contains(text, "# unproved ") {
			continue
		}
		proved++
		t.Run(f.Name, func(t *testing.T) {
			path := saved(t, graphtest.Model(t, text))
			args := []string{"axes", path, "--repair", "--json", "-o", filepath.Join(t.TempDir(), "free.onnx")}
			for line := range strings.Lines(text) {
				if axis, is := strings.CutPrefix(strings.TrimSpace(line), "# free "); is {
					args = append(args, "--dynamic", axis)
				}
			}
			for _, a := range proofOf(t, args).Freed {
				if !a.Rows || len(a.Sizes) != 2 || len(a.Outputs) == 0 {
					t.Errorf("proved is %+v", a)
				}
			}
		})
	}
	if proved < 20 {
		t.Errorf("%d repairs proved", proved)
	}
}

func saved(t *testing.T, m *graphops.Model) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fixed.onnx")
	if _, err := graphops.Save(t.Context(), m, path, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}
