package check

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// TestOrderOfRules turns the table around: what a check says does not depend on which
// others have been made before it.
func TestOrderOfRules(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no models: %v", err)
	}
	said := func(text string, table []rule) (list []string) {
		s := newSubject(t.Context(), graphtest.Model(t, text), Options{Weights: true})
		if err := s.run(table); err != nil {
			t.Fatal(err)
		}
		for _, p := range s.found {
			list = append(list, p.Code+" "+lines(p))
		}
		slices.Sort(list)
		return list
	}
	around := slices.Clone(rules())
	slices.Reverse(around)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".want") {
				continue
			}
			if diff := cmp.Diff(said(string(f.Data), rules()), said(string(f.Data), around)); diff != "" {
				t.Errorf("%s, %s (-table +turned around):\n%s", file, f.Name, diff)
			}
		}
	}
}

// TestGivenShapes has shapes that are known beforehand.
func TestGivenShapes(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\ny = Neg(x)\noutput y f32[2]\n")
	given, err := shape.Infer(t.Context(), m, shape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]*shape.Result{"given": given, "inferred": nil} {
		got, err := newSubject(t.Context(), m, Options{Shapes: want}).shapes()
		if err != nil || (got == given) != (want != nil) {
			t.Errorf("%s: error %v, takes what is given: %t", name, err, got == given)
		}
	}
}

// TestInferenceLimit has a model of which no types are known: it is told once.
func TestInferenceLimit(t *testing.T) {
	m := graphtest.Model(t, "input x f32[batch]\ny = Neg(x)\noutput y f32[batch]\n")
	for _, c := range []struct {
		err  error
		want []string
	}{
		{shape.ErrLimit, []string{
			"warning: types and shapes are not known: " + shape.ErrLimit.Error(),
			"hint: the checks of types, shapes and kernels were skipped; reduce the number of function calls",
		}},
		{nil, nil},
	} {
		s := newSubject(t.Context(), m, Options{})
		infer := s.shapes
		s.shapes = func() (*shape.Result, error) {
			if c.err != nil {
				return nil, c.err
			}
			return infer()
		}
		if err := s.run(rules()); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range s.found {
			got = append(got, strings.Split(strings.TrimSpace(lines(p)), "\n  ")...)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("error %v (-want +got):\n%s", c.err, diff)
		}
	}
}

// TestKernelRelease has a node without a kernel, for releases that the table of
// kernels is, is tried with, and says nothing certain of.
func TestKernelRelease(t *testing.T) {
	m := graphtest.Model(t, "input x bf16[2,2]\ninput w bf16[2,2]\ny = MatMul(x, w)\noutput y bf16[2,2]\n")
	for version, want := range map[string]struct {
		severity Severity
		as       bool
	}{
		"": {Error, false}, "1.30.0": {Error, false}, "1.30.1": {Error, false},
		"1.31.1": {Error, true}, "1.24.0": {Error, true}, "1.32.0": {Error, false},
		"1.23.2": {Warning, true}, "1.33.0": {Warning, true},
	} {
		list, err := Model(t.Context(), m, Options{Runtime: version})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(p Problem) bool { return p.Code == "kernel-missing" })
		if i < 0 {
			t.Fatalf("%q: found %v, expected a missing kernel", version, list)
		}
		if as := strings.Contains(list[i].Message, ", as of ONNX Runtime "); list[i].Severity != want.severity || as != want.as {
			t.Errorf("%q: %s: %s", version, list[i].Severity, list[i])
		}
	}
}

// TestUnreadResults has as many results that nothing reads as a command line has room
// for as outputs, and one more.
func TestUnreadResults(t *testing.T) {
	for n, want := range map[int]bool{1: true, 64: true, 65: false} {
		var b strings.Builder
		b.WriteString("input x f32[2]\n")
		for i := range n {
			b.WriteString("v" + strings.Repeat("i", i) + " = Neg(x)\n")
		}
		list, err := Model(t.Context(), graphtest.Model(t, b.String()), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			if p.Code == "graph-no-outputs" && ((p.Fix != nil) != want || p.Hint == "") {
				t.Errorf("%d results: fix %v, hint %q", n, p.Fix, p.Hint)
			}
		}
	}
}

// TestBlockSize has sizes of blocks that make none, and one whose square no number of
// 64 bits holds.
func TestBlockSize(t *testing.T) {
	for size, want := range map[string]string{
		"2": "", "1": "",
		"0":                    `attribute "blocksize" is 0, expected 1 or more`,
		"-2":                   `attribute "blocksize" is -2, expected 1 or more`,
		"-3037000500":          `attribute "blocksize" is -3037000500, expected 1 or more`,
		"-9223372036854775808": `attribute "blocksize" is -9223372036854775808, expected 1 or more`,
		"4294967296":           `is not a multiple of 4294967296`,
	} {
		for _, op := range []string{"DepthToSpace", "SpaceToDepth"} {
			got := saidBy(t, "attribute-value", graphtest.Model(t, "input x f32[1,4,4,4]\ny = "+op+"(x) blocksize="+size+"\noutput y f32\n"))
			if want == "" && got != "" || !strings.Contains(got, want) {
				t.Errorf("%s of %s: says %q, expected %q", op, size, got, want)
			}
		}
	}
}

// TestCanceled stops while stored elements are counted.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	m := graphtest.Model(t, "init s str[2] 'a' 'b'\ny = Identity(s)\noutput y str\n")
	if list, err := Model(ctx, m, Options{Weights: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("found %v, error %v; expected that it is canceled", list, err)
	}
	for tensor := range m.StoredTensors() {
		if err := tensor.CheckStored(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v, expected that it is canceled", tensor.Name(), err)
		}
		if err := tensor.CheckStored(t.Context()); err != nil {
			t.Errorf("%q: %v", tensor.Name(), err)
		}
	}
}

// FuzzModel checks whatever model some bytes are, in every way there is.
func FuzzModel(f *testing.F) {
	for _, text := range []string{
		"input x f32[batch,4]\ninit s i64[2] 1 -1\ny = Reshape(x, s)\noutput y f32\n",
		"opset loc 1\nfunction loc F(a) -> (b)\nb = loc::F(a)\nend\ninput x f32[2]\ny = loc::F(x)\n",
		"graph then\nh = Neg(x)\noutput h\nend\ninput c bool[]\ninput x f32[2]\nh = Neg(x)\ny = If(c) then_branch=@then else_branch=@then\noutput y f32\n",
		"init q u8[2,3] 1\ninit s f32[3] 0\nd\u200b = DequantizeLinear(q, s) axis=0\ny = Cast(d\u200b) to=10\noutput y f32\n",
	} {
		f.Add(graphtest.Bytes(f, text), "1.30.0", true)
	}
	f.Fuzz(func(t *testing.T, b []byte, version string, isKnown bool) {
		for _, weights := range []bool{false, true} {
			m, err := graphops.Decode(b)
			if err != nil {
				return
			}
			o := Options{Weights: weights, Runtime: version, Progress: func(int64, int64) {}}
			if isKnown {
				o.Shapes, _ = shape.Infer(t.Context(), m, shape.Options{}) // nil where it is too large
			}
			list, err := Model(t.Context(), m, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range list {
				if p.Code == "" || p.Severity < Error || p.Severity > Info || p.String() == "" {
					t.Errorf("problem %+v", p)
				}
			}
		}
	})
}
