package bench

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// subsets is the distribution of the signed-rank statistic by trying every way
// in which n coins can fall.
func subsets(n int) []float64 {
	p := make([]float64, n*(n+1)/2+1)
	for heads := range 1 << n {
		sum := 0
		for rank := 1; rank <= n; rank++ {
			if heads>>(rank-1)&1 == 1 {
				sum += rank
			}
		}
		p[sum] += math.Pow(2, -float64(n))
	}
	return p
}

func TestSignedRankDistribution(t *testing.T) {
	for n := 1; n <= 12; n++ {
		if diff := cmp.Diff(subsets(n), signedRankDistribution(n)); diff != "" {
			t.Errorf("n=%d (-want +got):\n%s", n, diff)
		}
	}
}

// TestSignedRankQuantile checks published critical values of Wilcoxon's table:
// the statistic is at most k-1 with the given probability.
func TestSignedRankQuantile(t *testing.T) {
	for _, c := range []struct {
		n           int
		probability float64
		want        int
	}{
		{5, 0.025, 0},
		{6, 0.025, 1},
		{7, 0.025, 3},
		{8, 0.025, 4},
		{10, 0.025, 9},
		{20, 0.025, 53},
		{25, 0.025, 90},
		{7, 0.005, 0},
		{8, 0.005, 1},
		{10, 0.005, 4},
		{20, 0.005, 38},
	} {
		if got := signedRankQuantile(c.n, c.probability); got != c.want {
			t.Errorf("n=%d at %v: got %d, want %d", c.n, c.probability, got, c.want)
		}
	}
	// the two ways of computing it meet
	at, above := signedRankQuantile(exactRanks, 0.025), signedRankQuantile(exactRanks+1, 0.025)
	if step := above - at; step < 20 || step > 60 {
		t.Errorf("from %d at n=%d to %d at n=%d", at, exactRanks, above, exactRanks+1)
	}
}

// TestWalshAverages compares counting with making all averages.
func TestWalshAverages(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 30; n++ {
		values := make([]float64, n)
		for i := range values {
			values[i] = math.Round(rng.NormFloat64()*4) / 4 // with ties
		}
		slices.Sort(values)
		var all []float64
		for i := range values {
			for j := i; j < n; j++ {
				all = append(all, (values[i]+values[j])/2)
			}
		}
		slices.Sort(all)
		w := walsh{values}
		for k := 1; k <= len(all); k++ {
			if got := w.nth(k); math.Abs(got-all[k-1]) > 1e-15 {
				t.Fatalf("n=%d: average %d is %v, want %v", n, k, got, all[k-1])
			}
		}
	}
}

