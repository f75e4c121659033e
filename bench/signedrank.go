package bench

import (
	"math"
	"slices"
)

// signedRankInterval returns the Hodges-Lehmann estimate of the centre of symmetrically distributed
// values, and the interval that contains the centre with the given confidence, from the
// distribution of Wilcoxon's signed-rank statistic (M. Hollander, D. A. Wolfe and E. Chicken,
// Nonparametric Statistical Methods, 3rd edition, sections 3.2 and 3.3). The interval is infinite
// if there are too few values. Nothing else is assumed about the distribution; for normally
// distributed values the interval is hardly wider than Student's.
func signedRankInterval(values []float64, confidence float64) interval {
	w := walsh{slices.Sorted(slices.Values(values))}
	m := w.count(math.Inf(1))
	i := interval{
		center: (w.nth((m+1)/2) + w.nth(m/2+1)) / 2,
		lo:     math.Inf(-1), hi: math.Inf(1),
	}
	if k := signedRankQuantile(len(values), (1-confidence)/2); k > 0 {
		i.lo, i.hi = w.nth(k), w.nth(m+1-k)
	}
	return i
}

// walsh represents the Walsh averages: the averages of all pairs of sorted values, including each
// value with itself. There are about n²/2 of them, so they are counted without being stored.
type walsh struct{ sorted []float64 }

// count returns the number of averages that are at most v.
func (w walsh) count(v float64) int {
	n, j := 0, len(w.sorted)-1
	for i := range w.sorted {
		for j >= 0 && (w.sorted[i]+w.sorted[j])/2 > v {
			j--
		}
		// pairs (i, 0…j); each pair of different values is counted twice
		n += j + 1
		if w.sorted[i] <= v {
			n++
		}
	}
	return n / 2
}

// nth returns the n-th smallest average, counted from 1. It finds it by bisection down to
// neighbouring floating-point numbers.
func (w walsh) nth(n int) float64 {
	lo, hi := w.sorted[0], w.sorted[len(w.sorted)-1]
	for lo < hi {
		middle := lo + (hi-lo)/2
		if middle <= lo || middle >= hi {
			break
		}
		if w.count(middle) >= n {
			hi = middle
		} else {
			lo = middle
		}
	}
	if w.count(lo) >= n {
		return lo
	}
	return hi
}

// exactRanks is the largest number of values for which the distribution of the statistic is
// computed exactly; above, the normal distribution is a good approximation.
const exactRanks = 100

// signedRankQuantile returns the largest k such that the signed-rank statistic of n values is below
// k with at most the given probability; 0 if there is none.
func signedRankQuantile(n int, probability float64) int {
	total := n * (n + 1) / 2
	if n > exactRanks {
		mean := float64(total) / 2
		deviation := math.Sqrt(float64(total) * float64(2*n+1) / 12)
		k := mean - deviation*math.Sqrt2*math.Erfinv(1-2*probability)
		return max(0, int(math.Floor(k)))
	}
	below := 0.0
	for k, p := range signedRankDistribution(n) {
		below += p
		if below > probability {
			return k
		}
	}
	return 0
}

// signedRankDistribution returns the probability of each value of the signed-rank statistic of n
// values. The statistic is distributed like the sum of the ranks from 1 to n, where each rank is
// included with probability 1/2.
func signedRankDistribution(n int) []float64 {
	p := make([]float64, n*(n+1)/2+1)
	p[0] = 1
	for rank := 1; rank <= n; rank++ {
		for sum := rank * (rank + 1) / 2; sum >= 0; sum-- {
			p[sum] /= 2
			if sum >= rank {
				p[sum] += p[sum-rank] / 2
			}
		}
	}
	return p
}
