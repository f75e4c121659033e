package npz

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/tensor"
)

// kept is an archive of arrays of 7 rows, in a file.
func kept(t *testing.T, method uint16) string {
	t.Helper()
	x := make([]float32, 7*6)
	for i := range x {
		x[i] = float32(i) / 2
	}
	path := filepath.Join(t.TempDir(), "a.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	w := zip.NewWriter(f)
	add := func(name string, raw []byte) {
		to, err := w.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.Write(raw); err != nil {
			t.Fatal(err)
		}
	}
	for name, a := range map[string]tensor.Tensor{
		"x": tensor.FromSlice(x, 7, 2, 3), "k": tensor.FromSlice([]int64{1, 2, 3, 4, 5, 6, 7}, 7),
		"s": {DType: tensor.String, Shape: []int64{7}, Strings: []string{"a", "bc", "", "d", "e", "f", "ü"}},
	} {
		var b bytes.Buffer
		if err := WriteArray(&b, a); err != nil {
			t.Fatal(err)
		}
		add(name, b.Bytes())
	}
	add("fortran", npy("{'descr': '|u1', 'fortran_order': True, 'shape': (7, 2), }", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRows reads rows on, again and from further back, and gives what Open does.
func TestRows(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		path := kept(t, method)
		all, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := OpenRows(path)
		if err != nil {
			t.Fatal(err)
		}
		if len(f.Arrays) != len(all) {
			t.Fatalf("%d arrays, expected %d", len(f.Arrays), len(all))
		}
		for i, a := range f.Arrays {
			e := all[i]
			if a.Name != e.Name || a.DType != e.Tensor.DType || !cmp.Equal(a.Shape, e.Tensor.Shape) {
				t.Errorf("%q: %s %v", a.Name, a.DType, a.Shape)
			}
			for _, at := range [][2]int64{{0, 2}, {2, 3}, {5, 7}, {0, 7}, {6, 7}, {3, 3}, {1, 2}, {1, 2}} {
				got, err := a.Rows(at[0], at[1])
				if err != nil {
					t.Fatal(err)
				}
				want, err := e.Tensor.Rows(at[0], at[1])
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Errorf("%q, rows %v: %s", a.Name, at, d)
				}
			}
			whole, err := a.Whole()
			if d := cmp.Diff(e.Tensor, whole); err != nil || d != "" {
				t.Errorf("%q: %v, %s", a.Name, err, d)
			}
			if _, err := a.Rows(6, 8); err == nil {
				t.Errorf("%q has an eighth row", a.Name)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestRowsOfBadFiles refuses what Open does, of damage in the elements when those are read.
func TestRowsOfBadFiles(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, raw []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, c := range map[string]struct {
		raw  []byte
		want string
	}{
		"short.npy": {npy(dict("|u1", "(4,)"), 1, 2), "needs 4 bytes, got 2"},
		"text.npy":  {[]byte("hello, world"), "not an .npy file"},
		"cut.npz":   {[]byte("PK\x03\x04 and nothing"), "cut off, damaged"},
		"pickle":    {npy(dict("|O", "(1,)"), 1), "pickle"},
	} {
		if _, err := OpenRows(write(name, c.raw)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", name, err, c.want)
		}
	}
	if _, err := OpenRows(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no .npy file") {
		t.Errorf("of an empty folder: %v", err)
	}
	path := kept(t, zip.Store)
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(raw, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	raw[at] = 9 // which the checksum tells
	f, err := OpenRows(write("changed.npz", raw))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, a := range f.Arrays {
		if _, err := a.Rows(0, 7); (err != nil) != (a.Name == "fortran") {
			t.Errorf("%q: %v", a.Name, err)
		}
	}
}
