package bench

import (
	"math"

	"lathe/graphops/tensor"
)

// Comparison says how much longer b takes than a.
//
// Ratio is the median of b over that of a. Its interval comes from the rounds: each round gives the logarithm of the ratio of the two blocks'
// medians, and CI95 is the interval of their centre (see signedRankInterval),
// turned back into ratios.
//
// What a round measured first and what second was drawn by lot. For two equal
// models each such logarithm is therefore positive or negative with the same
// probability and independently of the other rounds, whatever the machine was
// doing, however it drifted, and however alike neighbouring rounds were. That is
// all that the signed-rank test behind the interval needs: it is exact, as tests
// are that follow the design's own randomization (R. A. Fisher, The Design of
// Experiments, 1935).
type Comparison struct {
	A     string         `json:"a"`
	B     string         `json:"b"`
	Ratio tensor.Number  `json:"ratio"`           // p50(b)/p50(a)
	CI95  *[2]Number     `json:"ci95"`            // null with fewer than 6 rounds
	Round *tensor.Number `json:"ratio_of_rounds"` // the centre of CI95; null without rounds
	// Significant says that the interval of 99 % confidence does not hold 1: of
	// equal models one pair in a hundred is called different. Without an interval
	// no difference is significant.
	Significant bool `json:"significant"`
	Rounds      int  `json:"rounds"` // that both were measured in
	// Along is the option in which the two differ, one of the Along constants; "" in results of
	// versions that compared everything with the first subject.
	Along    string    `json:"along,omitempty"`
	Warnings []Warning `json:"warnings"`
}

// Number is a float64 that JSON can hold.
type Number = tensor.Number

// compareTracks compares b with a.
func compareTracks(a, b *track) Comparison {
	logs := pairRounds(a, b)
	c := Comparison{
		A: a.subject.Name(), B: b.subject.Name(), Rounds: len(logs), Warnings: []Warning{},
		Ratio: Number(medianInterval(b.blockMedians()).center / max(medianInterval(a.blockMedians()).center, 1e-6)),
	}
	if len(logs) < enoughRounds {
		c.Warnings = append(c.Warnings, fewRounds(len(logs)))
	}
	if len(logs) == 0 {
		return c
	}
	shown, certain := signedRankInterval(logs, intervalConfidence), signedRankInterval(logs, certainty)
	round := Number(math.Exp(shown.center))
	c.Round = &round
	c.Significant = certain.lo > 0 || certain.hi < 0
	if !shown.isFinite() {
		return c
	}
	c.CI95 = &[2]Number{Number(math.Exp(shown.lo)), Number(math.Exp(shown.hi))}
	if c.Ratio < c.CI95[0] || c.Ratio > c.CI95[1] {
		c.Warnings = append(c.Warnings, apart(c))
	}
	return c
}
