//go:build soak

package shape_test

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// TestExpandsTooMuch is the error of a model that calls functions without end.
func TestExpandsTooMuch(t *testing.T) {
	text := "opset f 1\nfunction f F0(a) -> (b)\nb = Neg(a)\nend\n" + lines(60, "function f F#(a) -> (b)\nc = f::F@(a)\nb = f::F@(c)\nend") + "input x f32[4]\ny = f::F60(x)"
	_, err := shape.Infer(t.Context(), graphtest.Model(t, text), shape.Options{})
	if want := "functions and bodies expand to more than 1000000 nodes, which is the limit of shape inference"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
