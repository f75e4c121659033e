package calibration

import (
	"math"
	"os"
	"strings"
	"testing"

	"lathe/graphops/tensor"
)

// collected makes a histogram of collections, each with its own two passes.
func collected(t testing.TB, elem tensor.DType, magnitudes bool, bins int, collections ...[]float64) *Histogram {
	t.Helper()
	var h *Histogram
	plan := PlanValues
	if magnitudes {
		plan = PlanMagnitudes
	}
	for _, values := range collections {
		e := NewExtent(elem)
		e.Add(values)
		p, err := plan(h, e, bins)
		if err != nil {
			t.Fatal(err)
		}
		counts := make([]int64, len(p.Edges)-1)
		p.Count(counts, values)
		h = p.Add(counts)
	}
	return h
}

// base has no outlier, outlying has one.
func samples() (base, outlying []float64) {
	for i := range 1010 {
		base = append(base, tensor.F32.Round(float64(i*37%101-50)/10))
	}
	return base, append(append(outlying, base...), 40)
}

func TestVectors(t *testing.T) {
	base, out := samples()
	percentile := func(p float64) func(*Histogram) Range {
		return func(h *Histogram) Range {
			r, err := h.Percentile(p)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
	}
	entropy := func(bins int) func(*Histogram) Range {
		return func(h *Histogram) Range {
			r, err := h.Entropy(bins)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
	}
	for _, c := range []struct {
		name string
		h    *Histogram
		of   func(*Histogram) Range
		want Range
	}{
		{"entropy once", collected(t, tensor.F32, false, 128, out), entropy(128), Range{-5, 40}},
		{"entropy twice", collected(t, tensor.F32, false, 128, base, out), entropy(128), Range{-5, 5.078125}},
		{"entropy fine", collected(t, tensor.F32, false, 2048, out), entropy(128), Range{-5, 5.1171875}},
		{"entropy finer", collected(t, tensor.F32, false, 2048, out), entropy(256), Range{-5, 5.078125}},
		{"percentile symmetric", collected(t, tensor.F32, true, 2048, out), percentile(99.999), Range{-5, 39.98046875}},
		{"percentile 99 symmetric", collected(t, tensor.F32, true, 2048, out), percentile(99), Range{-5, 5}},
		{"percentile", collected(t, tensor.F32, false, 2048, out), percentile(99.999), Range{-5, 39.9609375}},
		{"percentile 99", collected(t, tensor.F32, false, 2048, out), percentile(99), Range{-5, 5}},
		{"zeros first", collected(t, tensor.F32, false, 128, []float64{0, 0, 0, 0}, []float64{1, -2}), entropy(128), Range{-2, 1}},
		{"constant", collected(t, tensor.F32, false, 2048, []float64{0.5}), percentile(95), Range{0.5, 0.5}},
		{"zero in a bin that begins below it", collected(t, tensor.F32, true, 5, []float64{0, 0, 0}, []float64{0.5}), percentile(50), Range{0, 0.1}},
		{"negative constant", collected(t, tensor.F32, true, 2048, []float64{-0.5}), percentile(95), Range{-0.5, -0.5}},
		{"nothing", collected(t, tensor.F32, false, 128, nil), percentile(99), Range{}},
		{"no magnitudes", collected(t, tensor.F32, true, 128, nil), percentile(99), Range{}},
	} {
		got := c.of(c.h)
		if math.Abs(got.Low-c.want.Low) > 2e-5 || math.Abs(got.High-c.want.High) > 2e-5 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	twice := collected(t, tensor.F32, false, 128, base, out)
	if len(twice.Counts) != 1026 || twice.threshold != 40.078125 {
		t.Errorf("%d bins up to %v, want 1026 up to 40.078125", len(twice.Counts), twice.threshold)
	}
	zeros := collected(t, tensor.F32, false, 128, []float64{0, 0, 0, 0}, []float64{1, -2})
	if zeros.Counts[0] != 1 || zeros.Counts[64] != 4 || zeros.Counts[96] != 1 {
		t.Errorf("counts %v", zeros.Counts)
	}
	d, err := collected(t, tensor.F32, false, 2048, out).Distribution(false)
	if err != nil || math.Abs(d.Mean-0.04051141) > 1e-7 || math.Abs(d.Deviation-3.173309) > 1e-6 || d.Range != (Range{-40, 40}) {
		t.Errorf("distribution %v, %v", d, err)
	}
	d, err = collected(t, tensor.F32, false, 2048, out).Distribution(true)
	if err != nil || math.Abs(d.Mean-0.0061599) > 1e-7 || math.Abs(d.Deviation-1.3326603) > 1e-6 {
		t.Errorf("distribution of cubes %v, %v", d, err)
	}
}

// TestNegativeVariance has a deviation of 0 where rounding makes the variance negative.
func TestNegativeVariance(t *testing.T) {
	rounded := 0
	for i := range 200 {
		x := float64(float32(0.1 + float64(i)/7))
		same := make([]float64, 1000)
		for k := range same {
			same[k] = x
		}
		d, err := collected(t, tensor.F32, false, 2048, same).Distribution(false)
		if err != nil || !(d.Deviation >= 0) || d.Rounded && d.Deviation != 0 {
			t.Fatalf("of %v: %+v, %v", x, d, err)
		}
		if d.Rounded {
			rounded++
		}
	}
	if rounded == 0 {
		t.Error("no variance was negative")
	}
}

// TestDocument has docs/quantize-data.md list all departures.
func TestDocument(t *testing.T) {
	b, err := os.ReadFile("../../docs/quantize-data.md")
	if err != nil {
		t.Fatal(err)
	}
	for d := range departures {
		if line := "| " + string(d) + " | " + departures[d] + " |\n"; !strings.Contains(string(b), line) {
			t.Errorf("docs/quantize-data.md lacks %s", line)
		}
	}
}
