package inputs

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// declared returns the inputs in a text such as "x f32[2]; s seq(f32)".
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

// show writes a tensor as its literal, and another value as the list of its elements.
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

// folder writes files to a new folder and returns its path.
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

// pb returns the content of a .pb file with a value and its name.
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
		// The names in these two files contradict the numbers in the file names.
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
	if diff := cmp.Diff([]string{`"x" is converted from f64 to f32`, "input_3.pb is not used: the model has only 3 such values"}, got.Notes); diff != "" {
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
		"i8.png":                []byte("\x89PNG"),
		"x.raw":                 {1},
		"m.onnx":                []byte("\x08\x09"),
		"short":                 []byte("PK"),
		"x.npy":                 nil,
		"folder.png/x.npy":      nil,
	})
	for path, text := range map[string]string{
		"missing": `no file for input "y"; expected input_1.pb`, "twice": `a second value for "x"`, "shape": `input "x" expects shape 2, got 3`,
		"type": "type i64, expected f32", "damaged": "input_0.pb: no TensorProto", "empty": "no .npy file in this folder", "files/one.pb": "say for which one: --input NAME=",
		"files/bad.json": `bad.json: input "x" expects shape 2, got scalar`, "none": "none: no such file", "bits": "type f32, expected i64", "strange[1]": "no file for input",
		"i8.png": "i8.png: an image is a value for a single input: --input NAME=", "x.raw": "x.raw: raw bytes are a value for a single input: --input NAME=",
		"m.onnx": "m.onnx: contains no values that can be read: expected .npz, .npy, .json, .pb, a folder", "short": "short: zip", "x.npy": "x.npy: not an .npy file", "folder.png": "x.npy: not an .npy",
	} {
		_, err := ReadCases(filepath.Join(dir, path), types, FileOptions{})
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: got %v, want %q", path, err, text)
		}
		var data *DataError
		if err != nil && (!errors.As(err, &data) || !strings.HasPrefix(err.Error(), filepath.Join(dir, path)) || strings.Count(err.Error(), dir) > 2) {
			t.Errorf("%s: the file does not stand first: %v", path, err)
		}
	}
	if _, err := ReadCases(filepath.Join(dir, "i8.png"), declared(t, "x f32[2]"), FileOptions{}); err == nil || !strings.Contains(err.Error(), "--input x=") {
		t.Errorf("an image for the only input: %v", err)
	}
	if _, err := ReadCases(filepath.Join(dir, "empty"), declared(t, "s seq(f32)"), FileOptions{}); err == nil || !strings.Contains(err.Error(), "keep such values in a folder") {
		t.Errorf("a sequence from arrays: %v", err)
	}
}
