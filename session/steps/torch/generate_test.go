//go:build cgo

package torch

import (
	"path/filepath"
	"strings"
	"testing"

	"lathe/session/sides"
)

// TestTorchGenerate: a decoder generates what its PyTorch model generates, and the module that differs is
// named.
func TestTorchGenerate(t *testing.T) {
	env := torchRuntime(t)
	path, err := filepath.Abs("../../../testdata/torch/decoding.py")
	if err != nil {
		t.Fatal(err)
	}
	s := &Export{Dynamic: []string{"input_ids:1=new", "past_key:1=past", "past_value:1=past"}, Strategy: []string{"legacy"}}
	s.InputNames = []string{"input_ids", "past_key_values.0.key", "past_key_values.0.value"}
	s.OutputNames = []string{"logits", "present.0.key", "present.0.value"}
	s.Target, s.Out = path+":decoder", filepath.Join(t.TempDir(), "decoder.onnx")
	if r, err := s.Run(t.Context(), env, nil); err != nil || r.No {
		t.Fatalf("%v, %+v", err, r.Report)
	}
	generate := func(name string) *sides.Report {
		v := &sides.Comparison{A: s.Out, Torch: path + ":" + name}
		v.Generate, v.NoStore = 8, true
		r, err := v.Run(t.Context(), env)
		if err != nil {
			t.Fatal(err)
		}
		return r.Report.(*sides.Report)
	}
	if r := generate("decoder"); !r.Pass || r.Generated.Agreement.Share != 1 || r.Generated.KL.Max > 1e-9 || r.Sides.A.Kind != "pytorch" {
		t.Errorf("%s, %+v", r.Headline, r.Generated)
	}
	if r := generate("other"); r.Pass || !strings.Contains(r.Headline, "it begins in module v (Linear)") || r.Generated.KL.Max < 1e-6 {
		t.Errorf("%s, %+v", r.Headline, r.Generated)
	}
}
