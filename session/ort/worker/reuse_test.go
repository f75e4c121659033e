//go:build cgo

package worker_test

import (
	"testing"
	"time"

	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

// Models whose outputs ONNX Runtime does not write to the memory of the run before:
// what InferenceSession.run runs, a block runs too, with each number of lanes.
func TestBlockOfOutputsThatCannotBeReused(t *testing.T) {
	client := start(t)
	for name, text := range map[string]string{
		"declared for another batch": "input x f32[n,4]\noutput y f32[1,4]\ny = Relu(x)",
		"declared with another rank": "input x f32[n,4]\noutput y f32[n,4,1]\ny = Relu(x)",
		"declared as a scalar":       "input x f32[n,4]\noutput y f32[]\ny = Relu(x)",
		"symbols that disagree":      "input x f32[n,4]\noutput y f32[n,n]\ny = Relu(x)",
		"sizes that depend on data":  "input x f32[n,4]\noutput y i64[2,k]\ny = NonZero(x)",
		"sizes drawn in each run":    "input x f32[n,4]\noutput y i64[2,k]\nr = RandomUniformLike(x) low=-1.0\np = Relu(r)\ny = NonZero(p)",
		"a sequence":                 "input x f32[n,4]\noutput y\ny = SequenceConstruct(x, x)",
		"a sequence drawn":           "input x f32[n,4]\noutput y\nr = RandomUniformLike(x) low=-1.0\np = Relu(r)\nz = NonZero(p)\nf = Cast(z) to=1\ny = SequenceConstruct(f)",
		"an optional":                "input x f32[n,4]\noutput y\ny = Optional(x)",
		"one of two is declared so":  "input x f32[n,4]\noutput y f32[n,4]\noutput z f32[1,4]\ny = Relu(x)\nz = Abs(x)",
		"text":                       "input x f32[n,4]\noutput y str[1,4]\ny = Cast(x) to=8",
		"an input":                   "input x f32[n,4]\noutput x f32[1,4]\noutput y f32[n,4]\ny = Relu(x)",
	} {
		t.Run(name, func(t *testing.T) {
			session := load(t, client, graphtest.Bytes(t, "opset 18\n"+text))
			feeds := fed(map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 6, 4)})
			for _, binding := range []ort.Binding{{}, {Lanes: 3}, {CopyInputs: true}} {
				if err := session.Bind(t.Context(), feeds, binding); err != nil {
					t.Fatal(err)
				}
				samples, err := session.Block(t.Context(), 30, time.Minute)
				if err != nil || len(samples) != 30 {
					t.Errorf("%+v: %d runs, %v", binding, len(samples), err)
				}
			}
			if _, err := session.Stages(t.Context(), 10, time.Minute); err != nil {
				t.Errorf("stages: %v", err)
			}
		})
	}
}
