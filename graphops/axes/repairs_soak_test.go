//go:build cgo && soak

package axes_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/sessiontest"
)

// TestRepairsAreProved runs the repaired models of testdata/pins.txtar, except those that cannot
// be repaired or are marked as not provable.
func TestRepairsAreProved(t *testing.T) {
	env := sessiontest.Env(t)
	archive, err := txtar.ParseFile("testdata/pins.txtar")
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
			var dynamic []string
			for line := range strings.Lines(text) {
				if axis, is := strings.CutPrefix(strings.TrimSpace(line), "# free "); is {
					dynamic = append(dynamic, axis)
				}
			}
			free := filepath.Join(t.TempDir(), "free.onnx")
			for _, a := range repaired(t, env, opened(t, saved(t, graphtest.Model(t, text))), free, dynamic...).Freed {
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
