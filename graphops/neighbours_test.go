package graphops

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"lathe/graphops/durable"
)

// A model is replaced whose data file something else may use. Then the file stays, and
// the result says why.
func TestDataOfOthersStays(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, folder string, model []byte) error // beside m.onnx, whose bytes these are
		why  string                                                // "" where the data goes
	}{
		{"nothing", func(*testing.T, string, []byte) error { return nil }, ""},
		{"a copy", func(_ *testing.T, f string, m []byte) error { return os.WriteFile(f+"/other.bin", m, 0o600) }, "other.bin uses it"},
		{"a symbolic link to the data", func(_ *testing.T, f string, m []byte) error {
			return errors.Join(os.Symlink("m.onnx.data", f+"/to-it.data1"), writeNaming(f+"/other.onnx", m, "m.onnx.data", "to-it.data1"))
		}, "other.onnx uses it"},
		{"a hard link to the data", func(_ *testing.T, f string, m []byte) error {
			return errors.Join(os.Link(f+"/m.onnx.data", f+"/to-it.data1"), writeNaming(f+"/other.onnx", m, "m.onnx.data", "to-it.data1"))
		}, "other.onnx uses it"},
		{"a model in the folder above", func(t *testing.T, f string, _ []byte) error {
			above := filepath.Join(filepath.Dir(f), "s_m.onnx")
			if _, err := Save(t.Context(), pairModel(t, 'c', pairSize), above, pairOptions(false)); err != nil {
				return err
			}
			m, err := os.ReadFile(above)
			return errors.Join(err, writeNaming(above, m, "s_m.onnx.data", "s/m.onnx.data"))
		}, "s_m.onnx uses it"},
		{"a model in a text form", func(_ *testing.T, f string, _ []byte) error {
			return os.WriteFile(f+"/other.textproto", []byte(`value: "m.onnx.data"`), 0o600)
		}, "other.textproto uses it"},
		{"too many files", func(_ *testing.T, f string, _ []byte) error {
			for i := range mostNeighbours {
				if err := os.WriteFile(fmt.Sprint(f, "/", i), nil, 0o600); err != nil {
					return err
				}
			}
			return nil
		}, "another model may use it: the folder contains more than 2000 files"},
		{"a model that cannot be read", func(t *testing.T, f string, m []byte) error {
			if os.Getuid() == 0 {
				t.Skip("root reads everything")
			}
			return os.WriteFile(f+"/other.onnx", m, 0)
		}, "another model may use it: other.onnx cannot be read"},
		{"a model with data of its own", func(t *testing.T, f string, _ []byte) error {
			_, err := Save(t.Context(), pairModel(t, 'c', pairSize), f+"/other.onnx", pairOptions(false))
			return err
		}, ""},
		{"no models", func(_ *testing.T, f string, _ []byte) error {
			return errors.Join(os.WriteFile(f+"/notes.txt", []byte("m.onnx.data"), 0o600), os.WriteFile(f+"/broken.onnx", []byte("\x08\x08\x3a\xff"), 0o600),
				os.Mkdir(f+"/other.onnx", 0o700), os.Symlink("nowhere", f+"/dangling.onnx"), syscall.Mkfifo(f+"/pipe.onnx", 0o600))
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "s")
			path, data := folder+"/m.onnx", folder+"/m.onnx.data"
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if _, err := Save(t.Context(), pairModel(t, 'a', pairSize), path, pairOptions(false)); err != nil {
				t.Fatal(err)
			}
			model, err := os.ReadFile(path)
			if err := errors.Join(err, tt.make(t, folder, model)); err != nil {
				t.Fatal(err)
			}
			saved, err := Save(t.Context(), pairModel(t, 'b', pairSize), path, pairOptions(true))
			if err != nil {
				t.Fatal(err)
			}
			_, gone := os.Stat(data)
			if tt.why == "" {
				if !slices.Equal(saved.Removed, []string{data}) || len(saved.Kept) > 0 || gone == nil {
					t.Errorf("saved %+v, the old data: %v", saved, gone)
				}
				return
			}
			if len(saved.Removed) > 0 || len(saved.Kept) != 1 || saved.Kept[0].Path != data || !strings.Contains(saved.Kept[0].Why, tt.why) || gone != nil {
				t.Errorf("saved %+v, the old data: %v, want %q", saved, gone, tt.why)
			}
		})
	}
}

// writeNaming writes a model with another name, as long, for its data.
func writeNaming(path string, model []byte, old, name string) error {
	if len(old) != len(name) || !bytes.Contains(model, []byte(old)) {
		return fmt.Errorf("%q cannot stand for %q", name, old)
	}
	return os.WriteFile(path, bytes.ReplaceAll(model, []byte(old), []byte(name)), 0o600)
}

// Of several data files those go that nobody else uses.
func TestDataOfOthersStaysInPart(t *testing.T) {
	dir := t.TempDir()
	path, o := dir+"/m.onnx", pairOptions(false)
	o.Split = pairSize
	if _, err := Save(t.Context(), partsModel(t, 'a', pairSize, pairSize), path, o); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(t.Context(), pairModel(t, 'c', pairSize), dir+"/m2.onnx", pairOptions(false)); err != nil {
		t.Fatal(err)
	}
	m, err := os.ReadFile(dir + "/m2.onnx")
	err = errors.Join(err, os.Link(dir+"/m.onnx.data-2", dir+"/m2-onnx-data"), writeNaming(dir+"/m2.onnx", m, "m2.onnx.data", "m2-onnx-data"))
	if err != nil {
		t.Fatal(err)
	}
	saved, err := Save(t.Context(), pairModel(t, 'b', pairSize), path, pairOptions(true))
	if err != nil || !slices.Equal(saved.Removed, []string{path + ".data"}) || len(saved.Kept) != 1 || saved.Kept[0].Path != path+".data-2" {
		t.Errorf("saved %+v, %v", saved, err)
	}
}

// The data of a model is not written over, also where that is asked for; what looks
// like data and is none is.
func TestDataOfOthersIsNotReplaced(t *testing.T) {
	dir := t.TempDir()
	if _, err := Save(t.Context(), pairModel(t, 'a', pairSize), dir+"/m.onnx", pairOptions(false)); err != nil {
		t.Fatal(err)
	}
	data, free := dir+"/m.onnx.data", dir+"/free.data"
	if err := os.WriteFile(free, []byte("anything"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := namesIn(t, dir)
	want := data + ": contains external data of " + dir + "/m.onnx; choose another name"
	if _, err := Save(t.Context(), pairModel(t, 'b', 10), data, pairOptions(true)); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := CheckTarget(t.Context(), data, durable.Options{Overwrite: true}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := namesIn(t, dir); !slices.Equal(got, before) {
		t.Errorf("the folder holds %q, before %q", got, before)
	}
	if got := weightAt(t, dir+"/m.onnx"); got != strings.Repeat("a", pairSize) {
		t.Errorf("the model holds %.20q", got)
	}
	if _, err := Save(t.Context(), pairModel(t, 'b', 10), free, pairOptions(true)); err != nil {
		t.Error(err)
	}
}
