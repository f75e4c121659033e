package onnxtext_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/durable"
	"lathe/graphops/onnxtext"
)

// write writes a model, and fails the test where something is lost.
func write(t testing.TB, m *graphops.Model) string {
	t.Helper()
	var b strings.Builder
	losses, err := onnxtext.Write(&b, m, onnxtext.Options{})
	if err != nil || len(losses) > 0 {
		t.Fatalf("%v %v", losses, err)
	}
	return b.String()
}

// TestNodes reads constructs that stand where nodes do, and writes what was read:
// as they are, or as want says.
func TestNodes(t *testing.T) {
	for text, want := range map[string]string{
		`y = Relu (x)`:                        "",
		`[n] y = Relu (x)`:                    "",
		`["a/b"] "y:0" = Relu ("x\"\\")`:      "",
		`[""] y = Relu (x)`:                   "",
		`y=Relu(x)`:                           `y = Relu (x)`,
		"y # an output\n = # equals\nRelu(x)": `y = Relu (x)`,
		`a, "", b = Split (x)`:                "",
		`a,,b = Split(,x)`:                    `a, "", b = Split ("", x)`,
		`y = Op(,)`:                           `y = Op ("")`,
		`y = Op(x,)`:                          `y = Op (x)`,
		` = Op ()`:                            "",
		`y =  (x)`:                            "",
		`y = com.microsoft.Gelu (x)`:          "",
		`y = ai . onnx.Relu (x)`:              `y = ai.onnx.Relu (x)`,
		`y = local.f:v1 (x)`:                  "",
		`float = Relu (seq)`:                  "",

		`y = Op <a: int = -9223372036854775808> (x)`:                "",
		`y = Op (x) <a = 1, b = 1.0, c = "s">`:                      `y = Op <a: int = 1, b: float = 1, c: string = "s"> (x)`,
		`y = Op <a: float = 1, b: float = -0, c: float = 1e-45>(x)`: `y = Op <a: float = 1, b: float = -0, c: float = 1e-45> (x)`,
		`y = Op <a = nan, b = -nan, c = inf, d = -Infinity> (x)`:    `y = Op <a: float = nan, b: float = -nan, c: float = inf, d: float = -inf> (x)`,
		`y = Op <a: ints = [], b: strings = []> (x)`:                "",
		`y = Op <a = [1, 2], b = [1.5, 2], c = ["x", ""]> (x)`:      `y = Op <a: ints = [1, 2], b: floats = [1.5, 2], c: strings = ["x", ""]> (x)`,
		`y = Op <a: float = [1]> (x)`:                               `y = Op <a: floats = [1]> (x)`,
		`y = Op <a: int = @b, c = @"d e"> (x)`:                      "",

		`y = Op <a: tensor = float {1}> (x)`:                                                "",
		`y = Op <a = float[2,1] t {1,-0.5}> (x)`:                                            `y = Op <a: tensor = float[2,1] t {1,-0.5}> (x)`,
		`y = Op <a: tensor = int64[0] {}> (x)`:                                              "",
		`y = Op <a: tensor = float[2] = ["location": "f", "offset": "0"]> (x)`:              "",
		`y = Op <a: tensor = string[2] {"a", "b\"c"}> (x)`:                                  "",
		`y = Op <a: tensor = bool[2] {1,0}, b: tensor = uint64 {18446744073709551615}> (x)`: "",
		`y = Op <a: tensor = int4[3] {33,3}, b: tensor = float16[1] {15360}> (x)`:           "",
		`y = Op <a: tensor = complex64[1] {1,-2}, b: tensor = double {0.1}> (x)`:            "",
		`y = Op <a: tensor = float8e8m0[1] {255}, b: tensor = uint2[4] {228}> (x)`:          "",
		`y = Op <a: type_proto = float[1,n,"n+1",?,-1]> (x)`:                                "",
		`y = Op <a: type_proto = float[]> (x)`:                                              "",
		`y = Op <a: type_proto = seq(optional(map(int64, string[n])))> (x)`:                 "",
		`y = Op <a: type_proto = sparse_tensor(float[2])> (x)`:                              "",
		`y = Op <a: type_proto = opaque(), b: type_proto = opaque(a.b,c)> (x)`:              "",
		"y = If (c) <then: graph = g () => (float z) {\n      z = Id (x)\n   }>":            "",
		"y = If (c) <then = g () => (z) {}>":                                                "y = If (c) <then: graph = g () => (z) {\n   }>",
	} {
		const head, tail = "g (float[2] x) => (y) {\n   ", "\n}\n"
		m, err := onnxtext.Parse(head + text + tail)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want == "" {
			want = text
		}
		if got := write(t, m); got != head+want+tail {
			t.Errorf("%s\nis written as %s", text, got)
		}
	}
}

