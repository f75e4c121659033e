package graphops_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// warningsOf are the warnings about a model as lines of kind and text, for a
// version of ONNX Runtime.
func warningsOf(t testing.TB, path, runtime string, allow ...string) []string {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{AllowExternal: allow})
	if err != nil {
		t.Fatal(err)
	}
	if missing := m.MissingExternal(); len(missing) > 0 {
		t.Fatal(missing)
	}
	var out []string
	for _, w := range graphops.ExternalWarnings(m, func() string { return runtime }) {
		out = append(out, string(w.Kind)+": "+w.Text)
	}
	return out
}

// checkWarnings wants one warning for each part, in this order.
func checkWarnings(t testing.TB, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !strings.Contains(got[i], want[i]) {
			t.Errorf("warnings\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			return
		}
	}
}

// spread is a model with weights of 8 bytes at the given offsets of w.bin.
func spread(t testing.TB, offsets ...int) *onnxpb.ModelProto {
	t.Helper()
	p := graphtest.Proto(t, "opset 20\ninit w f32[2] 1 2\ny = Relu(w)\noutput y")
	w := p.Graph.Initializer[0]
	p.Graph.Initializer = nil
	for i, offset := range offsets {
		x := proto.CloneOf(w)
		x.Name = proto.String(string(rune('a' + i)))
		outside(x, entries("location", "w.bin", "offset", fmt.Sprint(offset), "length", "8"))
		p.Graph.Initializer = append(p.Graph.Initializer, x)
	}
	return p
}

// TestFileWarnings looks at files with more than one name, at tensors that overlap
// and at data in the model file itself.
func TestFileWarnings(t *testing.T) {
	const weights = "0123456789abcdef0123456789abcdef"
	at := func(offsets ...int) string { return serialized(t, spread(t, offsets...)) }
	own := spread(t, 0)
	own.Graph.Initializer[0].ExternalData[0].Value = proto.String("m.onnx")
	tests := map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing to say":  {map[string]string{"m.onnx": at(0, 8, 16, 24), "w.bin": weights}, nil},
		"unaligned":       {map[string]string{"m.onnx": at(1, 9), "w.bin": weights}, nil},
		"shared weights":  {map[string]string{"m.onnx": at(8, 0, 8, 8), "w.bin": weights}, nil},
		"a hard link":     {map[string]string{"m.onnx": at(0), "w.bin": weights, "z.bin": "=> w.bin"}, []string{`hard_link: external data "w.bin": the file has 2 hard links`}},
		"an overlap":      {map[string]string{"m.onnx": at(16, 0, 4), "w.bin": weights}, []string{`overlap: external data "w.bin": tensor "b", at bytes 0 to 8, and tensor "c", at bytes 4 to 12, overlap`}},
		"a chain of them": {map[string]string{"m.onnx": at(0, 4, 8, 12), "w.bin": weights}, []string{`"b", at bytes 4 to 12, overlap; 2 more tensors overlap others`}},
		"by one byte":     {map[string]string{"m.onnx": at(0, 7), "w.bin": weights}, []string{"overlap: "}},
		"its own file":    {map[string]string{"m.onnx": serialized(t, own)}, []string{`own_file: external data "m.onnx"`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tree(t, dir, tt.files)
			checkWarnings(t, warningsOf(t, filepath.Join(dir, "m.onnx"), "1.30.0"), tt.want)
		})
	}
}

// TestOverlapInside finds a tensor inside a larger one, however many lie between.
func TestOverlapInside(t *testing.T) {
	p := spread(t, 0, 8, 24)
	large := p.Graph.Initializer[0]
	large.Dims = []int64{8}
	large.ExternalData[2].Value = proto.String("32")
	dir := t.TempDir()
	tree(t, dir, map[string]string{"m.onnx": serialized(t, p), "w.bin": strings.Repeat("x", 32)})
	checkWarnings(t, warningsOf(t, filepath.Join(dir, "m.onnx"), ""), []string{`tensor "a", at bytes 0 to 32, and tensor "b", at bytes 8 to 16, overlap; 1 more tensor overlaps another`})
}

// TestMissingExternalCounts tells of a file once, of tensors in it one by one, and
// of very many by their number.
func TestMissingExternalCounts(t *testing.T) {
	p := spread(t, 0, 0, 0)
	for _, x := range p.Graph.Initializer {
		x.ExternalData[0].Value = proto.String("gone.bin")
	}
	p.Graph.Initializer = append(p.Graph.Initializer, spread(t, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 0).Graph.Initializer...)
	dir := t.TempDir()
	tree(t, dir, map[string]string{"m.onnx": serialized(t, p), "w.bin": strings.Repeat("x", 32)})
	m, err := graphops.Open(filepath.Join(dir, "m.onnx"), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, err := range m.MissingExternal() {
		got = append(got, err.Error())
	}
	want := []string{`tensor "a": external data "gone.bin": no such file`, `external data "gone.bin": 2 more tensors need it`}
	for i := range 10 {
		want = append(want, fmt.Sprintf("%q: external data \"w.bin\": 8 bytes from byte %d on are needed, but the file has only 32 bytes", string(rune('a'+i)), 40+8*i))
	}
	checkWarnings(t, got, append(want, `external data "w.bin": 2 more tensors cannot be read from it`))
}
