package bench

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRankSumDistribution compares with counting: every way to deal ranks.
func TestRankSumDistribution(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {2, 3}, {3, 2}, {4, 4}, {1, 6}} {
		n, m := size[0], size[1]
		counts, total := make([]float64, n*m+1), 0.0
		for set := range 1 << (n + m) {
			wrong, ones, zeros := 0, 0, 0
			for i := range n + m {
				if set>>i&1 == 1 {
					ones++
					wrong += zeros
				} else {
					zeros++
				}
			}
			if ones == n {
				counts[wrong]++
				total++
			}
		}
		for u, p := range rankSumDistribution(n, m) {
			if math.Abs(p-counts[u]/total) > 1e-12 {
				t.Errorf("%v: P(%d) = %v, want %v", size, u, p, counts[u]/total)
			}
		}
	}
	// The table of critical values at 5 %, two-sided, has 13 for 8 and 8.
	if k := rankSumQuantile(8, 8); k != 14 {
		t.Errorf("8 and 8: %d", k)
	}
	if k := rankSumQuantile(3, 3); k != 0 {
		t.Errorf("3 and 3: %d, where no interval holds", k)
	}
	// Where the one way ends, the other goes on.
	if a, b := rankSumQuantile(20, 100), rankSumQuantile(21, 100); b-a < 20 || b-a > 60 {
		t.Errorf("20 and 21 beside 100: %d and %d", a, b)
	}
}

// TestShift plants changes and none: intervals hold the truth as often as they
// say, of blocks that are independent and of such that are not.
func TestShift(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sample := func(n int, factor, memory float64) []float64 {
		var out []float64
		state := 0.0
		for range n {
			state = memory*state + math.Sqrt(1-memory*memory)*r.NormFloat64()
			out = append(out, 3*factor*math.Exp(0.02*state))
		}
		return out
	}
	for _, c := range []struct {
		name           string
		factor, memory float64
		missed         int // of 400, at most: 20 are expected, 38 is four deviations off
	}{
		{"equal", 1, 0, 38},
		{"slower", 1.1, 0, 38},
		{"faster", 0.5, 0, 38},
		// Grouping does not cure what lasts: it keeps it near what is said.
		{"alike", 1, 0.5, 60},
	} {
		missed, told := 0, 0
		for range 400 {
			s := ShiftOf(sample(80, 1, c.memory), sample(60, c.factor, c.memory))
			if s.CI95 == nil {
				t.Fatalf("%s: no interval of %v groups", c.name, s.Groups)
			}
			if f := Number(c.factor); f < s.CI95[0] || f > s.CI95[1] {
				missed++
			}
			if s.CI95[0] > 1.05 {
				told++
			}
		}
		t.Logf("%s: %d of 400 intervals miss the truth", c.name, missed)
		if missed > c.missed {
			t.Errorf("%s: %d of 400 intervals miss the truth", c.name, missed)
		}
		if want := c.factor > 1.05; (told > 200) != want || !want && told > 0 {
			t.Errorf("%s: %d of 400 lie beyond 5 %%", c.name, told)
		}
	}
}

func TestShiftOfFew(t *testing.T) {
	s := ShiftOf([]float64{2, 2, 2}, []float64{3})
	if s.CI95 != nil || math.Abs(float64(s.Ratio)-1.5) > 1e-12 || s.Groups != [2]int{3, 1} {
		t.Errorf("%+v", s)
	}
	equal := slices.Repeat([]float64{2}, 50)
	if s := ShiftOf(equal, equal); s.CI95 == nil || *s.CI95 != [2]Number{1, 1} || s.Alike {
		t.Errorf("equal blocks: %+v", s)
	}
	var rising []float64
	for i := range 40 {
		rising = append(rising, float64(100+i))
	}
	if s := ShiftOf(rising, equal); !s.Alike {
		t.Errorf("blocks that rise are alike: %+v", s)
	}
	if s := ShiftOf(slices.Repeat(rising, 100), equal); s.Groups[0] > maxGroups {
		t.Errorf("%+v", s)
	}
}

func TestHistogram(t *testing.T) {
	for _, times := range [][]float64{{2}, {2, 2, 2}, {1, 2, 3}, append(slices.Repeat([]float64{1, 1.5}, 500), 90)} {
		slices.Sort(times)
		h := histogramOf(times)
		n := h.Beyond
		for _, c := range h.Counts {
			n += c
		}
		if n != len(times) || h.From != Number(times[0]) || h.Width <= 0 {
			t.Errorf("%d times: %+v", len(times), h)
		}
		if last := times[len(times)-1]; (last == 90) != (h.Beyond == 1) {
			t.Errorf("up to %v: %d beyond", last, h.Beyond)
		}
	}
}
