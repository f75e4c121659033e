package inputs

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs/picture"
)

// images writes a folder of n grey images of 2×2 pixels. All pixels of image i have the value i.
func images(t *testing.T, n int) string {
	t.Helper()
	folder := t.TempDir()
	for i := range n {
		img := image.NewGray(image.Rect(0, 0, 2, 2))
		for k := range img.Pix {
			img.SetGray(k%2, k/2, color.Gray{Y: uint8(i)})
		}
		f, err := os.Create(filepath.Join(folder, fmt.Sprintf("x%d.png", i)))
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// arraysIn writes a folder of n arrays. All elements of array i are i.
func arraysIn(t *testing.T, n int, shape ...int64) string {
	t.Helper()
	folder := t.TempDir()
	for i := range n {
		x := make([]float32, 4)
		for k := range x {
			x[k] = float32(i)
		}
		f, err := os.Create(filepath.Join(folder, fmt.Sprintf("sample_%d.npy", i)))
		if err != nil {
			t.Fatal(err)
		}
		if err := npz.WriteArray(f, tensor.FromSlice(x, shape...)); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// sets writes a folder with n folders of input_0.pb, input_1.pb and so on.
func sets(t *testing.T, types []graphops.NamedType, n int) string {
	t.Helper()
	folder := t.TempDir()
	for i := range n {
		x := tensor.FromSlice([]float32{float32(i), float32(i), float32(i), float32(i)}, 1, 1, 2, 2)
		if _, err := Save(t.Context(), filepath.Join(folder, fmt.Sprintf("test_data_set_%d", i)), types, graphops.Feeds{"x": graphops.TensorValue(x)}, durable.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// archiveOf writes an archive with an array x of n rows. All elements of row i are i.
func archiveOf(t *testing.T, n int) string {
	t.Helper()
	x := make([]float32, 4*n)
	for k := range x {
		x[k] = float32(k / 4)
	}
	path := filepath.Join(t.TempDir(), "x.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := npz.Write(f, []npz.Entry{{Name: "x", Tensor: tensor.FromSlice(x, int64(n), 1, 2, 2)}}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStream checks that a stream of every kind of data has the cases that ReadCases returns, also
// if they are read again.
func TestStream(t *testing.T) {
	types := []graphops.NamedType{{Name: "x", Type: graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: graphops.FixedShape([]int64{1, 1, 2, 2})}}}
	const n = 12
	for what, path := range map[string]string{
		"images": images(t, n), "arrays": arraysIn(t, n, 1, 1, 2, 2), "arrays without a batch": arraysIn(t, n, 1, 2, 2),
		"sets": sets(t, types, n), "rows": archiveOf(t, n),
	} {
		t.Run(what, func(t *testing.T) {
			o := FileOptions{Picture: picture.Options{Scale: 1}}
			for _, samples := range []int64{0, 5} {
				o.Samples = samples
				s, err := OpenStream(types, Request{Data: path, Files: o})
				if err != nil {
					t.Fatal(err)
				}
				want, err := ReadCases(path, types, o)
				if err != nil {
					t.Fatal(err)
				}
				if s.Len() != len(want.Cases) || samples > 0 && s.Len() != 5 {
					t.Fatalf("%d cases, expected %d", s.Len(), len(want.Cases))
				}
				for pass := range 2 {
					for i, w := range want.Cases {
						c, err := s.Case(i)
						if err != nil {
							t.Fatal(err)
						}
						x, err := c.Feeds["x"].Tensor.Float64s()
						if err != nil || x[0] != float64(i) || c.Name != w.Name || !cmp.Equal(c.Feeds["x"].Tensor, w.Feeds["x"].Tensor) {
							t.Errorf("pass %d, case %d: %q %v, expected %q", pass, i, c.Name, x, w.Name)
						}
					}
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestStreamOfRows checks how rows are split into cases, also if some inputs are given separately.
func TestStreamOfRows(t *testing.T) {
	types := []graphops.NamedType{
		{Name: "x", Type: graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F16, Shape: graphops.Shape{{Value: -1, Symbol: "batch"}, {Value: 1}, {Value: 2}, {Value: 2}}}},
		{Name: "k", Type: graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.I64, Shape: graphops.Shape{{Value: 1}}}},
	}
	path := archiveOf(t, 20)
	for _, c := range []struct {
		rows, samples int64
		dims          map[string]int64
		want          string
	}{
		{0, 0, nil, "[20]"}, {8, 0, nil, "[8 8 4]"}, {8, 10, nil, "[8 2]"}, {8, 0, map[string]int64{"batch": 5}, "[5 5 5 5]"},
	} {
		r := Request{Data: path, Said: []string{"k=i64[1]{7}"}, Files: FileOptions{Rows: c.rows, Samples: c.samples, Dims: c.dims}}
		r.Dims = c.dims
		s, err := OpenStream(types, r)
		if err != nil {
			t.Fatal(err)
		}
		var sizes []int64
		for i := range s.Len() {
			got, err := s.Case(i)
			if err != nil {
				t.Fatal(err)
			}
			x := got.Feeds["x"].Tensor
			if sizes = append(sizes, x.Shape[0]); x.DType != tensor.F16 || len(got.Feeds["k"].Tensor.Data) != 8 {
				t.Errorf("%s, %v", x.DType, got.Feeds)
			}
		}
		if fmt.Sprint(sizes) != c.want {
			t.Errorf("%+v: %v", c, sizes)
		}
		fits, err := s.Fitting(2 * (sizes[0]*8 + 9))
		if all := len(sizes) <= 2; err != nil || (fits == 0) != all || !all && fits != 2*sizes[0] {
			t.Errorf("%+v: %d fit, %v", c, fits, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestStreamErrors checks that errors name the file.
func TestStreamErrors(t *testing.T) {
	two := twoInputs()
	for want, path := range map[string]string{
		"a folder of images for 2 inputs": images(t, 2),
		"no array for input":              archiveOf(t, 3),
		"no such file":                    filepath.Join(t.TempDir(), "none"),
	} {
		if _, err := OpenStream(two, Request{Data: path}); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
	bad := arraysIn(t, 3, 4)
	one := two[:1]
	if _, err := OpenStream(one, Request{Data: bad}); err == nil || !strings.Contains(err.Error(), "sample_0.npy") {
		t.Errorf("of another shape: %v", err)
	}
}
