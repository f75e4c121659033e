package origin

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

func open(t *testing.T, path string) *graphops.Model {
	t.Helper()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestDynamoModel reads a model that PyTorch wrote.
func TestDynamoModel(t *testing.T) {
	m := open(t, "../../testdata/mlp_dynamo.onnx")
	g := m.Graph()
	n := OfNode(g.Nodes()[1])
	if n.Rest() != nil {
		t.Errorf("entries that nothing reads: %v", n.Rest())
	}
	want := Modules{
		Path: []Module{
			{"", "__main__.ResidualMLP"},
			{"blocks.0", "__main__.Block"},
			{"blocks.0.norm", "torch.nn.modules.normalization.LayerNorm"},
		},
		Leaf: "layer_norm", Target: "aten.layer_norm.default",
	}
	if d := cmp.Diff(want, n.Modules().Value); d != "" {
		t.Error("modules", d)
	}
	frames := []Frame{
		{"mlp_dynamo.py", 48, "forward", "x = block(x)"},
		{"mlp_dynamo.py", 33, "forward", "return x + self.down(nn.functional.gelu(self.up(self.norm(x))))"},
		{"torch/nn/modules/normalization.py", 228, "forward", "return F.layer_norm("},
	}
	if d := cmp.Diff(frames, n.Stack().Value); d != "" {
		t.Error("stack", d)
	}
	fx := FX{
		"layer_norm", "call_function", "torch.ops.aten.layer_norm.default",
		"%linear, [32], %p_blocks_0_norm_weight, %p_blocks_0_norm_bias, 1e-05, False", "",
	}
	if d := cmp.Diff(fx, n.FX().Value); d != "" {
		t.Error("fx", d)
	}
	sig := OfGraph(g).Signature()
	if d := cmp.Diff(Spec{"p_stem_weight", parameter, "stem.weight", PersistenceUntold}, sig.Value.Inputs[0]); d != "" {
		t.Error("signature", d)
	}
	if d := cmp.Diff([]Spec{{Name: "softmax", Kind: userOutput}}, sig.Value.Outputs); d != "" {
		t.Error("signature", d)
	}
	if d := cmp.Diff([]Range{{"s97", Bound{"0", 0, true, true}, Bound{Text: "int_oo"}}}, OfGraph(g).Ranges().Value); d != "" {
		t.Error("ranges", d)
	}
}

// TestValuesOfDynamoModel covers what stands with inputs, outputs and weights.
func TestValuesOfDynamoModel(t *testing.T) {
	x := open(t, "../../testdata/mlp_dynamo.onnx").Graph().Index()
	view := func(name string) Value {
		id, ok := x.Value(name)
		if !ok {
			t.Fatalf("no value %q", name)
		}
		return OfValue(ValueMetadata(x, id))
	}
	w := view("stem.weight")
	if k := w.InputKind(); k.Value != parameter || !k.Understood {
		t.Errorf("stem.weight is a %+v", k)
	}
	if name := w.OriginalName(); name.Value != "p_stem_weight" {
		t.Errorf("stem.weight was %+v", name)
	}
	if p := w.Persistence(); !p.Present || !p.Understood || p.Value != PersistenceUntold {
		t.Errorf("persistence of stem.weight: %+v", p)
	}
	if k := view("scores").OutputKind(); k.Value != userOutput {
		t.Errorf("scores is a %+v", k)
	}
	if f := w.FoldedFrom(); f.Present {
		t.Errorf("stem.weight is folded from %+v", f)
	}
}

// TestEveryEntryOfDynamoModelIsUnderstood guards against a parser that knows the
// first node only.
func TestEveryEntryOfDynamoModelIsUnderstood(t *testing.T) {
	g := open(t, "../../testdata/mlp_dynamo.onnx").Graph()
	for _, n := range g.Nodes() {
		o := OfNode(n)
		if !o.Modules().Understood || !o.Stack().Understood || !o.FX().Understood {
			t.Errorf("node %q: %+v %+v %+v", n.Name(), o.Modules(), o.Stack(), o.FX())
		}
	}
	s := OfGraph(g).Signature()
	if !s.Understood {
		t.Fatal("the signature is not understood")
	}
	program := map[string]string{}
	for _, in := range s.Value.Inputs {
		program[in.Name] = in.Target
	}
	x := g.Index()
	for _, w := range g.Initializers() {
		id, _ := x.Value(w.Name())
		was := OfValue(ValueMetadata(x, id)).OriginalName()
		if was.Present && program[was.Value] != w.Name() {
			t.Errorf("%q was %q, which the signature says is %q", w.Name(), was.Value, program[was.Value])
		}
	}
}

// TestOthersMetadataIsKept covers keys that nothing here knows, and keys twice.
func TestOthersMetadataIsKept(t *testing.T) {
	m := graphtest.Model(t, "metadata author someone\nmetadata author another\nmetadata license MIT\ninput x f32[1]\noutput y f32[1]\ny = Relu(x)")
	o := OfModel(m)
	if d := cmp.Diff([]graphops.Entry{{Key: "author", Value: "someone"}, {Key: "author", Value: "another"}, {Key: "license", Value: "MIT"}}, o.Rest()); d != "" {
		t.Error(d)
	}
	if v, ok := lookup(o.Entries(), "author"); !ok || v != "another" {
		t.Errorf("author is %q, want the last", v)
	}
	if d := cmp.Diff([]string{"author"}, Repeated(o.Entries())); d != "" {
		t.Error(d)
	}
}
