package shape_test

import (
	"testing"

	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
)

// TestProblemKinds has one contradiction of each kind.
func TestProblemKinds(t *testing.T) {
	tests := []struct {
		name, text string
		want       shape.ProblemKind
	}{
		{"clash", "input x f32[2]\ninput z f32[3]\noutput y f32\ny = Add(x, z)\n", shape.Clash},
		{"misdeclared", "input x f32[2]\noutput y f32[3]\ny = Relu(x)\n", shape.Misdeclared},
		{"circle", "input x f32[2]\noutput y f32\ny = Add(x, z)\nz = Relu(y)\n", shape.Endless},
		{"recursion", "opset l 1\ninput x f32[2]\noutput y f32\nfunction l F(a) -> (b)\nopset l 1\nb = l::F(a)\nend\ny = l::F(x)\n", shape.Endless},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := shape.Infer(t.Context(), graphtest.Model(t, tt.text), shape.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Problems) == 0 || r.Problems[0].Kind != tt.want {
				t.Errorf("finds %v, expected one of kind %d", r.Problems, tt.want)
			}
		})
	}
}

// TestPlain follows a constant, and with Plain nothing that is computed of one.
func TestPlain(t *testing.T) {
	const text = "input x f32[6]\noutput y f32\noutput z f32\ninit s i64[2] 2 4\nt = Identity(s)\ny = Reshape(x, t)\nz = Reshape(x, s)\n"
	for _, plain := range []bool{false, true} {
		r, err := shape.Infer(t.Context(), graphtest.Model(t, text), shape.Options{Plain: plain})
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{false: 2, true: 1}[plain]; len(r.Problems) != want {
			t.Errorf("plain %t: finds %v, expected %d", plain, r.Problems, want)
		}
	}
}
