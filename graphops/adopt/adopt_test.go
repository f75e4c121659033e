package adopt_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/adopt"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

const original = `
	input x f32[batch,2]
	init w f32[2,2] 1 2 3 4
	init b f32[2] 5 6
	first: h = MatMul(x, w)
	second: s = Add(h, b)
	third: y = Relu(s)
	output y f32[batch,2]
`

// An optimizer's graph: no symbols, an import too many, one fused node, one weight that
// stays and one of another content under the old name.
const optimized = `
	opset com.microsoft 1
	opset com.microsoft.nchwc 1
	input x f32[?,2]
	init b f32[2] 5 6
	init w f32[2,2] 1 3 2 4
	fused: y = com.microsoft::FusedGemm(x, w, b)
	output y f32[?,?]
`

func TestModel(t *testing.T) {
	m, made := graphtest.Model(t, original), graphtest.Model(t, optimized)
	got, r, err := adopt.Model(context.Background(), m, made)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range []*graphops.ValueInfo{got.Graph().Inputs()[0], got.Graph().Outputs()[0]} {
		if s := v.Type().Declaration(); s != "f32[batch,2]" {
			t.Errorf("port %d is %s", i, s)
		}
	}
	if domains := got.OpsetVersions(); len(domains) != 2 || domains["com.microsoft"] != 1 {
		t.Errorf("imports %v", domains)
	}
	if r.KeptWeights != 1 || r.FreshWeights != 1 || r.FreshBytes != 16 {
		t.Errorf("%+v", r)
	}
	if got.Graph().Initializers()[0] != m.Graph().Initializers()[1] {
		t.Error("b is not the original's tensor")
	}
	c, err := adopt.Compare(t.Context(), m, got)
	if err != nil {
		t.Fatal(err)
	}
	if !maps.Equal(c.Made, map[string]int{"com.microsoft::FusedGemm": 1}) || !maps.Equal(c.Gone, map[string]int{"MatMul": 1, "Add": 1, "Relu": 1}) {
		t.Errorf("changes %+v", c)
	}
}