func TestSignedRankInterval(t *testing.T) {
	// Walsh averages of 1…6 are 1, 1.5, 2, 2, 2.5, … 6; at 95 % the outermost two
	// bound the centre.
	if got, want := signedRankInterval([]float64{3, 1, 2, 6, 5, 4}, 0.95), (interval{3.5, 1, 6}); !nearly(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if i := signedRankInterval([]float64{1, 2, 3, 4, 5}, 0.95); i.isFinite() || i.center != 3 {
		t.Errorf("five values: %+v", i)
	}
}

func nearly(a, b interval) bool {
	return math.Abs(a.center-b.center)+math.Abs(a.lo-b.lo)+math.Abs(a.hi-b.hi) < 1e-12
}

func TestMedianInterval(t *testing.T) {
	values := []float64{10, 1, 9, 2, 8, 3, 7, 4, 6, 5}
	// Binomial(10, 1/2): 2nd and 9th of 10 values hold the median with 97.9 %.
	if got, want := medianInterval(values), (interval{5.5, 2, 9}); !nearly(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if values[0] != 10 {
		t.Error("the caller's values were sorted")
	}
	if medianInterval(values[:5]).isFinite() {
		t.Error("five values have an interval")
	}
	if got := (interval{center: 10, lo: 9, hi: 11}).precision(); got != 0.1 {
		t.Errorf("precision %v, want 0.1", got)
	}
	if got := medianInterval(values[:5]).precision(); !math.IsInf(got, 1) {
		t.Errorf("precision %v of no interval", got)
	}
}

func TestQuantile(t *testing.T) {
	sorted := []float64{1, 2, 3, 4}
	for _, c := range []struct{ q, want float64 }{{0, 1}, {0.5, 2.5}, {0.9, 3.7}, {1, 4}} {
		if got := quantile(sorted, c.q); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("quantile %v: got %v, want %v", c.q, got, c.want)
		}
	}
	for _, c := range []struct {
		n         int
		q, beyond float64
		known     bool
	}{
		{9, 0.9, 1, false}, {10, 0.9, 1, true}, {99, 0.99, 1, false}, {100, 0.99, 1, true}, {9999, 0.999, 10, false}, {10000, 0.999, 10, true},
	} {
		if got := tail(make([]float64, c.n), c.q, c.beyond); (got != nil) != c.known {
			t.Errorf("quantile %v of %d: %v", c.q, c.n, got)
		}
	}
}

func TestOutliers(t *testing.T) {
	values := make([]float64, 100)
	for i := range values {
		values[i] = 100 + float64(i%5) // 100 to 104: median 102, median deviation 1
	}
	for _, c := range []struct {
		odd  []float64
		want int
	}{
		{nil, 0},
		{[]float64{116.8}, 0}, // ten deviations of 1.4826 are 116.826
		{[]float64{116.9}, 1},
		{[]float64{1e6, 1}, 2},
	} {
		sorted := slices.Sorted(slices.Values(append(slices.Clone(values), c.odd...)))
		if got := outliers(sorted); got != c.want {
			t.Errorf("%v: got %d, want %d", c.odd, got, c.want)
		}
	}
	// Times that are all alike have no deviation; a twentieth of the median counts.
	if got := outliers([]float64{100, 100, 100, 100, 104.9, 105.1}); got != 1 {
		t.Errorf("equal times: got %d, want 1", got)
	}
}

func TestDrift(t *testing.T) {
	rising := []float64{1, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09, 1.1, 1.11}
	if ratio, found := drift(rising); !found || ratio < 1.05 {
		t.Errorf("rising: %v, %v", ratio, found)
	}
	level := []float64{1, 1.1, 1, 1.1, 1, 1.1, 1.1, 1, 1.1, 1, 1.1, 1}
	if ratio, found := drift(level); found {
		t.Errorf("level: %v, %v", ratio, found)
	}
	if _, found := drift([]float64{1, 2, 3}); found {
		t.Error("three blocks drift")
	}
}

func TestSteady(t *testing.T) {
	ms := func(values ...int) []time.Duration {
		var out []time.Duration
		for _, v := range values {
			out = append(out, time.Duration(v)*time.Millisecond)
		}
		return out
	}
	for _, c := range []struct {
		medians []time.Duration
		want    bool
	}{
		{ms(5, 5, 5, 5, 5), false}, // too few to tell
		{ms(5, 5, 5, 5, 5, 5), true},
		{ms(9, 8, 7, 6, 5, 4), false},
		{ms(9, 8, 7, 6, 7, 4), true},
		{ms(90, 80, 7, 6, 7, 6, 7, 6), true}, // only the last six count
		{ms(4, 5, 6, 7, 8, 9), true},         // rising is not a warm-up
	} {
		if got := isSteady(c.medians); got != c.want {
			t.Errorf("%v: %v", c.medians, got)
		}
	}
}

func TestMedianOfABlock(t *testing.T) {
	for _, c := range []struct {
		times []time.Duration
		want  time.Duration
	}{
		{[]time.Duration{5}, 5},
		{[]time.Duration{9, 1, 5}, 5},
		{[]time.Duration{4, 2}, 3},
		{[]time.Duration{0, 0, 0}, 1}, // a clock too coarse to see the run
	} {
		if got := medianOf(c.times); got != c.want {
			t.Errorf("%v: got %v, want %v", c.times, got, c.want)
		}
	}
}

// TestBlocksInterval counts how often intervals of 95 % contain the true median: of independent blocks,
// and of blocks whose speed wanders slowly, where the interval of the blocks alone is far too narrow.
func TestBlocksInterval(t *testing.T) {
	const blocks, trials = 120, 400
	for _, c := range []struct {
		name          string
		keeps         float64 // how much of a block's deviation the next one has
		least, blocks float64 // coverage: at least of the interval, at most of that of blocks alone
	}{
		{"independent", 0, 0.93, 1},
		{"wandering", 0.8, 0.9, 0.6},
	} {
		rng := rand.New(rand.NewPCG(7, 11))
		within, alone := 0, 0
		for range trials {
			list := make([]float64, blocks)
			deviation := rng.NormFloat64()
			for i := range list {
				deviation = c.keeps*deviation + math.Sqrt(1-c.keeps*c.keeps)*rng.NormFloat64()
				list[i] = 10 * math.Exp(0.05*deviation)
			}
			if i := blocksInterval(list); i.lo <= 10 && 10 <= i.hi {
				within++
			}
			if i := medianInterval(list); i.lo <= 10 && 10 <= i.hi {
				alone++
			}
		}
		t.Logf("%s: %.3f, of blocks alone %.3f", c.name, float64(within)/trials, float64(alone)/trials)
		if float64(within)/trials < c.least || float64(alone)/trials > c.blocks {
			t.Errorf("%s: %d of %d intervals contain the median, want at least %.2f; of blocks alone %d, want at most %.2f", c.name, within, trials, c.least, alone, c.blocks)
		}
	}
}
