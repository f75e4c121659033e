package check

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// place is where a tensor is said to lie: keys and values by turns.
type place []string

// outside has a tensor lie in a file.
func outside(x *onnxpb.TensorProto, at place) {
	x.RawData, x.DataLocation, x.ExternalData = nil, onnxpb.TensorProto_EXTERNAL.Enum(), nil
	for i := 0; i < len(at); i += 2 {
		x.ExternalData = append(x.ExternalData, &onnxpb.StringStringEntryProto{Key: &at[i], Value: &at[i+1]})
	}
}

// written writes a model and files beside it, each of so many bytes, and opens it.
func written(t *testing.T, p *onnxpb.ModelProto, files map[string]int64) *graphops.Model {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	b, err := proto.Marshal(p)
	if err := errors.Join(err, os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "m.onnx"), b, 0o600)); err != nil {
		t.Fatal(err)
	}
	for name, size := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, size)); err != nil {
			t.Fatal(err)
		}
	}
	return opened(t, filepath.Join(dir, "m.onnx"))
}

func opened(t *testing.T, path string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// external is what the checks of external data say, with what mends it, unless it
// is the remedy of all problems of a code. The folder
// of the model is DIR, the one above it ABOVE.
func external(t *testing.T, m *graphops.Model, o Options) string {
	t.Helper()
	list, err := Model(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(m.Path())
	shorter := strings.NewReplacer(dir, "DIR", filepath.Dir(dir), "ABOVE")
	wantHints(t, list)
	var out []string
	for _, p := range list {
		if slices.ContainsFunc(externalRules, func(r rule) bool { return r.code == p.Code && r.hint == p.Hint }) {
			p.Hint = "" // what its rule says of all
		}
		if strings.HasPrefix(p.Code, "external-") && p.Code != "external-unused" { // which has a test of its own
			out = append(out, p.Code+" "+strings.TrimSpace(shorter.Replace(lines(p))))
		}
	}
	return strings.Join(out, "\n")
}

const rewritten = "\n  fix: export --external-data=1024"

// TestExternalData has a weight, a shape and a tensor that nothing reads lie in files.
func TestExternalData(t *testing.T) {
	const model = `
		input x f32[2,3]
		init w f32[2,3] 1
		init shape i64[2] 3 2
		init spare f32[2] 1
		h = Add(x, w)
		turn: y = Reshape(h, shape)
		output y f32[3,2]`
	type at = map[int]place
	tests := map[string]struct {
		at    at
		files map[string]int64
		want  string
	}{
		"healthy": {at: at{0: {"location", "w.bin"}}, files: map[string]int64{"w.bin": 24}},
		"no file": {
			at:   at{0: {"location", "w.bin"}},
			want: `external-missing error: node 0 (Add): initializer "w": external data "w.bin": no such file beside the model (DIR/w.bin)` + "\n  value: w\n  hint: put it there",
		},
		"no file, unused": {
			at:   at{2: {"location", "w.bin"}},
			want: `external-missing warning: initializer "spare": external data "w.bin": no such file beside the model (DIR/w.bin)` + "\n  value: spare\n  hint: put it there",
		},
		"outside": {
			at: at{0: {"location", "../w.bin"}},
			want: `external-outside error: node 0 (Add): initializer "w": external data "../w.bin": leads out of the model's folder by ".."` +
				"\n  value: w\n  hint: allow it with --allow-external ABOVE",
		},
		"no location": {
			at:   at{0: {"offset", "0"}},
			want: `external-location error: node 0 (Add): initializer "w": external data: no location is given` + "\n  value: w",
		},
		"short": {
			at: at{0: {"location", "w.bin", "offset", "8"}}, files: map[string]int64{"w.bin": 24},
			want: `external-range error: node 0 (Add): initializer "w": external data "w.bin": 24 bytes from byte 8 on are needed, but the file has only 24 bytes` + "\n  value: w",
		},
		"unknown key": {
			at: at{0: {"location", "w.bin", "colour", "red"}}, files: map[string]int64{"w.bin": 24},
			want: `external-refused error: ONNX Runtime refuses this model as it is stored: external tensor "w": it has keys that ONNX does not define: "colour"` + rewritten,
		},
		"unknown key, unused": {
			at: at{2: {"location", "w.bin", "colour", "red"}}, files: map[string]int64{"w.bin": 8},
			want: `external-refused warning: ONNX Runtime refuses this model as it is stored: external tensor "spare": it has keys that ONNX does not define: "colour"` + rewritten,
		},
		"short, unused": {
			at: at{2: {"location", "w.bin", "offset", "12"}}, files: map[string]int64{"w.bin": 8},
			want: `external-range warning: initializer "spare": external data "w.bin": 8 bytes from byte 12 on are needed, but the file has only 8 bytes` + "\n  value: spare",
		},
		"shape": {
			at: at{1: {"location", "w.bin"}}, files: map[string]int64{"w.bin": 16},
			want: `external-operand error: node "turn" (Reshape): input 1, "shape", is needed while the model is loaded, but is in another file` +
				"\n  value: shape" + rewritten,
		},
		"overlap": {
			at: at{0: {"location", "w.bin"}, 2: {"location", "w.bin", "offset", "20"}}, files: map[string]int64{"w.bin": 28},
			want: `external-overlap warning: external data "w.bin": tensor "w", at bytes 0 to 24, and tensor "spare", at bytes 20 to 28, overlap` + rewritten,
		},
		"one weight under two names": {
			at: at{0: {"location", "w.bin"}, 2: {"location", "w.bin", "offset", "24"}}, files: map[string]int64{"w.bin": 32},
		},
		"own file": {
			at: at{2: {"location", "m.onnx"}},
			want: `external-own-file warning: external data "m.onnx": is the model file itself, so the model cannot be copied or renamed without breaking` +
				rewritten,
		},
		"capital letters": {
			at: at{0: {"location", "w.bin"}, 2: {"location", "W.bin"}}, files: map[string]int64{"w.bin": 24, "W.bin": 8},
			want: `external-case warning: the file names of external data "w.bin" and "W.bin" differ only in upper and lower case` + rewritten,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := graphtest.Proto(t, model)
			for i, x := range test.at {
				outside(p.Graph.Initializer[i], x)
			}
			if got := external(t, written(t, p, test.files), Options{}); got != test.want {
				t.Errorf("says\n%s\nexpected\n%s", got, test.want)
			}
		})
	}
}

func TestExternalMissingOnce(t *testing.T) {
	p := graphtest.Proto(t, "init a f32[2] 1\ninit b f32[2] 1\ny = Add(a, b)\noutput y f32[2]")
	for _, x := range p.Graph.Initializer {
		outside(x, place{"location", "gone.bin"})
	}
	want := `external-missing error: node 0 (Add): initializer "a": external data "gone.bin": no such file beside the model (DIR/gone.bin); the same applies to 2 tensors in total` +
		"\n  value: a\n  hint: put it there"
	if got := external(t, written(t, p, nil), Options{}); got != want {
		t.Errorf("says\n%s\nexpected\n%s", got, want)
	}
}

func TestExternalHardLink(t *testing.T) {
	p := graphtest.Proto(t, "init w f32[2] 1\ny = Neg(w)\noutput y f32[2]")
	outside(p.Graph.Initializer[0], place{"location", "w.bin"})
	m := written(t, p, map[string]int64{"w.bin": 8})
	data, other := filepath.Join(filepath.Dir(m.Path()), "w.bin"), filepath.Join(t.TempDir(), "other")
	if err := os.Link(data, data+".2"); err != nil {
		t.Skipf("the file system has no hard links: %v", err)
	}
	if got := external(t, opened(t, m.Path()), Options{}); !strings.HasPrefix(got, "external-hard-link warning: ") {
		t.Errorf("says %q", got)
	}
	if err := os.Link(data, other); err != nil {
		t.Fatal(err)
	}
	if got := external(t, opened(t, m.Path()), Options{}); !strings.Contains(got, "error: ") || !strings.Contains(got, "has a further name in other folders (hard links)") {
		t.Errorf("a name elsewhere: says %q", got)
	}
}

func TestExternalMisaligned(t *testing.T) {
	p := graphtest.Proto(t, "init a f32[1] 1\ninit b f32[1] 1\ninit small f32[1] 1\ny = Add(a, b)\nz = Add(y, small)\noutput z f32")
	const n = mappedBytes / 4
	for i, offset := range []int64{0, mappedBytes + 4, 2*mappedBytes + 4} {
		x := p.Graph.Initializer[i]
		outside(x, place{"location", "w.bin", "offset", fmt.Sprint(offset)})
		if i < 2 {
			x.Dims = []int64{n}
		}
	}
	m := written(t, p, map[string]int64{"w.bin": 4 * mappedBytes})
	want := `external-misaligned info: external data "w.bin": 1 large tensor does not start at a multiple of 4096 bytes, such as "b" at offset 1048580` + "\n  value: b" + rewritten
	if got := external(t, m, Options{}); got != want {
		t.Errorf("says\n%s\nexpected\n%s", got, want)
	}
	p.Graph.Initializer[2].ExternalData = nil
	outside(p.Graph.Initializer[2], place{"location", "w.bin", "offset", fmt.Sprint(3*mappedBytes + 3)})
	m = written(t, p, map[string]int64{"w.bin": 4 * mappedBytes})
	want += "\n" + `external-misaligned info: external data "w.bin": 1 tensor does not start at a multiple of 4 bytes, such as "small" at offset 3145731` + "\n  value: small" + rewritten
	if got := external(t, m, Options{}); got != want {
		t.Errorf("says\n%s\nexpected\n%s", got, want)
	}
}

// TestExternalVersions asks about a version that crashes on what a later one takes.
func TestExternalVersions(t *testing.T) {
	p := graphtest.Proto(t, "init w f32[0]\ny = Neg(w)\noutput y f32[0]")
	outside(p.Graph.Initializer[0], place{"location", "w.bin"})
	m := written(t, p, map[string]int64{"w.bin": 0})
	want := `external-refused error: ONNX Runtime 1.30.0 crashes on this model as it is stored: external tensor "w": it has no elements, and the file is empty` + rewritten
	if got := external(t, m, Options{Runtime: "1.30.0"}); got != want {
		t.Errorf("says\n%s\nexpected\n%s", got, want)
	}
	if got := external(t, m, Options{Runtime: "1.31.1"}); got != "" {
		t.Errorf("of a version that takes it: %s", got)
	}
}