// TestModels reads and writes whole models.
func TestModels(t *testing.T) {
	for _, text := range []string{
		"g () => (y) {\n}\n",
		"<\n   ir_version: 10,\n   opset_import: [\"\" : 20, \"ai.onnx\" : 1],\n   producer_name: \"p\",\n   producer_version: \"\",\n   domain: \"d\",\n   model_version: -1,\n   doc_string: \"line\nline\",\n   metadata_props: [\"k\": \"v\", \"\": \"\"]\n>\n\"g-1\" () => (y) {\n}\n",
		"g (float[n,\"a b\"] x, seq(float) s, u, \"float\") => (float[] y) \n   <float[2] w =  {1,2},\n    string[1] s2 =  {\"a\"},\n    float[2] e = [\"location\": \"d\"],\n    int64 \"v:0\">\n{\n   y = Relu (x)\n}\n",
		"g () => (y) {\n   y = d.f:o (x)\n}\n<\n  domain: \"d\",\n  overload: \"o\",\n  doc_string: \"doc\",\n  opset_import: [\"\" : 20]\n>\n\"f\\\"\" <a, \"b c\", k: int = 1, t: tensor = float {1}> (x, \"float\") => (y)\n   <float[n] x,\n    int64 y>\n{\n   y = Relu (x)\n}\n",
	} {
		m, err := onnxtext.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := write(t, m); got != text {
			t.Errorf("%s\nis written as\n%s", text, got)
		}
	}
}

// TestSupersets reads what onnx.printer writes and onnx.parser does not read.
func TestSupersets(t *testing.T) {
	for text, want := range map[string]string{
		`y = If (c) <then: graph = "a/b" () => (z) {}>`:       "the name of a body that is not an identifier",
		`y = If (c) <then: graphs = [g () => (z) {}]>`:        "the value of an attribute of kind graphs",
		`y = Op <a: tensor = float "a:0" {1}> (x)`:            "the name of a tensor in an attribute that is not an identifier",
		`y = Op <a: tensors = [float {1}, float {2}]> (x)`:    "the value of an attribute of kind tensors",
		`y = Op <a: type_protos = [float[2], seq(int64)]>(x)`: "the value of an attribute of kind type_protos",
	} {
		m, err := onnxtext.Parse("g () => (y) {" + text + "}")
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		losses, err := onnxtext.Write(&strings.Builder{}, m, onnxtext.Options{})
		if err != nil || len(losses) != 1 || losses[0].What != want {
			t.Errorf("%s: %v %v", text, losses, err)
		}
	}
}

