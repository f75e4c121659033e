package inputs

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs/picture"
)

func TestReadGiven(t *testing.T) {
	var picturePNG, array bytes.Buffer
	if err := png.Encode(&picturePNG, image.NewGray(image.Rect(0, 0, 4, 2))); err != nil {
		t.Fatal(err)
	}
	if err := npz.WriteArray(&array, tensor.FromSlice([]float64{1, 2}, 2)); err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string][]byte{
		"cat.png": picturePNG.Bytes(), "x.npy": array.Bytes(), "x.raw": {1, 0, 2, 0}, "x.json": []byte("[1,2]"), "a=b.pb": pb(t, "", literal(t, "f32[2]{5,6}")),
	})
	types := declared(t, "x f32[2]; x=y f32[2]; img u8[1,3,h,w]; n i16[n]; m i16[2]; k i64[]; plain f32[9]")
	at := func(name string) string { return filepath.Join(dir, name) }
	got, err := readGiven([]string{
		"x=" + at("x.npy"), "x=y=" + at("a=b.pb"), "img=" + at("cat.png"), "n=" + at("x.raw"), "m=i16[2]{3,4}", "k=full(3)", "plain=zeros",
	}, types, FileOptions{Picture: picture.Options{Layout: "nchw"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"x: x.npy, as in the file: f32[2]{1,2}", "x=y: a=b.pb, as in the file: f32[2]{5,6}",
		"img: cat.png, cat.png 4×2, RGB, NCHW: u8[1,3,2,4]{0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}",
		"n: x.raw, bytes as they are: i16[2]{1,2}", "m: i16[2]{3,4}, as written: i16[2]{3,4}",
	}
	var lines []string
	for _, f := range got.Fed {
		lines = append(lines, fmt.Sprintf("%s: %s, %s: %s", f.Name, f.Source, f.What, show(got.Values[f.Name])))
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(got.Fills) != 2 || got.Fills["k"].String() != "full(3)" || !slices.Equal(got.Notes, []string{`"x" is converted from f64 to f32`}) {
		t.Errorf("fills %v, notes %q", got.Fills, got.Notes)
	}
	for said, text := range map[string]string{
		"x":                     "expected NAME=FILE",
		"q=zeros":               `no input is called "q"; inputs are "x"`,
		"x=noise":               "neither a file of a known kind nor a rule",
		"x=uniform(2)":          `input "x": "uniform(2)": uniform takes 2 numbers`,
		"x=f32[2]{1}":           `input "x": "f32[2]{1}" is not a tensor`,
		"x=f32[3]{1,2,3}":       `input "x" expects shape 2, got 3`,
		"x=i64[2]{1,2}":         "type i64, expected f32",
		"m=" + at("cat.png"):    `cat.png for input "m": an image has 2 to 4 axes`,
		"plain=" + at("x.raw"):  "needs 36 bytes, the file has 4",
		"img=" + at("x.raw"):    "several; give the others with --dim",
		"x=" + at("none.npy"):   "no such file",
		"x=" + at("none.raw"):   "no such file",
		"x=" + at("none.json"):  "no such file",
		"x=" + at("none.pb"):    "no such file",
		"img=" + at("none.png"): at("none.png") + ": no such file",
		"x=" + dir + "/cat.gif": "neither a file of a known kind",
	} {
		_, err := readGiven([]string{said}, types, FileOptions{})
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v, want %q", said, err, text)
		}
		var data *DataError
		if _, path, _ := strings.Cut(said, "="); err != nil && (errors.As(err, &data) != strings.HasPrefix(err.Error(), dir) || errors.As(err, &data) && !strings.HasPrefix(err.Error(), path)) {
			t.Errorf("%s: the file does not stand first: %v", said, err)
		}
	}
	for _, twice := range [][]string{{"x=zeros", "x=ones"}, {"m=i16[2]{3,4}", "m=zeros"}} {
		if _, err := readGiven(twice, types, FileOptions{}); err == nil || !strings.Contains(err.Error(), "given twice") {
			t.Errorf("%q: %v", twice, err)
		}
	}
}

func TestRawShape(t *testing.T) {
	for _, c := range []struct {
		typ  string
		size int64
		want string
	}{
		{"f32[2,3]", 24, "2×3"},
		{"f32[n,3]", 24, "2×3"},
		{"f32[n,3]", 0, "0×3"},
		{"f32[]", 4, "scalar"},
		{"u4[3]", 2, "3"},
		{"f32[n,3]", 25, "needs 12 bytes, the file has 25"},
		{"u4[n]", 2, "needs 1 bytes, the file has 2"},
		{"f32[n,m]", 24, "several"},
		{"f32[n,0]", 24, "needs 0 bytes"},
		{"str[2]", 24, "cannot be a str"},
		{"f32", 24, "cannot be a f32 of shape ?"},
		{"seq(f32[2])", 24, "cannot be a seq"},
		{"f32[99999999999,99999999999]", 24, "2^63"},
	} {
		typ := declared(t, "x "+c.typ)[0].Type
		got, err := rawShape(c.size, typ, typ.Shape)
		text := tensor.FormatShape(got)
		if err != nil {
			text = err.Error()
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s of %d bytes: %s, want %s", c.typ, c.size, text, c.want)
		}
	}
}

// FuzzReadGiven checks that any text for an input is a rule, a value or an error.
func FuzzReadGiven(f *testing.F) {
	for _, s := range []string{"normal", "uniform(0,1)", "ints(-1,1)", "full(NaN)", "f32[2]{1,2}", "count", "x.npy", "i64[]{1}", "f32[99999999,99999999]{}"} {
		f.Add(s)
	}
	types := declared(f, "x f32[2]")
	f.Fuzz(func(t *testing.T, s string) {
		if !isFill(s) && !strings.HasSuffix(s, "}") {
			t.Skip("a file")
		}
		g, err := readGiven([]string{"x=" + s}, types, FileOptions{})
		if err != nil {
			return
		}
		made, err := Generate(types, Options{Given: g.Values, Each: g.Fills})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []graphops.Feeds{made.Feeds, g.Values} {
			if x, ok := v["x"]; ok && x.Check() != nil {
				t.Errorf("%q: %v", s, x.Check())
			}
		}
	})
}
