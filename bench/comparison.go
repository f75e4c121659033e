package bench

import (
	"math"

	"lathe/graphops/tensor"
)

// Comparison says how much longer b takes than a.
//
// Ratio is the median of b over that of a. The interval CI95 comes from the rounds. Each round
// gives the logarithm of the ratio of the two blocks' medians. CI95 is the confidence interval for
// the centre of these logarithms (see signedRankInterval), converted back to ratios.
//
// The order of the subjects within a round is random. For two equal models each logarithm is
// therefore positive or negative with the same probability, independently of the other rounds,
// whatever the machine was doing, however it drifted, and however similar neighbouring rounds were.
// This is all that the signed-rank test behind the interval requires. The test is exact, as are all
// tests based on the randomization of the design (R. A. Fisher, The Design of Experiments, 1935).
type Comparison struct {
	A     string         `json:"a"`
	B     string         `json:"b"`
	Ratio tensor.Number  `json:"ratio"`           // p50(b)/p50(a)
	CI95  *[2]Number     `json:"ci95"`            // null with fewer than 6 rounds
	CI99  *[2]Number     `json:"ci99,omitempty"`  // the same with 99 %; null with fewer than 8 rounds
	Round *tensor.Number `json:"ratio_of_rounds"` // the centre of CI95; null without rounds
	// Significant is set if CI99, the interval with 99 % confidence, does not contain 1. If many pairs of
	// equal models are compared, it is wrongly set for one pair in a hundred. It is never set
	// without an interval.
	Significant bool `json:"significant"`
	Rounds      int  `json:"rounds"` // rounds in which both were measured
	// Along is the option in which the two differ, one of the along constants. It is empty in
	// results of older versions of Lathe, which compared every subject with the first.
	Along    string    `json:"along,omitempty"`
	Warnings []Warning `json:"warnings"`
}

// Number is a float64 that JSON can hold.
type Number = tensor.Number

// compareTracks returns how much longer b takes than a.
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
	if certain.isFinite() {
		c.CI99 = &[2]Number{Number(math.Exp(certain.lo)), Number(math.Exp(certain.hi))}
	}
	if !shown.isFinite() {
		return c
	}
	c.CI95 = &[2]Number{Number(math.Exp(shown.lo)), Number(math.Exp(shown.hi))}
	if c.Ratio < c.CI95[0] || c.Ratio > c.CI95[1] || c.IsApart() {
		c.Warnings = append(c.Warnings, apart(c))
	}
	return c
}