// TestErrors covers where a mistake is and what is said of it.
func TestErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "line 1, column 1: found the end of the text, expected the name of the graph",
		"<ir: 1> g () => () {}":               `line 1, column 2: found "ir", expected ir_version, opset_import, producer_name, producer_version, domain, model_version, doc_string or metadata_props`,
		"<ir_version 1>":                      `line 1, column 13: found "1", expected ":" after ir_version`,
		"<ir_version: 1.0>":                   `line 1, column 14: found "1.0", expected a version, without a point or an exponent`,
		"<ir_version: 9223372036854775808>":   `line 1, column 14: found "9223372036854775808", expected a version that fits into 64 bits`,
		"<domain: d>":                         `line 1, column 10: found "d", expected a text in quotes`,
		"<domain: \"d":                        `line 1, column 10: found "\"d", expected a closing quote for this string`,
		"<opset_import: [\"\" 1]>":            `line 1, column 20: found "1", expected ":" after the domain`,
		"g":                                   `line 1, column 2: found the end of the text, expected "=>" and the outputs of the graph`,
		"g () = > () {}":                      `line 1, column 6: found "=", expected "=>" and the outputs of the graph`,
		"g (float[2, x":                       `line 1, column 14: found the end of the text, expected "," or "]"`,
		"g (float[2,] x)":                     `line 1, column 12: found "]", expected a dimension: a number, a name or "?"`,
		"g (flot x) => (y) {}":                `line 1, column 9: found "x", expected "," or ")"`,
		"g (seq(tensor) x)":                   `line 1, column 8: found "tensor", expected a type`,
		"g (map(seq, float) x)":               `line 1, column 8: found "seq", expected an element type`,
		"g () => (y)\n\n  {\n  é y = 1 }":     `line 4, column 3: found "é", expected "=" after the outputs of a node, or "}"`,
		"g () => (y) {\n# é\n\"é\" = Op[] }":  `line 3, column 9: found "[", expected "(" and the inputs of the node`,
		"g () => (y) { y = Op <a: real = 1>":  `line 1, column 26: found "real", expected a kind of attribute, such as int or floats`,
		"g () => (y) { y = Op <a: int = 1.0>": `line 1, column 32: found "1.0", expected a value of kind int`,
		"g () => (y) { y = Op <a: ints = 1>":  `line 1, column 33: found "1", expected a value of kind ints`,
		"g () => (y) { y = Op <a = []>":       `line 1, column 27: found "[", expected a kind in front of an empty list, such as : ints =`,
		"g () => (y) { y = Op <a = [1, 2.5]>": `line 1, column 31: found "2.5", expected a value of kind int`,
		"g () => (y) { y = Op <a = [@b]>":     `line 1, column 28: found "@", expected a value`,
		"g () => (y) { y = Op <a: int = [":    `line 1, column 33: found the end of the text, expected a value of kind int`,
		"g () => (y) <float w = {1,...}> {}":  `line 1, column 27: found "...", which stands for elements that were left out, expected a number`,
		"g () => (y) <int8 w = {128}> {}":     `line 1, column 24: found "128", expected an integer from -128 to 127`,
		"g () => (y) <uint64 w = {-1}> {}":    `line 1, column 26: found "-1", expected an integer from 0 to 18446744073709551615`,
		"g () => (y) <float w = {1e39}> {}":   `line 1, column 25: found "1e39", expected a number that fits into 32 bits`,
		"g () => (y) <float[n] w = {1}> {}":   `line 1, column 14: found "float", expected a tensor's type with numbers for all dimensions`,
		"g () => (y) <seq(float) w = {1}> {}": `line 1, column 14: found "seq", expected a tensor's type with numbers for all dimensions`,
		`g () => (y) { y = d."o" (x) }`:       `line 1, column 21: found "\"o\"", expected the name of an operator`,
		"g () => (y) {} \x00":                 `line 1, column 16: found "\x00", expected the name of a function`,
	} {
		_, err := onnxtext.Parse(text)
		var fault *onnxtext.Error
		if !errors.As(err, &fault) || fault.Error() != want {
			t.Errorf("%q:\n%v, want\n%s", text, err, want)
		}
	}
}

// TestDepth refuses what would nest without end.
func TestDepth(t *testing.T) {
	const many = 100_000
	for _, text := range []string{
		"g (" + strings.Repeat("seq(", many),
		"g (" + strings.Repeat("map(int64,", many),
		strings.Repeat("g () => () { y = If () <a: graph = ", many),
		strings.Repeat("g () => () { y = If () <a = [", many),
	} {
		if _, err := onnxtext.Parse(text); err == nil || !strings.Contains(err.Error(), "deeper than") {
			t.Errorf("%.40s: %v", text, err)
		}
	}
}

