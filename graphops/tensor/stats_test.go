package tensor

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactStats computes mean and standard deviation with 2,000 bits.
func exactStats(xs []float64) (mean, std float64) {
	n := big.NewFloat(float64(len(xs))).SetPrec(2000)
	total := new(big.Float).SetPrec(2000)
	for _, x := range xs {
		total.Add(total, big.NewFloat(x))
	}
	m := new(big.Float).SetPrec(2000).Quo(total, n)
	squares := new(big.Float).SetPrec(2000)
	for _, x := range xs {
		d := new(big.Float).SetPrec(2000).Sub(big.NewFloat(x), m)
		squares.Add(squares, d.Mul(d, d))
	}
	mean, _ = m.Float64()
	std, _ = squares.Sqrt(squares.Quo(squares, n)).Float64()
	return mean, std
}

// series are number sequences that break careless formulas.
func series() map[string][]float64 {
	rng := rand.New(rand.NewPCG(5, 6))
	fill := func(n int, f func(i int) float64) []float64 {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = f(i)
		}
		return xs
	}
	normal := func(int) float64 { return rng.NormFloat64() }
	return map[string][]float64{
		"one":        {42},
		"constant":   fill(5000, func(int) float64 { return 0.1 }),
		"normal":     fill(5000, normal),
		"large mean": fill(5000, func(i int) float64 { return 1e9 + normal(i) }),
		"huge":       fill(5000, func(i int) float64 { return 1e307 * normal(i) }),
		"tiny":       fill(5000, func(i int) float64 { return 1e-300 * normal(i) }),
		"subnormal":  fill(5000, func(i int) float64 { return 5e-324 * float64(i%7) }),
		"growing":    fill(5000, func(i int) float64 { return math.Ldexp(normal(i), i/8-300) }),
		"shrinking":  fill(5000, func(i int) float64 { return math.Ldexp(normal(i), 300-i/8) }),
	}
}

// summarize describes a numeric tensor as a reader brings it.
func summarize(t Tensor) (Stats, error) {
	r, err := t.Reader()
	if err != nil {
		return Stats{}, err
	}
	for s := (Summary{}); ; {
		chunk, err := r.Float64s()
		if errors.Is(err, io.EOF) {
			return s.Stats(), nil
		}
		if err != nil {
			return Stats{}, err
		}
		s.Add(chunk)
	}
}

func TestStatsAgainstExactArithmetic(t *testing.T) {
	for name, xs := range series() {
		got, err := summarize(FromSlice(xs, int64(len(xs))))
		if err != nil {
			t.Fatal(err)
		}
		mean, std := exactStats(xs)
		if !near(float64(got.Mean), mean, 1e-13*std) {
			t.Errorf("%s: mean %v, want %v", name, got.Mean, mean)
		}
		if !near(float64(got.Std), std, 0) {
			t.Errorf("%s: std %v, want %v", name, got.Std, std)
		}
	}
}

// near reports agreement to 1e-13 relative, one step of a subnormal, or slack.
func near(got, want, slack float64) bool {
	if got == want || got != got && want != want {
		return true
	}
	return math.Abs(got-want) <= max(1e-13*math.Abs(want), slack, 5e-324)
}

func TestStatsOfNonFinite(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	got, err := summarize(FromSlice([]float64{nan, 3, inf, -1, -inf, nan}, 6))
	if err != nil {
		t.Fatal(err)
	}
	want := Stats{Count: 6, Min: -1, Max: 3, Mean: 1, Std: 2, NaN: 2, Inf: 2}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, xs := range [][]float64{{}, {nan}, {inf, nan}} {
		got, err := summarize(FromSlice(xs, int64(len(xs))))
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []Number{got.Min, got.Max, got.Mean, got.Std} {
			if n == n {
				t.Errorf("%v: %+v has a number without a finite element", xs, got)
			}
		}
	}
}

func TestStatsOfLateFirstNumber(t *testing.T) {
	xs := make([]float64, 3*chunkNumbers)
	for i := range xs {
		xs[i] = math.NaN()
	}
	xs[len(xs)-1] = 7
	got, err := summarize(FromSlice(xs, int64(len(xs))))
	if err != nil {
		t.Fatal(err)
	}
	if got.Min != 7 || got.Max != 7 || got.Mean != 7 || got.Std != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestNumberJSON(t *testing.T) {
	for _, c := range []struct {
		n    float64
		want string
	}{
		{0.1, "0.1"},
		{1e-300, "1e-300"},
		{math.NaN(), `"NaN"`},
		{math.Inf(1), `"Infinity"`},
		{math.Inf(-1), `"-Infinity"`},
	} {
		got, err := json.Marshal(Number(c.n))
		if err != nil || string(got) != c.want {
			t.Errorf("%v: %s, %v; want %s", c.n, got, err, c.want)
		}
		var back Number
		if err := json.Unmarshal(got, &back); err != nil || !near(float64(back), c.n, 0) {
			t.Errorf("%s read back as %v, %v", got, back, err)
		}
	}
	var n Number
	for _, bad := range []string{`"nan"`, `[]`, `true`} {
		if err := json.Unmarshal([]byte(bad), &n); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}
