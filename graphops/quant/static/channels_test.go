package static

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/calibration"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// TestChannelsAlone has readers of a weight with a scale for each channel read it in float32
// where they take one scale, and as it is where they take several or stay in float32.
func TestChannelsAlone(t *testing.T) {
	const head = "input x f32[3,3]\noutput y f32[3,3]\ninit w f32[3,3] 0.5 -1\nfc: h = MatMul(x, w)\n"
	o := DefaultOptions()
	o.PerChannel = true
	for text, alone := range map[string]bool{
		"n: y = Add(h, w)":    true,
		"n: y = MatMul(w, h)": true,
		"n: y = MatMul(h, w)": false,
		"n: y = Div(h, w)":    false,
	} {
		q, r := staticOf(t, head+text, o, unit)
		at := slices.IndexFunc(graphtest.Nodes(q.Graph()), func(n string) bool { return strings.HasPrefix(n, "n: ") })
		reads := slices.Contains(q.Graph().Nodes()[at].Inputs(), "w")
		if reads != alone || slices.Contains(r.Departures, sharedConstant) != alone {
			t.Errorf("%s: reads the weight itself: %t, departures %v", text, reads, r.Departures)
		}
	}
}

// TestStackedFactors gives one scale to constants that QLinearMatMul takes with one only.
func TestStackedFactors(t *testing.T) {
	o := DefaultOptions()
	o.PerChannel = true
	for text, want := range map[string]Departure{
		"input x f32[2,2,3]\noutput y f32[?,?,?]\ninit w f32[2,3,2] 1 2\nfc: y = MatMul(x, w)": batchedChannels,
		"input x f32[2,3]\noutput y f32[4,3]\ninit w f32[4,2] 1 2\nfc: y = MatMul(w, x)":       firstFactorChannels,
		"input x f32[2,3]\noutput y f32[2,4]\ninit w f32[3,4] 1 2\nfc: y = MatMul(x, w)":       "",
	} {
		q, r := staticOf(t, text, o, unit)
		if single := slices.Contains(graphtest.Initializers(q.Graph()), "w_scale f32[]"); single != (want != "") {
			t.Errorf("%s: %v", text, graphtest.Initializers(q.Graph()))
		}
		if want != "" && !slices.Contains(r.Departures, want) {
			t.Errorf("%s: departures %v", text, r.Departures)
		}
	}
}

// TestRangeBeforeSoftmax takes no range that cannot be for that of a mask.
func TestRangeBeforeSoftmax(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2,3]\noutput y f32[2,3]\ninit w f32[3,3] 0.5 -1\nfc: h = MatMul(x, w)\ns: y = Softmax(h)")
	for _, r := range []calibration.Range{{Low: math.NaN(), High: math.NaN()}, {Low: 0, High: math.Inf(1)}, {Low: math.Inf(-1)}, {Low: 1}} {
		for _, format := range []Format{FormatQDQ, FormatOperators} {
			o := DefaultOptions()
			o.Format = format
			table := tableFor(t, m, o, unit)
			table.Tensors["h"] = calibration.Calibrated{Elem: tensor.F32, Range: r}
			_, _, err := Quantize(context.Background(), m, table, o)
			if err == nil || !strings.Contains(err.Error(), `value "h": its range is from`) {
				t.Errorf("%v, format %d: %v", r, format, err)
			}
		}
	}
}

// TestFloatBiasOfEarlierOpset keeps one scale where ONNX Runtime writes the bias with an axis.
func TestFloatBiasOfEarlierOpset(t *testing.T) {
	const text = "input x f32[1,2,4,4]\noutput y f32[?,?,?,?]\ninit w f32[2,2,1,1] 1 2\ninit b f32[2] 1 2\nc: y = Conv(x, w, b)"
	o := DefaultOptions()
	o.PerChannel, o.QuantizeBias = true, false
	for opset, one := range map[string]bool{"opset 11\n": true, "opset 13\n": false} {
		q, r := staticOf(t, opset+text, o, unit)
		if slices.Contains(graphtest.Initializers(q.Graph()), "w_scale f32[]") != one || (len(r.Warnings) > 0) != one {
			t.Errorf("%s: %v, warnings %q", opset, graphtest.Initializers(q.Graph()), r.Warnings)
		}
	}
}

// TestRowsAsChannels warns of scales along the axis that a product sums over.
func TestRowsAsChannels(t *testing.T) {
	const text = "input x f32[2,3]\noutput y f32[2,4]\ninit w f32[3,4] 1 2\nfc: y = MatMul(x, w)"
	for axis, warned := range map[int]bool{0: true, 1: false, -1: false} {
		o := DefaultOptions()
		o.PerChannel, o.ChannelAxes = true, map[string]int{"MatMul": axis}
		for runtime, fails := range map[string]bool{"": true, "1.30.0": true, "1.32.0": false} {
			o.Runtime = runtime
			if _, r := staticOf(t, text, o, unit); (len(r.Warnings) > 0) != (warned && fails) {
				t.Errorf("axis %d, ONNX Runtime %q: %q", axis, runtime, r.Warnings)
			}
		}
	}
}

// TestPairsOfOneReader has a node that reads a value twice read both times the first of the
// pairs that it is given.
func TestPairsOfOneReader(t *testing.T) {
	o := DefaultOptions()
	o.DedicatedPairs = true
	q, _ := staticOf(t, "input x f32[2,3]\noutput y f32[2,3]\noutput z f32[2,3]\nn: y = Add(x, x)\nm: z = Sigmoid(x)", o, unit)
	for _, n := range q.Graph().Nodes() {
		if in := n.Inputs(); n.Name() == "n" && (in[0] != "x_DequantizeLinear_Output_1" || in[1] != in[0]) {
			t.Errorf("reads %q", in)
		}
	}
}
