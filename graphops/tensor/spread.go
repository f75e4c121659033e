package tensor

import (
	"io"
	"math"
	"slices"
)

// Spread is the mean and the standard deviation of some numbers.
type Spread struct{ Mean, Deviation float32 }

// Spreads reads n float32s twice and returns the spread of each channel. Each step is rounded as in
// numpy.std. If a result in float32 is not finite, everything is computed in float64, and wide is
// true. NaN and infinities in the data give a NotFiniteError.
func Spreads(open func() io.Reader, n int64, c Channels) (spreads []Spread, wide bool, err error) {
	if n == 0 || c.Count == 0 {
		return make([]Spread, c.Count), false, nil
	}
	if spreads, err = spreadsIn[float32](open, n, c); err != nil {
		return nil, false, err
	}
	finite := func(s Spread) bool { return s.Deviation-s.Deviation == 0 }
	if !slices.ContainsFunc(spreads, func(s Spread) bool { return !finite(s) }) {
		return spreads, false, nil
	}
	inFull, err := spreadsIn[float64](open, n, c)
	for i, s := range spreads {
		if err == nil && !finite(s) {
			spreads[i] = inFull[i]
		}
	}
	return spreads, true, err
}

// spreadsIn computes the spreads with all steps in type N.
func spreadsIn[N float32 | float64](open func() io.Reader, n int64, c Channels) ([]Spread, error) {
	each := n / c.Count
	sums := func(of func(channel int64, x N) N) ([]N, error) {
		adding := make([]Pairwise[N], c.Count)
		for i := range adding {
			adding[i] = NewPairwise[N](int(each))
		}
		err := eachNumber(open(), n, c, func(channel int64, x float32) { adding[channel].Add(of(channel, N(x))) })
		out := make([]N, c.Count)
		for i := range adding {
			out[i] = N(float64(adding[i].Sum()) / float64(each))
		}
		return out, err
	}
	means, err := sums(func(_ int64, x N) N { return x })
	if err != nil {
		return nil, err
	}
	variances, err := sums(func(channel int64, x N) N {
		x -= means[channel]
		return x * x
	})
	out := make([]Spread, c.Count)
	for i, v := range variances {
		out[i] = Spread{float32(means[i]), float32(math.Sqrt(float64(v)))}
	}
	return out, err
}

// eachNumber calls f with each of n finite float32s, in order.
func eachNumber(src io.Reader, n int64, c Channels, f func(channel int64, x float32)) error {
	return eachFloat32(src, n, func(at int64, raw []byte) error {
		if i := firstNotFinite(raw); i >= 0 {
			return &NotFiniteError{at + int64(i), float32At(raw, i)}
		}
		c.each(at, len(raw)/4, func(channel int64, i int) { f(channel, float32At(raw, i)) })
		return nil
	})
}