// TestFloats writes numbers and reads them back to the bit, in the form that
// onnx.printer gives them.
func TestFloats(t *testing.T) {
	for v, want := range map[float32]string{
		0: "0", 1: "1", -1.5: "-1.5", 0.1: "0.1", 100: "100", 100000: "1e+05", 123456: "123456", 0.0001: "1e-04", 0.001: "0.001",
		16777216: "16777216", 123456792: "123456792", 1e10: "1e+10", math.MaxFloat32: "3.4028235e+38",
		math.SmallestNonzeroFloat32: "1e-45", 1.17549435e-38: "1.1754944e-38", float32(math.Inf(-1)): "-inf",
		0.00012345: "0.00012345", 33554432 * 4: "134217728",
	} {
		m, err := onnxtext.Parse("g () => () {= Op <a: float = " + want + "> ()}")
		if err != nil {
			t.Error(err)
			continue
		}
		if got := m.Graph().Nodes()[0].Attributes()[0].Float(); math.Float32bits(got) != math.Float32bits(v) {
			t.Errorf("%s reads as %v", want, got)
		}
		if text := write(t, m); !strings.Contains(text, "= "+want+">") {
			t.Errorf("%v is written as %s", v, text)
		}
	}
}

// FuzzParse demands that what is read is written such that it reads as the same
// message.
func FuzzParse(f *testing.F) {
	f.Add("<ir_version: 8, opset_import: [\"\" : 17]> g (float[n] x) => (y) <float[1] w = {1}> { [n] y = d.Op:o <a: ints = [1], b = int4[2] {33}, c = @d, e = nan> (x, w) } <domain: \"d\"> f <a, b = 1> (x) => (y) {}")
	f.Add("g () => (y) { y = If (c) <then: graph = \"a/b\" () => (map(int64, opaque(a.b,c)) z) {}, l: tensors = [float t = [\"location\": \"x\"]]> }")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := onnxtext.Parse(text)
		if err != nil {
			return
		}
		file, err := onnxtext.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		losses, err := onnxtext.Write(&b, m, onnxtext.Options{})
		if err != nil {
			t.Fatal(err)
		}
		same(t, file, b.String(), losses)
	})
}

// TestOpen opens a text as a file: weights and a reference beside it are there, and a
// mistake is told with its place.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	open := func(name, text string) (*graphops.Model, error) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return graphops.Open(path, graphops.OpenOptions{Text: onnxtext.Serialize})
	}
	const head = "\xef\xbb\xbf<ir_version: 8, opset_import: [\"\" : 17]>\ng () => (float[1] y)\n"
	if err := os.WriteFile(filepath.Join(dir, "w.bin"), []byte("\x01\x02\x03\x04"), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := open("m.txt", head+`<float[1] w = ["location": "w.bin"]> { y = Neg (w) }`)
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Graph().Initializers()[0].Data()
	if err != nil {
		t.Fatal(err)
	}
	if b, err := data.Bytes(); string(b) != "\x01\x02\x03\x04" {
		t.Errorf("%x, %v", b, err)
	}
	if m.Path() != filepath.Join(dir, "m.txt") || !m.Edited() {
		t.Errorf("path %q, edited %t", m.Path(), m.Edited())
	}
	if _, err := graphops.Save(t.Context(), m, filepath.Join(dir, "m.txt"), graphops.SaveOptions{Options: durable.Options{Overwrite: true}}); err == nil {
		t.Error("the text was written over")
	}
	_, err = open("wrong.txt", head+"{\n y = Neg [w] }")
	if want := filepath.Join(dir, "wrong.txt") + `:4:10: found "[", expected `; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v, want %s…", err, want)
	}
}
