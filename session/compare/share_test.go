package compare

import (
	"strings"
	"testing"

	"lathe/graphops/execution"
	"lathe/graphops/tensor"
)

// TestNoMoreThanTheShare checks the limit for rows whose class changes: above it, an output fails
// whatever its tolerance, and below it, it passes.
func TestNoMoreThanTheShare(t *testing.T) {
	const rows, classes = 200, 10
	wide := 1e6
	scores := func(name string, changed int) execution.Got {
		values := make([]float32, rows*classes)
		for row := range rows {
			at := row * classes
			values[at], values[at+1] = 1, 0.9999999
			if row < changed { // by the last digits only
				values[at], values[at+1] = 0.9999999, 1
			}
		}
		return output(name, tensor.FromSlice(values, rows, classes))
	}
	labels := make([]int64, rows)
	labels[0] = classes - 1
	for _, c := range []struct {
		name, output string
		o            Options
		labels       []int64
		share        float64
	}{
		{"within the tolerance, by name", "logits", Options{}, nil, MinArgmaxAgree},
		{"within the tolerance, by labels", "y", Options{}, labels, MinArgmaxAgree},
		{"within the tolerance, by the graph", "y", Options{Facts: map[string]Fact{"y": {Classes: true}}}, nil, MinArgmaxAgree},
		{"as asked", "logits", Options{RTol: &wide, ATol: &wide}, nil, MinArgmaxAgree},
		{"as asked of one", "logits", Options{Of: map[string]Asked{"logits": {&wide, &wide}}}, nil, MinArgmaxAgree},
		{"in float16", "logits", Options{Precision: tensor.F16}, nil, MinArgmaxAgree},
		{"quantized", "logits", Options{Quantized: true}, nil, MinArgmaxAgreeQuantized},
		{"quantized, as asked", "logits", Options{Quantized: true, RTol: &wide, ATol: &wide}, nil, MinArgmaxAgreeQuantized},
	} {
		for changed := range 16 {
			a := fake{answers: [][]execution.Got{got(scores(c.output, 0))}}
			b := fake{answers: [][]execution.Got{got(scores(c.output, changed))}}
			r := run(t, a, b, c.o, caseNumber(0, c.labels...))
			want := float64(rows-changed) >= c.share*rows
			if r.Pass != want || !want && !strings.Contains(r.Headline, "the highest score agrees in") {
				t.Errorf("%s, %d of %d rows: pass %v, %s", c.name, changed, rows, r.Pass, r.Headline)
			}
		}
	}
}
