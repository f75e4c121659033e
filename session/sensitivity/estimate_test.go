package sensitivity

import (
	"math"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// TestCorrelation has pairs whose rank correlation scipy.stats.spearmanr computes as given.
func TestCorrelation(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4}, []float64{10, 20, 30, 40}, 1},
		{[]float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		{[]float64{1, 2, 3, 4, 5}, []float64{5, 6, 7, 8, 7}, 0.8207826816681233},
		{[]float64{1, 2, 2, 3}, []float64{1, 2, 3, math.Inf(1)}, 0.9486832980505138},
		{[]float64{1, 2}, []float64{1, 2}, math.NaN()},
		{[]float64{1, 1, 1}, []float64{1, 2, 3}, math.NaN()},
	} {
		if got := Correlation(c.a, c.b); math.Abs(got-c.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("%v, %v: %v, expected %v", c.a, c.b, got, c.want)
		}
	}
}

// TestFlow checks how much of the noise of each node reaches the outputs.
func TestFlow(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []float64
	}{
		"chain":  {"input x f32[2,4]\noutput z f32[2,4]\ninit w f32[4,4] 1\na: y = MatMul(x, w)\nb: z = MatMul(y, w)", []float64{1, 1}},
		"branch": {"input x f32[2,4]\noutput z f32[2,4]\ninit w f32[4,4] 0.5\na: y = MatMul(x, w)\nb: z = Add(x, y)", []float64{0.5, 1}},
		// The mean square of y is a quarter of that of x.
		"small":  {"input x f32[2,4]\noutput z f32[2,4]\ninit w f32[4,4] 0.25\na: y = MatMul(x, w)\nb: z = Add(x, y)", []float64{0.2, 1}},
		"unread": {"input x f32[2,4]\noutput z f32[2,4]\ninit w f32[4,4] 1\na: y = MatMul(x, w)\nb: s = Shape(y)\nc: z = Expand(x, s)", []float64{0, 0, 1}},
		"mask":   {"input x f32[2,4]\noutput z f32[2,4]\ninit w f32[4,4] 0.5\ninit m f32[4] -1e9\na: y = MatMul(x, w)\nb: z = Add(y, m)", []float64{1, 1}},
		"norm":   {"input x f32[2,4]\noutput z f32[2,4]\ninit g f32[4] 2\ninit w f32[4,4] 0.5\na: y = MatMul(x, w)\nn: v = LayerNormalization(y, g)\nb: z = Add(v, x)", []float64{0.8, 0.8, 1}},
	} {
		got, err := flow(t.Context(), graphtest.Model(t, c.text))
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.want {
			if name == "unread" && i < 2 {
				continue // a Shape makes integers, but an Expand reads them
			}
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%s: %v, expected %v", name, got, c.want)
				break
			}
		}
	}
}

// TestDamage compares outputs of every kind.
func TestDamage(t *testing.T) {
	f := func(v ...float32) tensor.Tensor { return tensor.FromSlice(v, int64(len(v))) }
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		a, b tensor.Tensor
		snr  float64
	}{
		"equal":       {f(1, 2), f(1, 2), math.Inf(1)},
		"tenth":       {f(10, 0), f(9, 0), 20},
		"zeros":       {f(0, 0), f(0, 0), math.Inf(1)},
		"from zero":   {f(0, 0), f(1, 0), math.Inf(-1)},
		"becomes NaN": {f(1, 2), f(1, nan), math.Inf(-1)},
		"both NaN":    {f(nan, 2), f(nan, 2), math.Inf(1)},
		"shape":       {f(1, 2), f(1), math.Inf(-1)},
		"integers":    {tensor.FromSlice([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10), tensor.FromSlice([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 0}, 10), 10},
		"texts":       {tensor.FromStrings([]string{"a"}, 1), tensor.FromStrings([]string{"a"}, 1), math.Inf(1)},
	} {
		var d Damage
		err := d.Add([]graphops.Got{{Name: "y", Value: graphops.TensorValue(c.a)}}, []graphops.Got{{Name: "y", Value: graphops.TensorValue(c.b)}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := d.Worst(); math.Abs(float64(got.SNR)-c.snr) > 1e-9 {
			t.Errorf("%s: %v dB, expected %v", name, got.SNR, c.snr)
		}
	}
	var d Damage
	for _, v := range []float32{9, 11} { // over two cases, and two outputs
		if err := d.Add([]graphops.Got{{Name: "x", Value: graphops.TensorValue(f(1))}, {Name: "y", Value: graphops.TensorValue(f(10))}},
			[]graphops.Got{{Name: "x", Value: graphops.TensorValue(f(1))}, {Name: "y", Value: graphops.TensorValue(f(v))}}); err != nil {
			t.Fatal(err)
		}
	}
	if got := d.Worst(); got.Output != "y" || math.Abs(float64(got.SNR)-20) > 1e-9 || got.MaxAbs != 1 || math.Abs(float64(got.RelErr)-0.1) > 1e-9 {
		t.Errorf("%+v", got)
	}
}

// TestStoredLayers takes nothing from lists that this program would not have stored.
func TestStoredLayers(t *testing.T) {
	good := func() *Layer { return &Layer{Node: "a", Op: "MatMul", Cost: &Cost{SNR: 20}} }
	for name, change := range map[string]func(*Layer){
		"good": func(*Layer) {}, "other node": func(l *Layer) { l.Node = "b" }, "other place": func(l *Layer) { l.Place = "body" },
		"other index": func(l *Layer) { l.Index = 3 }, "nothing": func(l *Layer) { l.Cost = nil },
		"NaN": func(l *Layer) { l.SNR = tensor.Number(math.NaN()) }, "negative": func(l *Layer) { l.RelErr = -1 },
		"time": func(l *Layer) { l.Time = &Time{} },
	} {
		stored := good()
		change(stored)
		l := &Layer{Node: "a", Op: "MatMul"}
		if took := l.complete([]*Layer{nil, stored}); took != (name == "good") || took != (l.Cost != nil) {
			t.Errorf("%s: took %v", name, l.Cost)
		}
	}
}

// TestReportText has names that would change a terminal, and every kind of row.
func TestReportText(t *testing.T) {
	r := newReport("nbits", &candidates{layers: []*Layer{
		{Node: "a\x1b[2J", Op: "MatMul", BytesSaved: 5, Estimated: 30, noise: 1e-3},
		{Node: "b", Op: "MatMul", Place: "if › then", Cost: &Cost{SNR: 20}, Shared: 2, noise: 1e-3},
		{Op: "MatMul", Index: 4, Failed: "no kernel\n", noise: 1e-3},
	}})
	r.Stopped = "it was interrupted"
	var b strings.Builder
	if err := r.settle().WriteText(&b); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if bad := graphtest.Unprintable(got); bad != "" {
		t.Errorf("%s in %q", bad, got)
	}
	for _, want := range []string{"~30.0 dB", " 20.0 dB", "if › then › b", "node 4", "no kernel", "with 2 other nodes", "not measured: 1 node, because it was interrupted", "67 %"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
