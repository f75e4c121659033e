package generating

import (
	"math"
	"testing"

	"lathe/graphops/tensor"
)

func TestBestOf(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		scores []float64
		avoid  []int64
		want   best
	}{
		{[]float64{1, 3, 2}, nil, best{1, 1}},
		{[]float64{3, 1, 3}, nil, best{0, 0}},
		{[]float64{3, 1, 2.5}, []int64{0}, best{2, 1.5}},
		{[]float64{-inf, -inf, -5}, nil, best{2, inf}},
		{[]float64{7}, nil, best{0, inf}},
	} {
		if got := bestOf(c.scores, c.avoid); got != c.want {
			t.Errorf("%v without %v: %v, want %v", c.scores, c.avoid, got, c.want)
		}
	}
}

func TestUsable(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		scores []float64
		want   bool
	}{
		{[]float64{1, -inf}, true}, {[]float64{1, nan}, false}, {[]float64{inf, 1}, false}, {[]float64{-inf, -inf}, false}, {[]float64{-inf, nan}, false},
	} {
		if tensor.IsFinite(logSum(c.scores)) != c.want {
			t.Errorf("%v: usable is %v", c.scores, !c.want)
		}
	}
}

// TestDivergence compares with sums that were made by hand.
func TestDivergence(t *testing.T) {
	ln := math.Log
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{0, 0}, []float64{0, 0}, 0},
		{[]float64{1000, 1000}, []float64{-1000, -1000}, 0}, // a constant changes nothing
		{[]float64{0, 0}, []float64{ln(3), 0}, 0.5*ln(0.5/0.75) + 0.5*ln(0.5/0.25)},
		{[]float64{ln(3), 0}, []float64{0, 0}, 0.75*ln(0.75/0.5) + 0.25*ln(0.25/0.5)},
		{[]float64{0, math.Inf(-1)}, []float64{0, 0}, ln(2)},        // a excludes a token
		{[]float64{0, 0}, []float64{0, math.Inf(-1)}, math.Inf(1)},  // b excludes a token of a
		{[]float64{0, math.Inf(-1)}, []float64{5, math.Inf(-1)}, 0}, // both exclude it
		{[]float64{1e4, 0}, []float64{0, 1e4}, 1e4},                 // exponentials of the scores are infinite
		{[]float64{0, -800}, []float64{0, -900}, 0},                 // and too small for a number
	} {
		if got := divergence(c.a, c.b, logSum(c.a), logSum(c.b)); !(got == c.want || math.Abs(got-c.want) < 1e-12*math.Abs(c.want)+1e-15) {
			t.Errorf("%v ‖ %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// TestAgreement: the ends of Wilson's interval are the shares from which the observed one is 1.96 of their
// own standard deviations away.
func TestAgreement(t *testing.T) {
	for _, c := range [][2]int{{117, 117}, {48, 117}, {0, 10}, {1, 1}, {999, 1000}} {
		got, n := agreement(c[0], c[1]), float64(c[1])
		for _, end := range []float64{float64(got.Low), float64(got.High)} {
			if away := math.Abs(float64(got.Share)-end) / math.Sqrt(end*(1-end)/n); end > 0 && end < 1 && math.Abs(away-1.96) > 1e-4 {
				t.Errorf("%v: the end %v is %v deviations away", c, end, away)
			}
		}
		if got.Low > got.Share || got.High < got.Share || got.Low == got.High || (c[0] == 0) != (got.Low == 0) || (c[0] == c[1]) != (got.High == 1) {
			t.Errorf("%v: %+v", c, got)
		}
	}
	if agreement(0, 0) != (Agreement{}) {
		t.Error("no position has an interval")
	}
}

func TestDivergences(t *testing.T) {
	var d divergences
	for i := range 200 {
		if got, want := d.add(float64(200-i), Place{Position: i}), i == 0; got != want {
			t.Errorf("number %d is the largest: %v", i, got)
		}
	}
	got := d.summary()
	want := Divergence{Positions: 200, Mean: 100.5, P99: 198, Max: 200, MaxAt: Place{Position: 0}}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if (&divergences{}).summary() != (Divergence{}) {
		t.Error("no position has a summary")
	}
}

// TestRounding: a difference of two tokens is rounding if the scores of both are within the tolerance.
func TestRounding(t *testing.T) {
	tol := tensor.Tolerance{ATol: 1e-3}
	for _, c := range []struct {
		a, b  []float64
		asked bool
		want  bool
		used  float64
	}{
		{[]float64{1, 1.0005}, []float64{1.0006, 1}, true, true, 0.6},
		{[]float64{1, 1.002}, []float64{1.003, 1}, true, false, 3},
		{[]float64{100, 100.002}, []float64{100.003, 100}, false, true, 0.03}, // the scores are large
		{[]float64{100, 100.002}, []float64{100.003, 100}, true, false, 3},
	} {
		k := &comparison{o: Options{Tolerance: tol, Asked: c.asked}}
		d := k.difference(scored{x: c.a, y: c.b, a: bestOf(c.a, nil), b: bestOf(c.b, nil)})
		if d.Rounding != c.want || math.Abs(float64(d.Used)-c.used) > 1e-3*c.used {
			t.Errorf("%v and %v: %+v", c.a, c.b, d)
		}
		if d.A.Token != 1 || d.B.Token != 0 || d.A.Over != d.A.Margin || math.Abs(float64(d.B.Over)-(c.b[0]-c.b[1])) > 1e-15 {
			t.Errorf("%v and %v: %+v", c.a, c.b, d)
		}
	}
}
