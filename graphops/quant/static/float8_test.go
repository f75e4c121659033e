package static

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops/calibration"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// TestFloat8 has a bias in float32 behind a Cast, a MaxPool that stays, a Relu that stays,
// scales from deviations, and opset 19.
func TestFloat8(t *testing.T) {
	o := DefaultOptions()
	o.ActivationType, o.WeightType, o.PerChannel = tensor.F8E4M3FN, tensor.F8E4M3FN, true
	q, report := staticOf(t, `
		opset 13
		input x f32[1,2,4,4]
		output y f32[1,3,1,1]
		init w f32[3,2,2,2] 0.5 -1 0.25 -0.125 1
		init b f32[3] 1 0.1
		c: h = Conv(x, w, b)
		r: a = Relu(h)
		p: y = MaxPool(a) kernel_shape=[3,3]`, o, calibration.Range{Low: -1, High: 1})
	nodes := strings.Join(graphtest.Nodes(q.Graph()), "\n")
	for _, want := range []string{"b = Cast(b_quantized) to=1", "MaxPool(a_DequantizeLinear_Output)", "Relu(h_DequantizeLinear_Output)", "w_DequantizeLinear_Output = DequantizeLinear(w_quantized, w_scale, w_zero_point) axis=0"} {
		if !strings.Contains(nodes, want) {
			t.Errorf("no %q in\n%s", want, nodes)
		}
	}
	if got, _ := q.Opset(""); got != 19 {
		t.Errorf("opset %d", got)
	}
	constants := graphtest.Initializers(q.Graph())
	for _, want := range []string{"w_quantized f8e4m3fn[3,2,2,2]", "w_scale f32[3]", "w_zero_point f8e4m3fn[3]", "x_zero_point f8e4m3fn[]"} {
		if !slices.Contains(constants, want) {
			t.Errorf("no %q among %v", want, constants)
		}
	}
	if slices.Contains(report.Departures, offsetNumbers) || !slices.Contains(report.Departures, removedActivation) {
		t.Errorf("departures %v", report.Departures)
	}
}

func TestStepFloat8(t *testing.T) {
	for _, tt := range []struct{ x, scale, want float64 }{
		{0, 1, 1. / 512},
		{-3, 1, 1. / 512},
		{0x1p-7, 2, 2. / 512},
		{1, 1, 1. / 8},
		{1.9, 1, 1. / 8},
		{2, 1, 1. / 4},
		{16, 1, 2},
		{16, 16, 2},
		{448, 1, 32},
		{449, 1, 1},
		{900, 2, 4},
	} {
		if got := stepFloat8(tt.x, tt.scale); got != tt.want {
			t.Errorf("at %v with scale %v: %v, expected %v", tt.x, tt.scale, got, tt.want)
		}
	}
}
