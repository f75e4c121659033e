//go:build cgo

package sides

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/sessiontest"
)

// A float16 model is reduced in comparison with the float32 model. The part takes float32, and the
// written files show the difference again.
func TestReduceOtherWidths(t *testing.T) {
	env := sessiontest.Env(t)
	env.Progress = func(session.Progress) {}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, graphtest.Bytes(t, text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	s := &Comparison{
		A: write("a.onnx", "input x f32[4,8]\noutput y f32[4,8]\nn: h = Neg(x)\nr: g = Relu(h)\nf: k = Sigmoid(g)\ne: y = Abs(k)"),
		B: write("b.onnx", "input x f16[4,8]\noutput y f16[4,8]\nn: h = Neg(x)\nr: g = Relu(h)\nf: k = Tanh(g)\ne: y = Abs(k)"),
	}
	s.Reduce, s.Layers, s.ReduceOut = true, true, filepath.Join(dir, "s.onnx")
	result, err := s.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	r := result.Report.(*Report)
	if r.FirstDivergence == nil || r.FirstDivergence.Node != "f" {
		t.Errorf("first divergence %+v", r.FirstDivergence)
	}
	if r.Reduced == nil || !r.Reduced.Verified {
		t.Fatalf("not reduced: %q", r.Notes)
	}
	m, err := graphops.Open(s.ReduceOut, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if in := m.Graph().FeedInputs(); len(in) != 1 || in[0].Type().Elem != tensor.F32 || len(m.Graph().Nodes()) != 2 {
		t.Errorf("%d nodes that take %v", len(m.Graph().Nodes()), in)
	}
}
