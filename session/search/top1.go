package search

import (
	"math"

	"lathe/session/proportion"
)

// Top1 counts the rows whose label has the highest score. A of the pairs is the original.
type Top1 struct {
	Output string `json:"output"`
	Right  int64  `json:"right"`
	proportion.Pairs
}

// same is the number of rows up to which a loss equals its limit, because limits are decimal fractions.
const same = 1e-9

// load returns the part of a limit that the loss uses. A gain uses nothing.
func (t *Top1) load(bound float64) float64 {
	lost, allowed := float64(t.OnlyA-t.OnlyB), bound*float64(t.Of)
	switch {
	case lost <= 0:
		return 0
	case lost <= allowed+same:
		return math.Min(1, lost/allowed)
	}
	return lost / allowed
}

// noise returns the noise of the output with the scores.
func (t *Top1) noise(o *Outcome) float64 {
	for _, e := range o.Errors {
		if e.Output == t.Output {
			return float64(e.Noise)
		}
	}
	return 0
}
