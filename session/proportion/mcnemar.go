package proportion

import (
	"math"

	"lathe/graphops/tensor"
)

// The tests that Compare chooses from.
const (
	ExactTest     = "exact binomial"
	ChiSquareTest = "chi-square with continuity correction"
)

// fewDiscordant is the number of discordant pairs below which the exact test is used. From there on
// its normal approximation is good enough.
const fewDiscordant = 25

// significance is the probability of a difference by chance below which two sides count as different.
const significance = 0.05

// Pairs counts things that two sides were tried on: those that only one side got right. These alone
// say which side is better.
type Pairs struct {
	OnlyA int64 `json:"only_a"`
	OnlyB int64 `json:"only_b"`
	Of    int64 `json:"of"` // all things
}

// Add counts one thing.
func (p *Pairs) Add(a, b bool) {
	p.Of++
	switch {
	case a && !b:
		p.OnlyA++
	case b && !a:
		p.OnlyB++
	}
}

// Difference compares the shares of two sides that were tried on the same things.
type Difference struct {
	Pairs
	// Difference is the share of B less that of A. Low and High are the ends of its 95 % interval.
	Difference tensor.Number `json:"difference"`
	Low        tensor.Number `json:"low"`
	High       tensor.Number `json:"high"`
	// P is how probable such a difference is by chance, or a larger one, if neither side is better.
	P    tensor.Number `json:"p"`
	Test string        `json:"test"`
	// Significant says that the sides differ: P is below 0.05.
	Significant bool `json:"significant"`
}

// Compare tests whether the sides differ (Q. McNemar, "Note on the sampling error of the difference
// between correlated proportions or percentages", Psychometrika 12, 1947). If neither is better, each
// of the n discordant pairs is as likely to be OnlyA as OnlyB. With fewer than 25 of them,
//
//	p = min(1, 2·Σ C(n,i)/2ⁿ for i from 0 to min(OnlyA, OnlyB))
//
// and otherwise (|OnlyA-OnlyB|-1)²/n is compared with the chi-square distribution of one degree of
// freedom (the correction is that of A. L. Edwards, Psychometrika 13, 1948).
func (p Pairs) Compare() Difference {
	d := Difference{Pairs: p, Test: ExactTest}
	n := p.OnlyA + p.OnlyB
	if n < fewDiscordant {
		d.P = tensor.Number(exact(min(p.OnlyA, p.OnlyB), n))
	} else {
		d.Test = ChiSquareTest
		d.P = tensor.Number(chiSquare(p.OnlyA, p.OnlyB))
	}
	d.Significant = float64(d.P) < significance
	d.Difference, d.Low, d.High = p.interval()
	return d
}

// exact returns twice the probability of at most k of n fair coins, but at most 1.
func exact(k, n int64) float64 {
	sum, term := 0.0, 1.0 // term is C(n,i)
	for i := range k + 1 {
		sum += term
		term *= float64(n-i) / float64(i+1)
	}
	return math.Min(1, 2*sum*math.Pow(2, -float64(n)))
}

// chiSquare returns the probability beyond the corrected statistic. The correction does not make equal
// counts differ.
func chiSquare(a, b int64) float64 {
	off := math.Max(0, math.Abs(float64(a-b))-1)
	return math.Erfc(off / math.Sqrt(2*float64(a+b)))
}

// interval returns the difference of the shares and its 95 % interval: Wald's, after half a thing was
// added to each of the four counts (A. Agresti and Y. Min, "Simple improved confidence intervals for
// comparing matched proportions", Statistics in Medicine 24, 2005).
func (p Pairs) interval() (difference, low, high tensor.Number) {
	a, b, n := float64(p.OnlyA)+0.5, float64(p.OnlyB)+0.5, float64(p.Of)+2
	middle := (b - a) / n
	half := Z95 * math.Sqrt(math.Max(0, a+b-(b-a)*(b-a)/n)) / n
	difference = tensor.Number(float64(p.OnlyB-p.OnlyA) / float64(p.Of))
	return difference, tensor.Number(math.Max(-1, middle-half)), tensor.Number(math.Min(1, middle+half))
}
