package main

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops/graphtest"
)

// The runtime is asked for a type that the model does not tell, and need not
// know operators that have no part in the value.
func TestPruneAsksForTypesOfPart(t *testing.T) {
	if _, err := (&app{}).workers().Library(t.Context()); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	model := filepath.Join(dir, "m.onnx")
	content := graphtest.Bytes(t, `
		opset some.domain 1
		input x f32[n,4]
		output y f32[n,4]
		h = Relu(x)
		k = Shape(h)
		y = some.domain::Unknown(h, k)`)
	if err := os.WriteFile(model, content, 0o600); err != nil {
		t.Fatal(err)
	}
	doc := answerOf(t, exitDone, []string{"prune", model, "--output", "k", "--json", "--out", filepath.Join(dir, "k.onnx")})
	output := doc["outputs"].([]any)[0].(map[string]any)
	if output["type"] != "i64" || len(output["shape"].([]any)) != 1 {
		t.Errorf("output %v, want i64 of rank 1", output)
	}
}
