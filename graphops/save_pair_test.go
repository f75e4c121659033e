package graphops

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/fieldnum"
)

// pairModel is a model of one weight that holds n copies of b.
func pairModel(t *testing.T, b byte, n int) *Model { return partsModel(t, b, n) }

// partsModel is a model of weights that hold so many copies of b each.
func partsModel(t *testing.T, b byte, sizes ...int) *Model {
	t.Helper()
	var graph []byte
	for i, n := range sizes {
		// graph { initializer { dims: n data_type: UINT8 name: "w0" raw_data } }
		weight := appendVarint(nil, fieldnum.TensorDims, int64(n))
		weight = appendVarint(weight, fieldnum.TensorDataType, 2)
		weight = appendString(weight, fieldnum.TensorName, fmt.Sprint("w", i))
		weight = appendString(weight, fieldnum.TensorRawData, strings.Repeat(string(b), n))
		graph = appendString(graph, fieldnum.GraphInitializer, string(weight))
	}
	model := appendVarint(nil, fieldnum.ModelIRVersion, 8)
	m, err := Decode(appendString(model, fieldnum.ModelGraph, string(graph)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// weightAt is the data of the weights of the model at path.
func weightAt(t *testing.T, path string) string {
	t.Helper()
	m, err := Open(path, OpenOptions{})
	if err != nil {
		return err.Error()
	}
	var all strings.Builder
	for _, w := range m.Graph().Initializers() {
		data, err := w.Data()
		if err != nil {
			return err.Error()
		}
		b, err := data.Bytes()
		if err != nil {
			return err.Error()
		}
		all.Write(b)
	}
	return all.String()
}

func namesIn(t *testing.T, dir string) []string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

const pairSize = 2000

func pairOptions(overwrite bool) SaveOptions {
	return SaveOptions{WriteOptions: WriteOptions{Overwrite: overwrite}, Storage: StoreExternal, MinExternal: 1}
}

// pairStored are the options that a model is stored with in one file, in two, or in more.
func pairStored(kind string, overwrite bool) SaveOptions {
	o := pairOptions(overwrite)
	switch kind {
	case "one file":
		o.Storage = StoreEmbedded
	case "several":
		o.Split = 1
	}
	return o
}

func saveOld(t *testing.T, path, kind string, m *Model) {
	t.Helper()
	if kind == "nothing" {
		return
	}
	if _, err := Save(t.Context(), m, path, pairStored(kind, false)); err != nil {
		t.Fatal(err)
	}
}

func checkTarget(t *testing.T, path, want string) {
	t.Helper()
	got := weightAt(t, path)
	if want == "" && !strings.Contains(got, "no such file") || want != "" && got != want {
		t.Errorf("the target holds %.20q…, want %.20q…", got, want)
	}
}

// checkTidy reports every file that the model at path does not need.
func checkTidy(t *testing.T, path string) {
	t.Helper()
	named, err := filesNamedBy(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, name := range namesIn(t, filepath.Dir(path)) {
		if name != filepath.Base(path) && !slices.Contains(named.locations, name) {
			t.Errorf("%s is left", name)
		}
	}
}

// TestReplacedData removes the data of the model that is replaced and no other.
func TestReplacedData(t *testing.T) {
	type folder struct{ dir, path string }
	keep := func(t *testing.T, f folder, name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(f.dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name  string
		setup func(t *testing.T, f folder)
		want  []string
	}{
		{"its own", func(*testing.T, folder) {}, []string{"m.onnx", "m.onnx.data-2"}},
		{"others of such names", func(t *testing.T, f folder) {
			for _, name := range []string{"m.onnx.data-2", "m.onnx.data-x", "m.onnx.data-02", "n.onnx.data", "m.onnx.database"} {
				keep(t, f, name)
			}
		}, []string{"m.onnx", "m.onnx.data-02", "m.onnx.data-2", "m.onnx.data-3", "m.onnx.data-x", "m.onnx.database", "n.onnx.data"}},
		{"of what is no model", func(t *testing.T, f folder) { keep(t, f, "m.onnx") }, []string{"m.onnx", "m.onnx.data", "m.onnx.data-2"}},
		{"of what names it no more", func(t *testing.T, f folder) {
			rename(t, f.path, f.dir, "n.onnx")
			o := pairOptions(true)
			o.Storage = StoreEmbedded
			if _, err := Save(t.Context(), pairModel(t, 'x', 10), f.path, o); err != nil {
				t.Fatal(err)
			}
		}, []string{"m.onnx", "m.onnx.data", "m.onnx.data-2", "n.onnx"}},
		{"a link", func(t *testing.T, f folder) {
			data := f.path + ".data"
			rename(t, data, f.dir, "elsewhere")
			if err := os.Symlink("elsewhere", data); err != nil {
				t.Fatal(err)
			}
		}, []string{"elsewhere", "m.onnx", "m.onnx.data", "m.onnx.data-2"}},
		{"a folder", func(t *testing.T, f folder) {
			if err := errors.Join(os.Remove(f.path+".data"), os.Mkdir(f.path+".data", 0o700)); err != nil {
				t.Fatal(err)
			}
		}, []string{"m.onnx", "m.onnx.data", "m.onnx.data-2"}},
		{"a link that leads nowhere until the new data is there", func(t *testing.T, f folder) {
			location := strings.Replace(mustRead(t, f.path), "m.onnx.data", "L.onnx.data", 1)
			if err := errors.Join(os.WriteFile(f.path, []byte(location), 0o600), os.Remove(f.path+".data"),
				os.Symlink("m.onnx.data", filepath.Join(f.dir, "L.onnx.data"))); err != nil {
				t.Fatal(err)
			}
		}, []string{"L.onnx.data", "m.onnx", "m.onnx.data"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := folder{dir: t.TempDir()}
			f.path = filepath.Join(f.dir, "m.onnx")
			saveOld(t, f.path, "a pair", pairModel(t, 'a', pairSize))
			tt.setup(t, f)
			if _, err := Save(t.Context(), pairModel(t, 'b', pairSize), f.path, pairOptions(true)); err != nil {
				t.Fatal(err)
			}
			if got := namesIn(t, f.dir); !slices.Equal(got, tt.want) {
				t.Errorf("the folder holds %q, want %q", got, tt.want)
			}
			checkTarget(t, f.path, strings.Repeat("b", pairSize))
		})
	}
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func rename(t *testing.T, path, dir, name string) {
	t.Helper()
	if err := os.Rename(path, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// TestReplacedDataIsASource keeps a data file that the replaced model shares with
// the one that the new model is made from, also where the new one has dropped
// the weight that lies there.
func TestReplacedDataIsASource(t *testing.T) {
	for _, drop := range []bool{false, true} {
		t.Run(fmt.Sprint("dropped ", drop), func(t *testing.T) {
			dir := t.TempDir()
			path, copied := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "copy.onnx")
			saveOld(t, path, "a pair", pairModel(t, 'a', pairSize))
			b, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(copied, b, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			m, err := Open(copied, OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			e := Edit(m)
			if drop {
				e.Initializers = pairModel(t, 'z', 10).Graph().Initializers()
			}
			saved, err := Save(t.Context(), e.Model(), path, pairOptions(true))
			if err != nil || len(saved.Removed) > 0 {
				t.Errorf("saved %+v, %v", saved, err)
			}
			checkTarget(t, copied, strings.Repeat("a", pairSize))
		})
	}
}

// TestDataNameOfTheMissing passes over a name that the old model gives to data
// that is lost: under that name it would take the new data for its own.
func TestDataNameOfTheMissing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.onnx")
	saveOld(t, path, "a pair", pairModel(t, 'a', pairSize))
	if err := os.Remove(path + ".data"); err != nil {
		t.Fatal(err)
	}
	saved, err := Save(t.Context(), pairModel(t, 'b', pairSize), path, pairOptions(true))
	if err != nil || saved.Data[0].Path != path+".data-2" {
		t.Errorf("saved %+v, %v", saved, err)
	}
}

// TestPairWithPermissions gives both files the permissions of the replaced model.
func TestPairWithPermissions(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.onnx")
	saveOld(t, path, "one file", pairModel(t, 'a', pairSize))
	if err := os.Chmod(path, 0o660); err != nil {
		t.Fatal(err)
	}
	saved, err := Save(t.Context(), pairModel(t, 'b', pairSize), path, pairOptions(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{saved.Path, saved.Data[0].Path} {
		if info, err := os.Stat(p); err != nil || info.Mode() != 0o660 {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
}

// TestDataPattern tells names of data files from others.
func TestDataPattern(t *testing.T) {
	for name, want := range map[string]string{
		"m.onnx.data": "m.onnx", "m.onnx.data-2": "m.onnx", "m.onnx.data-31": "m.onnx", "a.data.data": "a.data",
		".data": "", "m.onnx": "", "m.onnx.data-": "", "m.onnx.data-02": "", "m.onnx.data-2x": "", "m.onnx.data-2.lathe-tmp": "",
	} {
		if got, _ := modelOfData(name); got != want {
			t.Errorf("%s is the data of %q, want %q", name, got, want)
		}
	}
}
