package proportion

import (
	"math"

	"lathe/graphops/tensor"
)

// Share is how many of some things are right.
type Share struct {
	Right int64         `json:"right"`
	Of    int64         `json:"of"`
	Share tensor.Number `json:"share"`
	// Low and High are the ends of the 95 % interval, as if the things were independent.
	Low  tensor.Number `json:"low"`
	High tensor.Number `json:"high"`
}

// Z95 is the number for which 95 % of a normal distribution are between it and its negative.
const Z95 = 1.959963984540054

// Of returns a share with its interval. Without things the interval is from 0 to 1, and the share is
// NaN.
func Of(right, of int64) Share {
	s := Share{Right: right, Of: of, Share: tensor.Number(math.NaN()), High: 1}
	if of == 0 {
		return s
	}
	low, high := Wilson(right, of)
	s.Share, s.Low, s.High = tensor.Number(float64(right)/float64(of)), tensor.Number(low), tensor.Number(high)
	return s
}

// Wilson returns the 95 % score interval of a share (E. B. Wilson, "Probable inference, the law of
// succession, and statistical inference", Journal of the American Statistical Association 22, 1927):
// the shares p for which right is within z·√(p(1-p)/of) of p. Unlike p ± z·√(p(1-p)/of) it stays
// between 0 and 1, and it is not a single point if all or none are right.
func Wilson(right, of int64) (low, high float64) {
	n, p := float64(of), float64(right)/float64(of)
	middle, half := p+Z95*Z95/(2*n), Z95*math.Sqrt(p*(1-p)/n+Z95*Z95/(4*n*n))
	scale := 1 + Z95*Z95/n
	low, high = math.Max(0, (middle-half)/scale), math.Min(1, (middle+half)/scale)
	if right == 0 {
		low = 0 // exactly, which rounding may miss
	}
	if right == of {
		high = 1
	}
	return low, high
}