// What goes in and comes out must be the original's.
func TestModelRefuses(t *testing.T) {
	for name, c := range map[string]struct{ made, want string }{
		"another input": {strings.Replace(optimized, "input x", "input z f32[2]\ninput x", 1), `an input "z" that the model does not have`},
		"another type":  {strings.Replace(optimized, "input x f32", "input x i32", 1), `input "x" of the optimized graph is i32, expected f32`},
		"no output":     {strings.ReplaceAll(strings.Replace(optimized, "y =", "q =", 1), "output y", "output q"), `lacks the model's output "y"`},
		"nothing makes": {strings.Replace(optimized, "(x, w, b)", "(x, w, c)", 1), `reads "c", which no node, input or initializer defines`},
		"output type":   {strings.Replace(optimized, "output y f32", "output y f16", 1), `output "y" of the optimized graph is f16, expected f32`},
	} {
		_, _, err := adopt.Model(context.Background(), graphtest.Model(t, original), graphtest.Model(t, c.made))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

// A weight that lies in a file is found again by where it lies, unread: the copy that was
// made of the model is another file, where it is found by its content.
func TestWeightsStay(t *testing.T) {
	folder := t.TempDir()
	big := bytes.Repeat([]byte{1, 2, 3, 4}, 4096)
	e := graphops.Edit(graphtest.Model(t, original))
	e.Initializers = append(e.Initializers, graphops.NewTensor("big", tensor.F32, []int64{4096}, graphops.BytesPayload(big)))
	save := func(name string, m *graphops.Model) *graphops.Model {
		path := filepath.Join(folder, name)
		if _, err := graphops.Save(t.Context(), m, path, graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: 1000}); err != nil {
			t.Fatal(err)
		}
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	built := e.Model()
	m, copied := save("a.onnx", built), save("b.onnx", built)
	structure, err := graphops.StructureOf(m)
	if err != nil {
		t.Fatal(err)
	}
	same, err := structure.Here()
	if err != nil {
		t.Fatal(err)
	}
	for name, made := range map[string]*graphops.Model{"the same file": same, "a copy": copied} {
		got, r, err := adopt.Model(t.Context(), m, made)
		if err != nil {
			t.Fatal(err)
		}
		if r.FreshWeights != 0 || r.KeptWeights != 3 || !got.HasExternalData() {
			t.Errorf("%s: %+v", name, r)
		}
		for i, tensor := range got.Graph().Initializers() {
			if tensor != m.Graph().Initializers()[i] {
				t.Errorf("%s: %q is not the original's tensor", name, tensor.Name())
			}
		}
	}
}

// The files of a model that was opened in passing may go.
func TestPassing(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "m.onnx")
	e := graphops.Edit(graphtest.Model(t, original))
	e.Initializers[0] = graphops.NewTensor("w", tensor.F32, []int64{2, 2}, graphops.BytesPayload(make([]byte, 16)))
	if _, err := graphops.Save(t.Context(), e.Model(), path, graphops.SaveOptions{Storage: graphops.StoreExternal, MinExternal: 1}); err != nil {
		t.Fatal(err)
	}
	made, err := graphops.Open(path, graphops.OpenOptions{Passing: true})
	if err != nil {
		t.Fatal(err)
	}
	m, r, err := adopt.Model(t.Context(), graphtest.Model(t, original), made)
	if err != nil || r.FreshWeights != 1 {
		t.Fatal(r, err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := graphops.Write(io.Discard, m); err != nil {
		t.Error(err)
	}
	image, err := graphops.ImageOf(m)
	if err != nil || image.Folder != "" {
		t.Errorf("refers to %q, %v", image.Folder, err)
	}
}

// Defaults that a caller may replace stay inputs; below version 4 of the format, where
// all initializers are inputs, they are constants.
func TestInputs(t *testing.T) {
	text := "input x f32[2]\ninput w f32[2]\ninit w f32[2] 1 2\ny = Add(x, w)\noutput y f32[2]\n"
	for ir, want := range map[int64][]string{3: {"x"}, 8: {"x", "w"}} {
		e := graphops.Edit(graphtest.Model(t, text))
		e.SetIRVersion(ir)
		m := e.Model()
		got, _, err := adopt.Model(t.Context(), m, m)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, v := range got.Graph().Inputs() {
			names = append(names, v.Name())
		}
		if !slices.Equal(names, want) || got.IRVersion() < 4 {
			t.Errorf("version %d: inputs %q, version %d", ir, names, got.IRVersion())
		}
	}
}

// TestCompareRenamed: nodes whose names and outputs an optimizer changed are kept, as it folded the
// nodes behind them into their weights.
func TestCompareRenamed(t *testing.T) {
	const ports = "input x f32[1,2,4,4]\ninit w f32[2,2,3,3] 1\ninit v f32[2,2,3,3] 2\ninit b f32[2] 1\noutput y f32\n"
	m := graphtest.Model(t, ports+"one: a = Conv(x, w)\nnorm: n = BatchNormalization(a, b, b, b, b)\nr = Relu(n)\ntwo: c = Conv(r, v)\ny = BatchNormalization(c, b, b, b, b)")
	folded := graphtest.Model(t, ports+"fused_one: n = Conv(x, w, b)\nr = Relu(n)\nfused_two: y = Conv(r, v, b)")
	c, err := adopt.Compare(t.Context(), m, folded)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Made) > 0 || !maps.Equal(c.Gone, map[string]int{"BatchNormalization": 2}) {
		t.Errorf("%+v", c)
	}
}

func TestCompare(t *testing.T) {
	m := graphtest.Model(t, original)
	for name, c := range map[string]struct {
		to         string
		made, gone map[string]int
	}{
		"nothing":         {original, map[string]int{}, map[string]int{}},
		"another order":   {"input x f32[2]\nthird: y = Relu(s)\nsecond: s = Add(h, x)\nfirst: h = MatMul(x, x)\noutput y f32[2]", map[string]int{}, map[string]int{}},
		"a value renamed": {strings.NewReplacer("h =", "z =", "Add(h", "Add(z").Replace(original), map[string]int{}, map[string]int{}},
		"one more":        {strings.Replace(original, "third:", "fourth: z = Relu(s)\nthird:", 1), map[string]int{"Relu": 1}, map[string]int{}},
		"one exchanged":   {strings.Replace(original, "Relu", "Neg", 1), map[string]int{"Neg": 1}, map[string]int{"Relu": 1}},
	} {
		got, err := adopt.Compare(t.Context(), m, graphtest.Model(t, c.to))
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(got.Made, c.made) || !maps.Equal(got.Gone, c.gone) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPorts keeps the names of a body that its operator looks for, even those that values
// around it have.
func TestPorts(t *testing.T) {
	const text = `
		opset com.microsoft 1
		input input_ids i32[1,n]
		init most i32[1] 9
		hidden = Abs(input_ids)
		graph decode
		input input_ids i32[1,n]
		hidden = Cast(input_ids) to=1
		logits = Cast(hidden) to=1
		output logits f32[1,n]
		end
		tokens = com.microsoft::GreedySearch(hidden, most) decoder=@decode eos_token_id=1 pad_token_id=0
		output tokens i32[1,?]
	`
	m := graphtest.Model(t, text)
	got, _, err := adopt.Model(context.Background(), m, graphtest.Model(t, text))
	if err != nil {
		t.Fatal(err)
	}
	body := got.Places()[1].Graph
	if in, out, inside := body.Inputs()[0].Name(), body.Outputs()[0].Name(), body.Nodes()[0].Outputs()[0]; in != "input_ids" || out != "logits" || inside == "hidden" {
		t.Errorf("the body has %q, %q and inside %q", in, out, inside)
	}
}
