package graphtest

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
)

// Text returns the model of a text in ONNX's own syntax, which onnx.printer writes and which can
// express more than the lines of Model. A mistake in the text fails the test.
func Text(t testing.TB, text string) *graphops.Model {
	t.Helper()
	m, err := onnxtext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
