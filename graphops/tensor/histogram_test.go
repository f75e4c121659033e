package tensor

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// recount counts numbers in the bins of a histogram one by one.
func recount(h Histogram, xs []float64) []int64 {
	counts := make([]int64, len(h.Counts))
	for _, x := range xs {
		if i := int64(math.Floor(x/h.Width)) - h.First; i >= 0 && i < int64(len(counts)) {
			counts[i]++
		}
	}
	return counts
}

func TestHistogramIsExact(t *testing.T) {
	for name, xs := range series() {
		h := profileOf(t, FromSlice(xs, int64(len(xs)))).Histogram
		if got := recount(h, xs); !reflect.DeepEqual(h.Counts, got) {
			t.Errorf("%s: counts differ from those of the numbers one by one", name)
		}
		total := int64(0)
		for _, n := range h.Counts {
			total += n
		}
		if total != int64(len(xs)) || h.Counts[0] == 0 || h.Counts[len(h.Counts)-1] == 0 {
			t.Errorf("%s: %d numbers in bins from %d to %d", name, total, h.Counts[0], h.Counts[len(h.Counts)-1])
		}
		lo, hi := slices.Min(xs), slices.Max(xs)
		if last := len(h.Counts); h.Edge(0) > lo || h.Edge(1) <= lo || h.Edge(last-1) > hi || h.Edge(last) <= hi {
			t.Errorf("%s: bins from %v to %v for numbers from %v to %v", name, h.Edge(0), h.Edge(last), lo, hi)
		}
		// Half of the bins lie within the range, where it has room for so many.
		resolved := name != "one" && name != "constant" && name != "subnormal"
		if len(h.Counts) > histogramBins || resolved && len(h.Counts) <= histogramBins/2 {
			t.Errorf("%s: %d bins", name, len(h.Counts))
		}
	}
}

func TestHistogramDoesNotDependOnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, xs := range series() {
		want := profileOf(t, FromSlice(xs, int64(len(xs))))
		rng.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
		got := profileOf(t, FromSlice(xs, int64(len(xs))))
		if !reflect.DeepEqual(got.Histogram, want.Histogram) || !reflect.DeepEqual(got.Magnitudes, want.Magnitudes) {
			t.Errorf("%s: another order gives another histogram", name)
		}
	}
}

func TestBars(t *testing.T) {
	h := Histogram{Width: 0.5, First: -3, Counts: []int64{1, 2, 3, 4, 5, 6, 7}} // -1.5 up to 2
	for n, want := range map[int]Histogram{
		0: {Width: 2, First: -1, Counts: []int64{6, 22}},
		2: {Width: 2, First: -1, Counts: []int64{6, 22}},
		3: {Width: 1.5, First: -1, Counts: []int64{6, 15, 7}},
		4: {Width: 1, First: -2, Counts: []int64{1, 5, 9, 13}},
		6: {Width: 1, First: -2, Counts: []int64{1, 5, 9, 13}},
		7: h,
		9: h,
	} {
		if got := h.Bars(n); !reflect.DeepEqual(got, want) {
			t.Errorf("%d bars: %v, want %v", n, got, want)
		}
	}
	if got := h.Edge(0); got != -1.5 {
		t.Errorf("the first bin begins at %v, want -1.5", got)
	}
	if got := h.Bars(3).Edge(3); got != 3 {
		t.Errorf("the last of 3 bars ends at %v, want 3", got)
	}
}

func TestBarsHoldEverything(t *testing.T) {
	for name, xs := range series() {
		h := profileOf(t, FromSlice(xs, int64(len(xs)))).Histogram
		for n := 2; n <= 300; n++ {
			bars := h.Bars(n)
			if len(bars.Counts) > n {
				t.Fatalf("%s: %d bars, at most %d were asked for", name, len(bars.Counts), n)
			}
			if got := recount(bars, xs); name != "huge" && name != "growing" && name != "shrinking" && !reflect.DeepEqual(got, bars.Counts) {
				t.Fatalf("%s: %d bars count wrong", name, n)
			}
		}
	}
}

// TestHistogramOfIntegers has a bin for each of them where they are near each other.
func TestHistogramOfIntegers(t *testing.T) {
	p := profileOf(t, FromSlice([]int32{7, 9, -1, 7}, 4))
	want := Histogram{Width: 1, First: -1, Counts: []int64{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1}}
	if !reflect.DeepEqual(p.Histogram, want) {
		t.Errorf("%v, want %v", p.Histogram, want)
	}
	p = profileOf(t, FromSlice([]bool{true, false, true}, 3))
	if want := (Histogram{Width: 1, First: 0, Counts: []int64{1, 2}}); !reflect.DeepEqual(p.Histogram, want) {
		t.Errorf("bool: %v, want %v", p.Histogram, want)
	}
}

func TestHistogramOfExtremes(t *testing.T) {
	for _, xs := range [][]float64{
		{-math.MaxFloat64, math.MaxFloat64},
		{0, 5e-324},
		{-5e-324, 5e-324, 1e-310},
		{math.MaxFloat64, 1},
		{0},
		{-1e300, 1e-300},
	} {
		h := profileOf(t, FromSlice(xs, int64(len(xs)))).Histogram
		total := int64(0)
		for _, n := range h.Counts {
			total += n
		}
		if total != int64(len(xs)) || h.Edge(0) > xs[0] {
			t.Errorf("%v: %v from %v with %d numbers", xs, h.Width, h.Edge(0), total)
		}
	}
}

func TestMagnitudes(t *testing.T) {
	p := profileOf(t, FromSlice([]float32{0, 1, -1.5, 2, 0.25, -0.3, 1.99}, 7))
	if want := (Magnitudes{First: -2, Counts: []int64{2, 0, 3, 1}}); !reflect.DeepEqual(p.Magnitudes, want) {
		t.Errorf("%v, want %v", p.Magnitudes, want)
	}
	p = profileOf(t, FromSlice([]float64{5e-324, 0, 1e-310}, 3))
	if want := (Magnitudes{First: -1023, Counts: []int64{2}}); !reflect.DeepEqual(p.Magnitudes, want) {
		t.Errorf("subnormal: %v, want %v", p.Magnitudes, want)
	}
}
