//go:build parity && cgo

package shrink

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/adopt"
	"lathe/graphops/reference"
	"lathe/session/python"
	"lathe/session/sessiontest"
)

// The operators of a result are the same as in the file that ONNX Runtime itself writes.
func TestOptimizeParity(t *testing.T) {
	reference := reference.Start(t, "testdata/optimized.py")
	var about struct{ Version string }
	reference.Read(t, &about)
	env := sessiontest.Env(t)
	paths, err := filepath.Glob("../../../testdata/*.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		for _, level := range []string{"basic", "extended", "all"} {
			t.Run(filepath.Base(path)+" "+level, func(t *testing.T) {
				var answer struct {
					Ops   map[string]int
					Error string
				}
				reference.Ask(t, map[string]string{"model": path, "level": level}, &answer)
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					t.Fatal(err)
				}
				s := Optimize{Level: level}
				o, err := s.execution(env)
				if err != nil {
					t.Fatal(err)
				}
				p, err := s.optimize(t.Context(), env, m, o, nil)
				if err != nil || answer.Error != "" {
					t.Fatalf("ONNX Runtime %s: %q, here: %v", about.Version, answer.Error, err)
				}
				ops := map[string]int{}
				for n := range p.model.AllNodes() {
					ops[adopt.Operator(n)]++
				}
				if !maps.Equal(ops, answer.Ops) {
					t.Errorf("got %v, ONNX Runtime has %v", ops, answer.Ops)
				}
			})
		}
	}
}

// The transformer optimizer in the Python of LATHE_TRANSFORMERS, which has onnxruntime, onnx and
// torch, fuses a classifier and reports what it fused. The result is proved.
func TestTransformersParity(t *testing.T) {
	path := os.Getenv("LATHE_TRANSFORMERS")
	if path == "" {
		t.Skip("LATHE_TRANSFORMERS names no Python with onnxruntime, onnx and torch")
	}
	env := sessiontest.Env(t)
	env.Python = func() (python.Interpreter, error) {
		return python.Interpreter{Path: path, Environ: os.Environ()}, nil
	}
	m := openTestdata(t, "text_classifier.onnx")
	_, r := optimized(t, env, m, Optimize{Transformers: true, Heads: 8, Hidden: 64})
	for op, n := range map[string]int{"Attention": 4, "SkipLayerNormalization": 8, "BiasGelu": 4, "EmbedLayerNormalization": 1} {
		if r.Transformers.Fused[op] != n || r.Fused["com.microsoft::"+op] != n {
			t.Errorf("%d %s expected: it says %v, counted %v", n, op, r.Transformers.Fused, r.Fused)
		}
	}
	if !r.Proof.Pass || len(r.Proof.LeftOut) > 0 {
		t.Errorf("%+v", r.Proof)
	}
}
