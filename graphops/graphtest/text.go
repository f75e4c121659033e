package graphtest

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
)

// Text returns a model from ONNX's own text syntax, which can express more than the lines of Model
// and is the output of onnx.printer; a mistake in it fails the test.
func Text(t testing.TB, text string) *graphops.Model {
	t.Helper()
	m, err := onnxtext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
