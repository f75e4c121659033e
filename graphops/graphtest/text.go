package graphtest

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
)

// Text makes a model in memory from ONNX's own text syntax, which says more than
// Model's lines do and is what onnx.printer writes; a mistake in it fails the test.
func Text(t testing.TB, text string) *graphops.Model {
	t.Helper()
	m, err := onnxtext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
