//go:build cgo

package calibrate_test

import (
	"context"
	"math"
	"testing"

	"lathe/graphops/calibration"
	"lathe/graphops/graphtest"
	"lathe/session/calibrate"
)

// TestSpreadOf checks that the ranges are those that each method chooses by itself, and checks how
// many elements are outside of them.
func TestSpreadOf(t *testing.T) {
	m := graphtest.Model(t, network)
	load, samples := loader(t, m), drawn(6)
	for _, value := range []string{"x", "h"} {
		s, err := calibrate.SpreadOf(t.Context(), m, value, samples, load, calibrate.Defaults)
		if err != nil {
			t.Fatal(err)
		}
		for _, method := range calibration.Methods() {
			r, err := calibrate.Ranges(t.Context(), m, []string{value}, samples, load, calibrate.Defaults(method))
			if err != nil {
				t.Fatal(err)
			}
			if want := r.Table.Tensors[value].Range; s.Ranges[method] != want {
				t.Errorf("%s of %s: %v, want %v", method, value, s.Ranges[method], want)
			}
		}
		var elements []float64
		for _, list := range held(t, load, samples, "h")["h"] {
			elements = append(elements, list...)
		}
		if value == "x" {
			elements = nil
			for _, in := range samples {
				x, err := in["x"].Tensor.Float64s()
				if err != nil {
					t.Fatal(err)
				}
				elements = append(elements, x...)
			}
		}
		var counted int64
		for _, n := range s.Histogram.Counts {
			counted += n
		}
		if counted != int64(len(elements)) || s.Samples != 6 {
			t.Errorf("%d elements are counted of %d", counted, len(elements))
		}
		for _, r := range []calibration.Range{{Low: -1, High: 1}, {Low: -0.25, High: 9}, s.Ranges[calibration.MethodMinMax]} {
			beyond := 0
			for _, x := range elements {
				if x < r.Low || x > r.High {
					beyond++
				}
			}
			want := float64(beyond) / float64(len(elements))
			if got, ok := s.Saturated(r); !ok || math.Abs(got-want) > 2/float64(len(elements)) {
				t.Errorf("beyond %v: %v, want %v", r, got, want)
			}
		}
	}
}

func TestSpreadOfRefuses(t *testing.T) {
	m := graphtest.Model(t, network)
	broken := func(context.Context, []string) (calibrate.Session, error) { return nil, errFull }
	if _, err := calibrate.SpreadOf(t.Context(), m, "h", drawn(2), broken, calibrate.Defaults); err == nil {
		t.Error("what does not load is no error")
	}
	if _, ok := (&calibrate.Spread{}).Saturated(calibration.Range{}); ok {
		t.Error("a share of nothing")
	}
}
