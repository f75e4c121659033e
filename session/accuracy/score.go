package accuracy

import "lathe/session/proportion"

// Score is how often a model is right on rows whose correct classes are known.
type Score struct {
	Top1 *proportion.Share `json:"top1"`
	// Against compares it with the original. It is nil for the original.
	Against *proportion.Difference `json:"against_original"`
}

// Lost is how much less often the model is right than the original, in percentage points. It is negative
// for a gain.
func (s *Score) Lost() float64 { return -100*float64(s.Against.Difference) + 0 } // no -0
