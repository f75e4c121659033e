package proportion

import (
	"encoding/json"
	"math"
	"testing"
)

// near compares numbers to ten digits. Those of a small probability are relative to it.
func near(got, want float64) bool { return math.Abs(got-want) <= 1e-10*math.Max(math.Abs(want), 1e-6) }

// TestWilson: the ends are those of statsmodels 0.15.0,
// statsmodels.stats.proportion.proportion_confint(right, of, 0.05, "wilson").
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		right, of int64
		low, high float64
	}{
		{0, 10, 0, 0.27753279986288926},
		{10, 10, 0.7224672001371106, 1},
		{1, 1, 0.2065493143772374, 1},
		{1, 3, 0.06149194472039626, 0.7923403991979523},
		{352, 360, 0.9567691737312188, 0.988697571908474},
		{3, 400, 0.002553889195249938, 0.021815720724032126},
		{399, 400, 0.9859767149241766, 0.9995585522131983},
		{500000, 1000000, 0.4990200198900048, 0.5009799801099952},
	} {
		s := Of(c.right, c.of)
		if !near(float64(s.Low), c.low) || !near(float64(s.High), c.high) || !near(float64(s.Share), float64(c.right)/float64(c.of)) {
			t.Errorf("%d of %d: %v, expected %v to %v", c.right, c.of, s, c.low, c.high)
		}
	}
	if s := Of(0, 0); !math.IsNaN(float64(s.Share)) || s.Low != 0 || s.High != 1 {
		t.Errorf("of nothing: %v", s)
	}
	if _, err := json.Marshal(Of(0, 0)); err != nil {
		t.Error(err)
	}
}

// TestMcNemar: the probabilities are those of statsmodels 0.15.0,
// statsmodels.stats.contingency_tables.mcnemar([[50, a], [b, 50]], exact=a+b<25, correction=True),
// which SciPy's binom.cdf and chi2.sf underlie.
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		a, b int64
		p    float64
		test string
		sure bool
	}{
		{0, 0, 1, ExactTest, false},
		{1, 0, 1, ExactTest, false},
		{0, 5, 0.0625, ExactTest, false},
		{0, 6, 0.03125, ExactTest, true},
		{6, 0, 0.03125, ExactTest, true},
		{3, 3, 1, ExactTest, false},
		{2, 10, 0.03857421875, ExactTest, true},
		{1, 8, 0.0390625, ExactTest, true},
		{24, 0, 1.1920928955078125e-07, ExactTest, true},
		{12, 12, 1, ExactTest, false},
		{7, 17, 0.06391465663909912, ExactTest, false},
		{25, 0, 1.5866563039511885e-06, ChiSquareTest, true},
		{10, 15, 0.4237107971667936, ChiSquareTest, false},
		{30, 12, 0.008711912962379598, ChiSquareTest, true},
		{121, 59, 5.450094825427117e-06, ChiSquareTest, true},
		{1000, 1100, 0.030745034758993192, ChiSquareTest, true},
		{500, 500, 1, ChiSquareTest, false}, // statsmodels corrects 0 to -1 and has 0.9748
	} {
		d := Pairs{c.a, c.b, c.a + c.b + 100}.Compare()
		if !near(float64(d.P), c.p) || d.Test != c.test || d.Significant != c.sure {
			t.Errorf("%d and %d: %v, expected %v by %s", c.a, c.b, d, c.p, c.test)
		}
	}
}

// TestDifference: the interval is that of the formula of Agresti and Min, computed once with NumPy.
func TestDifference(t *testing.T) {
	d := Pairs{OnlyA: 12, OnlyB: 4, Of: 400}.Compare()
	// a, b, n = 12.5, 4.5, 402; (b-a)/n ± 1.959963984540054·√(a+b-(b-a)²/n)/n
	if !near(float64(d.Difference), -0.02) || !near(float64(d.Low), -0.03990848217171747) || !near(float64(d.High), 0.00010748714684185104) {
		t.Errorf("got %v", d)
	}
	if d := (Pairs{OnlyA: 0, OnlyB: 1, Of: 1}).Compare(); d.High > 1 || d.Low < -1 || d.Difference != 1 {
		t.Errorf("of one thing: %v", d)
	}
}

// TestFalseAlarms: if neither side is better, the test finds a difference in at most 5 % of all cases,
// which are counted here with their probabilities.
func TestFalseAlarms(t *testing.T) {
	for _, n := range []int64{1, 6, 10, 24, 25, 60, 200} {
		alarm := 0.0
		for k := range n + 1 {
			if (Pairs{k, n - k, n}).Compare().Significant {
				a, _ := math.Lgamma(float64(n + 1))
				b, _ := math.Lgamma(float64(k + 1))
				c, _ := math.Lgamma(float64(n - k + 1))
				alarm += math.Exp(a - b - c - float64(n)*math.Ln2)
			}
		}
		if alarm > 0.05 {
			t.Errorf("%d discordant pairs: a difference in %.3f of all cases", n, alarm)
		}
	}
}

// TestAdd counts pairs.
func TestAdd(t *testing.T) {
	var p Pairs
	for _, x := range [][2]bool{{true, true}, {true, false}, {false, true}, {true, false}, {false, false}} {
		p.Add(x[0], x[1])
	}
	if want := (Pairs{2, 1, 5}); p != want {
		t.Errorf("got %v, expected %v", p, want)
	}
}
