package half

import (
	"context"
	"errors"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// TestStatedOutputs covers operators that name the type of what they make, stated or by
// default: one for whose float16 ONNX Runtime has no kernel stays in float32.
func TestStatedOutputs(t *testing.T) {
	const mel = "init n i64[] 8\ninit s i64[] 16\ninit r i64[] 8192\ninit low f32[] 0\ninit high f32[] 4096\ninput x f32[1,9]\n"
	const scattered = "init i i64[1,1] 0\ninput x f32[4,2]\ninput u f32[1,2]\ny = ScatterND(x, i, u) "
	const elements = "init i i64[1,1] 0\ninput x f32[4,2]\ninput u f32[1,1]\ny = ScatterElements(x, i, u) "
	for _, tt := range []struct{ name, text, kept string }{
		{"a window by its definition", "opset 18\ninit n i64[] 8\ninput x f32[8]\nw = HannWindow(n)\ny = Mul(x, w)\noutput y f32", ""},
		{"a window without one", "opset 19\ninit n i64[] 8\ninput x f32[8]\nw = HannWindow(n)\ny = Mul(x, w)\noutput y f32", "HannWindow"},
		{"a kernel for float", "input x f32[1,2,4,4]\nh = MeanVarianceNormalization(x)\ny = Relu(h)\noutput y f32", ""},
		{"a definition that holds float32", "opset 18\ninput x f32[1,2,4,4]\nh = MeanVarianceNormalization(x)\ny = Relu(h)\noutput y f32", "MeanVarianceNormalization"},
		{"a type like that of an input", "input x f32[8,8]\nw = EyeLike(x) dtype=1\ny = Mul(x, w)\noutput y f32", ""},
		{"a type unlike that of the input", "input x f32[8,8]\ninput i i64[8,8]\nw = EyeLike(i) dtype=1\ny = Mul(x, w)\noutput y f32", "EyeLike"},
		{"mel weights by default", mel + "m = MelWeightMatrix(n, s, r, low, high)\ny = MatMul(x, m)\noutput y f32", "MelWeightMatrix"},
		{"mel weights stated", mel + "m = MelWeightMatrix(n, s, r, low, high) output_datatype=1\ny = MatMul(x, m)\noutput y f32", "MelWeightMatrix"},
		{"drawn like an input", "input x f32[8]\nw = RandomNormalLike(x)\ny = Mul(x, w)\noutput y f32", ""},
		{"drawn", "input x f32[8]\nw = RandomNormal() shape=[8]\ny = Mul(x, w)\noutput y f32", "RandomNormal"},
		{"rows put in", scattered + "reduction='none'\noutput y f32", ""},
		{"rows added", scattered + "reduction='add'\nz = Relu(y)\noutput z f32", "ScatterND"},
		{"elements multiplied", elements + "reduction='mul'\nz = Relu(y)\noutput z f32", "ScatterElements"},
		{"like an input", "input x f32[8,8]\nw = EyeLike(x)\ny = Mul(x, w)\noutput y f32", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := tt.text
			if !strings.HasPrefix(text, "opset") {
				text = "opset 17\n" + text
			}
			m, r, err := Float16(context.Background(), graphtest.Model(t, text), DefaultOptions(), nil)
			if err != nil {
				t.Fatal(err)
			}
			kept := ""
			for _, k := range r.Kept {
				kept += k.Op
			}
			if kept != tt.kept {
				t.Errorf("%q stays in float32, expected %q", kept, tt.kept)
			}
			if problems := graphtest.Problems(m); len(problems) > 0 {
				t.Error(problems)
			}
		})
	}
}

// TestLacksCast converts nothing where no Cast takes bfloat16, in a function either.
func TestLacksCast(t *testing.T) {
	const early = "opset 10\nopset com.microsoft 1\ninput x f32[2]\ny = com.microsoft::Gelu(x)\noutput y f32"
	_, _, err := Bfloat16(context.Background(), graphtest.Model(t, early), DefaultOptions(), nil)
	if !errors.Is(err, errNothing) || !strings.Contains(err.Error(), "(Gelu) has opset 10, but Cast supports bf16 only from opset 13 on") {
		t.Errorf("error %v", err)
	}
	p := graphtest.Proto(t, "opset 17\ninput x f32[2]\nfunction l F(a) -> (b)\nb = Relu(a)\nend\nh = l::F(x)\nz = Relu(h)\noutput z f32")
	p.Functions[0].OpsetImport[0].Version = new(int64(10))
	m, r, err := Bfloat16(context.Background(), graphtest.Decode(t, p), DefaultOptions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(m.Functions()[0].Graph().Nodes()); got != 1 || len(r.Converted) != 1 {
		t.Errorf("the function of opset 10 has %d nodes, and %d are converted", got, len(r.Converted))
	}
}
