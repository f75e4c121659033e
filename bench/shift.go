package bench

import (
	"math"
	"slices"
)

// Shift says how much longer a subject took at one time than at another.
//
// The two samples are the medians of blocks. They are not paired, since they were measured at
// different times. Ratio is the Hodges-Lehmann estimate of the shift between the logarithms of the
// two samples, which is the median of all pairwise differences, converted back to a ratio. CI95 is
// the corresponding interval, from the distribution of the rank-sum statistic of Wilcoxon, Mann and
// Whitney (M. Hollander, D. A. Wolfe and E. Chicken, Nonparametric Statistical Methods, 3rd
// edition, sections 4.2 and 4.3). It assumes that the two distributions differ only by a factor,
// and that the values are independent. Consecutive blocks are not independent, so neighbours are
// averaged until they no longer correlate.
//
// The interval does not include the state of the machine at each of the two times: temperature,
// other work, memory layout. Only measuring both in turns removes that.
type Shift struct {
	Ratio Number     `json:"ratio"`
	CI95  *[2]Number `json:"ci95"` // null if there are too few blocks
	// Groups is the number of groups into which neighbouring blocks were averaged, at the earlier
	// and at the later time. The interval is computed from these groups.
	Groups [2]int `json:"groups"`
	// Alike is set if consecutive groups still correlate, so that the interval is too narrow.
	Alike bool `json:"neighbours_alike"`
}

// fewestGroups is the number of groups below which blocks are not averaged any further. It is a
// little more than an interval with 95 % confidence needs.
const fewestGroups = 8

// ShiftOf returns how much longer a subject took at the later time. before and after are the
// medians of its blocks at the two times, each list in order of time. Each must contain at least
// one number, and only positive ones.
func ShiftOf(before, after []float64) Shift {
	a, alikeA := independent(before)
	b, alikeB := independent(after)
	differences := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			differences = append(differences, y-x)
		}
	}
	slices.Sort(differences)
	s := Shift{Ratio: Number(math.Exp(quantile(differences, 0.5))), Groups: [2]int{len(a), len(b)}, Alike: alikeA || alikeB}
	if k := rankSumQuantile(len(a), len(b)); k > 0 {
		s.CI95 = &[2]Number{Number(math.Exp(differences[k-1])), Number(math.Exp(differences[len(differences)-k]))}
	}
	return s
}

// independent returns the logarithms of values, of which it averages neighbouring ones in pairs
// until neighbours no longer correlate. alike is set if they still do when there are too few values
// to go on.
func independent(values []float64) (logs []float64, alike bool) {
	for _, v := range values {
		logs = append(logs, math.Log(v))
	}
	for len(logs) > maxGroups || tellsNext(logs) {
		if len(logs) < 2*fewestGroups {
			return logs, true
		}
		for i := range len(logs) / 2 {
			logs[i] = (logs[2*i] + logs[2*i+1]) / 2
		}
		logs = logs[:len(logs)/2]
	}
	return logs, false
}

// maxGroups limits the number of groups. ShiftOf compares each group of one list with each of the
// other, so the time grows with its square.
const maxGroups = 1000

// tellsNext reports whether each value helps to predict the next one: whether neighbours correlate
// more than in five of six sequences of independent values. The test is strict on purpose:
// averaging neighbours unnecessarily costs little, but missing a correlation makes the interval too
// narrow.
func tellsNext(values []float64) bool {
	n := float64(len(values))
	if n < fewestGroups {
		return false
	}
	center := mean(values)
	var own, next float64
	for i, v := range values {
		own += (v - center) * (v - center)
		if i > 0 {
			next += (v - center) * (values[i-1] - center)
		}
	}
	return own > 0 && next/own > 1/math.Sqrt(n)-1/n
}

// rankSumQuantile returns a quantile of Wilcoxon's rank-sum statistic for samples of n and m values
// from one distribution. The statistic is the number of pairs, one value from each sample, in which
// the first value is larger. The result is the largest k such that the statistic is below k with at
// most the probability that the interval leaves out on each side; 0 if there is none.
func rankSumQuantile(n, m int) int {
	const probability = (1 - intervalConfidence) / 2
	if min(n, m) > exactSizes || n*m > exactPairs {
		mean := float64(n) * float64(m) / 2
		deviation := math.Sqrt(mean * float64(n+m+1) / 6)
		return max(0, int(math.Floor(mean-deviation*math.Sqrt2*math.Erfinv(1-2*probability))))
	}
	below := 0.0
	for k, p := range rankSumDistribution(n, m) {
		below += p
		if below > probability {
			return k
		}
	}
	return 0
}

// The distribution is computed exactly if the smaller sample has at most exactSizes values and
// there are at most exactPairs pairs. Otherwise the normal distribution is a good approximation.
const (
	exactSizes = 20
	exactPairs = 2000
)

// rankSumDistribution returns the probability of each value of the rank-sum statistic: the number
// of pairs in which the value of the first sample is larger. It uses a recursion: the largest of
// all values is in the first sample with probability n/(n+m), and is then larger than each of the m
// values of the second.
func rankSumDistribution(n, m int) []float64 {
	row := make([][]float64, m+1) // for i and each size from 0 to m
	for j := range row {
		row[j] = []float64{1}
	}
	for i := 1; i <= n; i++ {
		next := [][]float64{{1}}
		for j := 1; j <= m; j++ {
			p := make([]float64, i*j+1)
			for u, q := range row[j] {
				p[u+j] += q * float64(i) / float64(i+j)
			}
			for u, q := range next[j-1] {
				p[u] += q * float64(j) / float64(i+j)
			}
			next = append(next, p)
		}
		row = next
	}
	return row[m]
}
