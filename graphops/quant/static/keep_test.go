package static

import (
	"context"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/calibration"
	"lathe/graphops/graphtest"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// attentions are scores of q and k with a mask, as exporters write one.
var attentions = map[string]string{
	"added": `
		init far f32[] -10000
		ma: gone = Mul(mask, far)
		ad: masked = Add(scores, gone)`,
	"chosen": `
		init far f32[] -3.4028235e38
		init hidden bool[1,4] 1 0 0 0
		wh: masked = Where(hidden, far, scores)`,
	"added, then moved": `
		init far f32[] -10000
		init shape i64[3] 1 4 4
		ma: gone = Mul(mask, far)
		ad: wide = Add(scores, gone)
		re: masked = Reshape(wide, shape)`,
	"added, then cast": `
		init far f32[] -10000
		ma: gone = Mul(mask, far)
		ad: wide = Add(scores, gone)
		ca: masked = Cast(wide) to=1`,
	"constant": `
		init gone f32[1,4,4] 0 -3.4028235e38
		ad: masked = Add(scores, gone)`,
}

const (
	attentionHead = `
		input x f32[1,4,8]
		input mask f32[1,1,4]
		output y f32[1,4,4]
		init wq f32[8,4] 0.5 -0.25 0.125 1 -1
		init wk f32[8,4] 0.25 -0.5 0.25 1 -0.5
		qm: q = MatMul(x, wq)
		km: k = MatMul(x, wk)
		tr: t = Transpose(k) perm=[0,2,1]
		qk: scores = MatMul(q, t)`
	attentionTail = `
		so: weights = Softmax(masked)
		out: y = MatMul(weights, k)`
)

// masked are ranges as runs give them: a mask is as low as it is, and all else is near 0.
func masked(t *testing.T, text string, o Options, low float64) (*Report, []string) {
	t.Helper()
	m := graphtest.Model(t, text)
	table := tableFor(t, m, o, unit)
	for _, name := range []string{"gone", "wide", "masked"} {
		if _, ok := table.Tensors[name]; ok {
			table.Tensors[name] = calibration.Calibrated{Elem: tensor.F32, Range: calibration.Range{Low: low, High: 2}}
		}
	}
	q, report, err := Quantize(context.Background(), m, table, o)
	if err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for _, n := range q.Graph().Nodes() {
		if n.OpType() == "QuantizeLinear" {
			pairs = append(pairs, strings.TrimSuffix(n.Name(), "_QuantizeLinear"))
		}
	}
	return report, pairs
}

// TestMaskedScores keeps masks and what they are added to in float32, and nothing else.
func TestMaskedScores(t *testing.T) {
	for name, text := range attentions {
		t.Run(name, func(t *testing.T) {
			text := attentionHead + text + attentionTail
			report, pairs := masked(t, text, DefaultOptions(), -10000)
			for _, v := range []string{"gone", "wide", "masked"} {
				if slices.Contains(pairs, v) {
					t.Errorf("%q is quantized", v)
				}
			}
			for _, v := range []string{"q", "t", "x", "weights"} {
				if !slices.Contains(pairs, v) {
					t.Errorf("%q is not quantized, only %v", v, pairs)
				}
			}
			if !slices.Contains(report.Departures, maskedScores) {
				t.Errorf("departures %v", report.Departures)
			}
			if !slices.ContainsFunc(report.Skipped, func(s quant.Skipped) bool {
				return s.Node == "so" && strings.Contains(s.Reason, `"masked" ranges from -1e+04 to 2`) && strings.Contains(s.Reason, "steps of 39.2")
			}) {
				t.Errorf("left out: %+v", report.Skipped)
			}
			for what, c := range map[string]struct {
				low    float64
				change func(*Options)
			}{
				"without a mask": {-200, func(*Options) {}},
				"as asked":       {-10000, func(o *Options) { o.Masks = true }},
				"16 bits":        {-10000, func(o *Options) { o.ActivationType = tensor.I16 }},
			} {
				o := DefaultOptions()
				c.change(&o)
				if report, pairs := masked(t, text, o, c.low); !slices.Contains(pairs, "masked") || slices.Contains(report.Departures, maskedScores) {
					t.Errorf("%s: quantized are %v, departures %v", what, pairs, report.Departures)
				}
			}
		})
	}
}

// TestRangeless keeps in float32 what went to infinity, and the weights of a product
// that makes it are integers all the same.
func TestRangeless(t *testing.T) {
	const text = `
		input x f32[1,4]
		output y f32[1,4]
		init w f32[4,4] 0.5 -0.25 0.125 1 -1
		mm: h = MatMul(x, w)
		ad: y = Add(h, x)`
	m := graphtest.Model(t, text)
	table := tableFor(t, m, DefaultOptions(), unit)
	table.LeftOut = map[string]string{"h": "it goes to infinity"}
	delete(table.Tensors, "h")
	q, report, err := Quantize(context.Background(), m, table, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Skipped) != 1 || report.Skipped[0].Reason != `"h" has no range: it goes to infinity` {
		t.Errorf("%+v", report.Skipped)
	}
	if _, ok := q.Graph().Index().Value("w_quantized"); !ok {
		t.Errorf("the weight is no integer: %v", graphtest.Nodes(q.Graph()))
	}
}
