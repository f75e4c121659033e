package inputs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs/picture"
)

// declared are inputs as "x f32[2]; s seq(f32)".
func declared(t testing.TB, list string) []graphops.NamedType {
	t.Helper()
	var out []graphops.NamedType
	for _, s := range strings.Split(list, "; ") {
		name, typ, _ := strings.Cut(s, " ")
		parsed, err := graphops.ParseType(typ)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, graphops.NamedType{Name: name, Type: parsed})
	}
	return out
}

// show writes a value as its literal, or as the values in it.
func show(v graphops.Value) string {
	if v.IsTensor() {
		s, err := v.Tensor.Literal()
		if err != nil {
			return err.Error()
		}
		return s
	}
	parts := make([]string, len(v.Items))
	for i, item := range v.Items {
		parts[i] = show(item)
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func showCases(types []graphops.NamedType, c Cases) []string {
	var out []string
	for _, one := range c.Cases {
		line := one.Name
		for _, t := range types {
			line += " " + t.Name + "=" + show(one.Feeds[t.Name])
		}
		out = append(out, line)
	}
	return out
}

func TestJSON(t *testing.T) {
	tests := []struct{ inputs, text, want string }{
		{"x f32[b,2]", `{"x": [[1,2],[3,4.5]]}`, "f x=f32[2,2]{1,2,3,4.5}"},
		{"x i64[]", `{"x": 9007199254740993}`, "f x=i64[]{9007199254740993}"},
		{"x u64[1]", `{"x": [18446744073709551615]}`, "f x=u64[1]{18446744073709551615}"},
		{"x f64[3]", `{"x": ["NaN","Infinity","-Infinity"]}`, "f x=f64[3]{NaN,+Inf,-Inf}"},
		{"x bool[2]", `{"x": [true,false]}`, "f x=bool[2]{true,false}"},
		{"x str[2]", `{"x": ["a","ü"]}`, `f x=str[2]{"a","ü"}`},
		{"x f32[n]", `{"x": []}`, "f x=f32[0]{}"},
		{"x f32", `{"x": [[],[]]}`, "f x=f32[2,0]{}"},
		{"x u4[2]", `{"x": [1,15]}`, "f x=u4[2]{1,15}"},
		{"x seq(f32[n])", `{"x": [[1],[2,3]]}`, "f x=(f32[1]{1} f32[2]{2,3})"},
		{"x opt(i32[1])", `{"x": null}`, "f x=()"},
		{"x opt(i32[1])", `{"x": [4]}`, "f x=(i32[1]{4})"},
		{"x map(i64,f32)", `{"x": {"1": 2, "-3": 4}}`, "f x=(i64[2]{1,-3} f32[2]{2,4})"},
		{"x map(str,str)", `{"x": {"a": "b"}}`, `f x=(str[1]{"a"} str[1]{"b"})`},
		{"x seq(map(str,i64))", `{"x": [{"a": 1},{}]}`, `f x=((str[1]{"a"} i64[1]{1}) (str[0]{} i64[0]{}))`},
		{"x f32[]; y i8[1]", `[{"x":1,"y":[2]},{"y":[3],"x":4}]`, "f[0] x=f32[]{1} y=i8[1]{2}\nf[1] x=f32[]{4} y=i8[1]{3}"},
	}
	for _, c := range tests {
		types := declared(t, c.inputs)
		got, err := readJSON(strings.NewReader(c.text), "f", types)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if diff := cmp.Diff(strings.Split(c.want, "\n"), showCases(types, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.text, diff)
		}
	}
}

func TestJSONRefuses(t *testing.T) {
	tests := []struct{ inputs, text, want string }{
		{"x f32[2]", ``, "unexpected EOF"},
		{"x f32[2]", `{"x": [1,2`, "unexpected EOF"},
		{"x f32[2]", `{"x": [1,2]} 3`, "3 after the last value"},
		{"x f32[2]", `5`, "expected an object with a value for each input"},
		{"x f32[2]", `[]`, "a list without cases"},
		{"x f32[2]", `[5]`, "case 0: 5 where an object"},
		{"x f32[2]", `{"other": 1}`, `no input is called "other"; inputs are "x"`},
		{"x f32[2]", `{}`, `no value for input "x"`},
		{"x f32[2]", `{"x": [1,2], "x": [1,2]}`, "two values"},
		{"x f32[2]", `{"x": [1,2,3]}`, `input "x" wants shape 2, got 3`},
		{"x f32[a,b]", `{"x": [[1,2],[3]]}`, "shape 1 beside shape 2"},
		{"x f32[a,b]", `{"x": [[1,2],3]}`, "shape scalar beside shape 2"},
		{"x f32[2]", `{"x": ["1","2"]}`, "1 where an element of type f32 is expected"},
		{"x f32[2]", `{"x": {"a":1}}`, "{ where an element of type f32"},
		{"x f32[1]", `{"x": [1e999]}`, "1e999 where an element"},
		{"x i64[1]", `{"x": [1.5]}`, "1.5 where an element of type i64"},
		{"x i8[1]", `{"x": [200]}`, "outside the range of i8"},
		{"x bool[1]", `{"x": [1]}`, "1 where an element of type bool"},
		{"x c64[1]", `{"x": [1]}`, "type c64 cannot be written in JSON"},
		{"x seq(f32)", `{"x": 1}`, "1 where a value of type seq(f32)"},
		{"x map(i64,f32)", `{"x": {"a": 1}}`, "key a: a where an element of type i64"},
		{"x map(i64,seq(f32))", `{"x": {"1": [1]}}`, "where a value of type map"},
		{"x sparse(f32)[2]", `{"x": 1}`, "cannot be written in JSON"},
		{"x f32", `{"x": ` + strings.Repeat("[", 50_000), "nest deeper than 32"},
	}
	for _, c := range tests {
		_, err := readJSON(strings.NewReader(c.text), "f", declared(t, c.inputs))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: got %v, want %q", c.text, err, c.want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	lists := []string{"x f32[b,2]", "x i64[]; y bool[n]", "x str", "x seq(f32[n])", "x map(i64,f32)", "x opt(seq(map(str,i64)))", "x u64[2]"}
	for i := range lists {
		for _, s := range []string{`{"x":[[1,2]]}`, `[{"x":1,"y":[true]}]`, `{"x":["a"]}`, `{"x":{"1":2}}`, `{"x":null}`, `{"x":[18446744073709551615,0]}`} {
			f.Add(s, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, s string, list uint8) {
		types := declared(t, lists[int(list)%len(lists)])
		got, err := readJSON(strings.NewReader(s), "f", types)
		if err == nil && !json.Valid([]byte(s)) {
			t.Error("not JSON, and read")
		}
		for _, c := range got.Cases {
			for _, v := range c.Feeds {
				if err := v.Check(); err != nil {
					t.Error(err)
				}
			}
		}
	})
}

// folder writes files and gives where they are.
func folder(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// pb is a data file of a value.
func pb(t *testing.T, name string, v graphops.Value) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := graphops.WriteData(&b, name, v); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func literal(t *testing.T, s string) graphops.Value {
	t.Helper()
	v, err := tensor.ParseLiteral(s)
	if err != nil {
		t.Fatal(err)
	}
	return graphops.TensorValue(v)
}

func TestDataSets(t *testing.T) {
	types := declared(t, "x f32[2]; y i64[n]; s seq(f32)")
	outputs := declared(t, "z f32[1]; w f32[1]")
	f32 := declared(t, "x f32")[0].Type
	seq := pb(t, "", graphops.SequenceValue(f32, literal(t, "f32[1]{5}")))
	dir := folder(t, map[string][]byte{
		// Names are those of other inputs than the numbers say.
		"test_data_set_2/input_0.pb":  pb(t, "y", literal(t, "i64[1]{7}")),
		"test_data_set_2/input_1.pb":  pb(t, "x", literal(t, "f32[2]{1,2}")),
		"test_data_set_2/input_2.pb":  seq,
		"test_data_set_2/output_0.pb": pb(t, "z", literal(t, "f32[1]{3}")),
		"test_data_set_10/input_0.pb": pb(t, "", literal(t, "f64[2]{3,4}")),
		"test_data_set_10/input_1.pb": pb(t, "", literal(t, "i64[0]{}")),
		"test_data_set_10/input_2.pb": seq,
		"test_data_set_10/input_3.pb": seq,
		"other/readme.txt":            []byte("hello"),
	})
	got, err := ReadCases(dir, types, FileOptions{Outputs: outputs})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"test_data_set_2 x=f32[2]{1,2} y=i64[1]{7} s=(f32[1]{5})",
		"test_data_set_10 x=f32[2]{3,4} y=i64[0]{} s=(f32[1]{5})",
	}
	if diff := cmp.Diff(want, showCases(types, got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e := got.Cases[0].Expected; len(e) != 1 || show(e["z"]) != "f32[1]{3}" || len(got.Cases[1].Expected) != 0 {
		t.Errorf("expected %v", e)
	}
	if diff := cmp.Diff([]string{`"x" is converted from f64 to f32`, "input_3.pb is used by nothing: there are 3"}, got.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if fed := got.Cases[0].Fed; len(fed) != 3 || fed[2].Type != "seq(f32)" || fed[2].Source != filepath.Base(dir) {
		t.Errorf("fed %v", fed)
	}
	one, err := ReadCases(filepath.Join(dir, "test_data_set_10"), types, FileOptions{})
	if err != nil || len(one.Cases) != 1 {
		t.Errorf("one folder: %d cases, %v", len(one.Cases), err)
	}
	single, err := ReadCases(filepath.Join(dir, "test_data_set_2", "input_0.pb"), declared(t, "y i64[1]"), FileOptions{})
	if err != nil || len(single.Cases) != 1 {
		t.Errorf("one file: %d cases, %v", len(single.Cases), err)
	}
	given := FileOptions{Given: graphops.Feeds{"s": graphops.SequenceValue(f32), "y": literal(t, "i64[1]{9}")}}
	part, err := ReadCases(filepath.Join(dir, "test_data_set_2", "input_1.pb"), types, given)
	if err != nil || show(part.Cases[0].Feeds["y"]) != "i64[1]{9}" || len(part.Cases[0].Feeds) != 3 || len(part.Cases[0].Fed) != 1 {
		t.Errorf("beside given inputs: %v, %v", part.Cases, err)
	}
}

func TestReadCasesRefuses(t *testing.T) {
	types := declared(t, "x f32[2]; y i64[n]")
	x := pb(t, "x", literal(t, "f32[2]{1,2}"))
	dir := folder(t, map[string][]byte{
		"missing/input_0.pb":    x,
		"twice/input_0.pb":      x,
		"twice/input_1.pb":      x,
		"shape/input_0.pb":      pb(t, "", literal(t, "f32[3]{1,2,3}")),
		"type/input_0.pb":       pb(t, "", literal(t, "i64[2]{1,2}")),
		"damaged/input_0.pb":    x[:len(x)-1],
		"empty/readme":          nil,
		"files/one.pb":          x,
		"files/bad.json":        []byte(`{"x": 1}`),
		"bits/input_0.pb":       x,
		"bits/input_1.pb":       pb(t, "y", literal(t, "f32[1]{1}")),
		"strange[1]/input_0.pb": x,
	})
	for path, text := range map[string]string{
		"missing": `no file for input "y"; input_1.pb is its own`, "twice": `a second value for "x"`, "shape": `input "x" wants shape 2, got 3`,
		"type": "type i64 where f32 is wanted", "damaged": "input_0.pb: no TensorProto", "empty": "no .npy file in this folder", "files/one.pb": "say which: --input NAME=",
		"files/bad.json": `bad.json: input "x" wants shape 2, got scalar`, "none": "none: no such file", "bits": "type f32 where i64 is wanted", "strange[1]": "no file for input",
	} {
		_, err := ReadCases(filepath.Join(dir, path), types, FileOptions{})
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v, want %q", path, err, text)
		}
	}
	if _, err := ReadCases(filepath.Join(dir, "empty"), declared(t, "s seq(f32)"), FileOptions{}); err == nil || !strings.Contains(err.Error(), "keep such values in a folder") {
		t.Errorf("a sequence from arrays: %v", err)
	}
}

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
	got, err := ReadGiven([]string{
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
		"x=f32[2]{1}":           `input "x": "f32[2]{1}" is no tensor`,
		"x=f32[3]{1,2,3}":       `input "x" wants shape 2, got 3`,
		"x=i64[2]{1,2}":         "type i64 where f32 is wanted",
		"m=" + at("cat.png"):    "an image has 2 to 4 axes",
		"plain=" + at("x.raw"):  "wants 36 bytes, the file has 4",
		"img=" + at("x.raw"):    "several; give --dim",
		"x=" + at("none.npy"):   "no such file",
		"x=" + at("none.raw"):   "no such file",
		"x=" + dir + "/cat.gif": "neither a file of a known kind",
	} {
		if _, err := ReadGiven([]string{said}, types, FileOptions{}); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v, want %q", said, err, text)
		}
	}
	for _, twice := range [][]string{{"x=zeros", "x=ones"}, {"m=i16[2]{3,4}", "m=zeros"}} {
		if _, err := ReadGiven(twice, types, FileOptions{}); err == nil || !strings.Contains(err.Error(), "given twice") {
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
		{"f32[n,3]", 25, "wants 12 bytes, the file has 25"},
		{"u4[n]", 2, "wants 1 bytes, the file has 2"},
		{"f32[n,m]", 24, "several"},
		{"f32[n,0]", 24, "wants 0 bytes"},
		{"str[2]", 24, "make no str"},
		{"f32", 24, "make no f32 of shape ?"},
		{"seq(f32[2])", 24, "make no seq"},
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

// TestSaveAndReadBack: what was fed comes back as one case, in both forms.
func TestSaveAndReadBack(t *testing.T) {
	dense := declared(t, "x f32[batch,2]; y i64[]; s str[n]; /odd/na.me bool[2]")
	every := append(slices.Clone(dense), declared(t, "h bf16[3]; q u4[3]; l seq(f32[n]); m map(i64,f32); o opt(str[1]); e f8e4m3fn[2]")...)
	for _, c := range []struct {
		name  string
		types []graphops.NamedType
	}{{"in.npz", dense}, {"dense", dense}, {"every", every}} {
		made, err := Generate(c.types, Options{Dims: map[string]int64{"batch": 200}})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), c.name)
		files, err := Save(context.Background(), path, c.types, made.Feeds, graphops.WriteOptions{})
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := ReadCases(path, c.types, FileOptions{})
		if err != nil || len(got.Cases) != 1 || len(got.Notes) > 0 {
			t.Fatalf("%s: %d cases, notes %q, %v", c.name, len(got.Cases), got.Notes, err)
		}
		if diff := cmp.Diff(made.Feeds, got.Cases[0].Feeds, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(graphops.Type{}, "Of")); diff != "" {
			t.Errorf("%s (-fed +read):\n%s", c.name, diff)
		}
		if _, err := Save(context.Background(), path, c.types, made.Feeds, graphops.WriteOptions{}); err == nil || !strings.Contains(err.Error(), "exists") {
			t.Errorf("%s again: %v", c.name, err)
		}
		if _, err := Save(context.Background(), path, c.types, made.Feeds, graphops.WriteOptions{Overwrite: true}); err != nil {
			t.Errorf("%s replaced: %v", c.name, err)
		}
	}
}

func TestSaveRefuses(t *testing.T) {
	types := declared(t, "h bf16[1]; l seq(f32[1])")
	made, err := Generate(types, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := filepath.Join(dir, "in.npz")
	for i, text := range []string{`input "h": numpy has no type for bf16`, `input "l" is seq(f32), which an .npz archive cannot hold`} {
		_, err := Save(context.Background(), at, types[i:i+1], made.Feeds, graphops.WriteOptions{})
		if err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), "folder") {
			t.Errorf("got %v, want %q", err, text)
		}
	}
	if _, err := os.Stat(at); err == nil {
		t.Error("a file is left behind")
	}
	if _, err := Save(context.Background(), at, declared(t, "x f32"), made.Feeds, graphops.WriteOptions{}); err == nil {
		t.Error("a missing value: no error")
	}
	folder := filepath.Join(dir, "in")
	if _, err := Save(context.Background(), folder, types, made.Feeds, graphops.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(context.Background(), folder, types[:1], made.Feeds, graphops.WriteOptions{Overwrite: true}); err == nil || !strings.Contains(err.Error(), "holds more inputs") {
		t.Errorf("fewer inputs into a folder: %v", err)
	}
}
