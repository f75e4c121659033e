package calibration

import (
	"fmt"
	"math"
)

// Entropy returns the range that loses the least information. For each candidate range, the counts
// outside are added to the first and last bin inside, and the counts inside are merged into the
// given number of bins. The loss is the Kullback-Leibler divergence between the two distributions.
// If several ranges have the smallest loss, it returns the narrowest of them.
func (h *Histogram) Entropy(bins int) (Range, error) {
	zero := len(h.Counts) / 2
	if bins < 1 || bins/2 > zero {
		return Range{}, fmt.Errorf("a histogram cannot be merged into %d bins, expected 1 to %d, the number of its bins", bins, len(h.Counts))
	}
	best, least := Range{}, math.NaN()
	for i := bins / 2; i <= zero; i++ {
		start, end := zero-i, min(zero+i+1, len(h.Counts))
		// rounded to the type of the elements, as in the reference; many losses of float16 tensors
		// are then equal
		loss := h.Elem.Round(h.loss(start, end, bins))
		if least != least || loss < least {
			best, least = Range{h.Edges[start], h.Edges[end]}, loss
		}
	}
	return h.within(best), nil
}

// loss returns the loss of the range that covers the bins from start up to but not including end.
func (h *Histogram) loss(start, end, bins int) float64 {
	inside := h.Counts[start:end]
	p := append([]int64(nil), inside...)
	p[0] += total(h.Counts[:start])
	p[len(p)-1] += total(h.Counts[end:])
	return divergence(smooth(p), smooth(merged(inside, p, bins)))
}

// merged returns the counts merged into fewer bins, and then distributed again: the sum of a merged
// bin is divided by the number of its positions that are not zero in whole. As in the reference,
// the quotient is rounded down, so that remainders are lost, and it is also written to positions
// that are zero.
func merged(counts, whole []int64, bins int) []int64 {
	out := make([]int64, len(counts))
	each := len(counts) / bins
	for k := range bins {
		part := counts[k*each : (k+1)*each]
		sum := total(part)
		if k == bins-1 {
			sum += total(counts[bins*each:])
		}
		places := int64(0)
		for _, c := range whole[k*each : (k+1)*each] {
			if c != 0 {
				places++
			}
		}
		if places == 0 {
			continue
		}
		for i := range part {
			out[k*each+i] = int64(float64(sum) / float64(places))
		}
	}
	return out
}

func total(counts []int64) int64 {
	sum := int64(0)
	for _, c := range counts {
		sum += c
	}
	return sum
}

// smooth moves a small part of the non-zero counts to the zeros, so that quotients of two such
// lists are finite. It returns nil if all counts are zero. It also returns nil if there are so many
// zeros that they would take all that a count of 1 has; the reference then fails with an assertion.
func smooth(counts []int64) []float32 {
	const little = 0.0001
	zeros := 0
	for _, c := range counts {
		if c == 0 {
			zeros++
		}
	}
	if zeros == len(counts) {
		return nil
	}
	taken := little * float64(zeros) / float64(len(counts)-zeros)
	if taken >= 1 {
		return nil
	}
	out := make([]float32, len(counts))
	for i, c := range counts {
		if c == 0 {
			out[i] = little
		} else {
			out[i] = float32(c) + float32(-taken)
		}
	}
	return out
}

// divergence returns the Kullback-Leibler divergence of p from q, after dividing each list by its
// sum. It is infinite if one of the lists is nil.
func divergence(p, q []float32) float64 {
	if p == nil || q == nil {
		return math.Inf(1)
	}
	sumP, sumQ := pairwise(p), pairwise(q)
	terms := make([]float32, len(p))
	for i := range p {
		a, b := p[i]/sumP, q[i]/sumQ
		if !(a > 0 && b > 0) {
			return math.Inf(1)
		}
		terms[i] = a * float32(math.Log(float64(a/b)))
	}
	return float64(pairwise(terms))
}
