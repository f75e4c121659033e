package stepwise

import (
	"fmt"
	"math"

	"lathe/graphops/tensor"
	"lathe/session/compare"
)

// slack is how many times the model's own rounding a difference may be. Packages proof and compare
// allow the same factor.
const slack = 10

// noise is how far an output is from itself if only rounding differs.
type noise struct {
	max, sum, signal float64 // the largest difference, and sums of squares of differences and elements
	n                int64
}

func (n *noise) add(a, b []float64) {
	for i := range min(len(a), len(b)) {
		diff := math.Abs(a[i] - b[i])
		n.max, n.sum, n.signal = math.Max(n.max, diff), n.sum+diff*diff, n.signal+a[i]*a[i]
		n.n++
	}
}

// snr returns the signal-to-noise ratio in dB.
func (n *noise) snr() float64 { return 10 * math.Log10(n.signal/n.sum) }

// judge decides whether two rows differ.
type judge struct {
	tol     tensor.Tolerance
	asked   bool // the user gave the tolerance, so that rounding does not matter
	own     map[string]*noise
	leastDB float64 // the signal-to-noise ratio that the model must have compared with itself
	nearest float64 // the largest share of the tolerance that was used
	why     string
}

func newJudge(o *Options, elem tensor.DType) *judge {
	j := &judge{tol: compare.ToleranceAfterSum(elem, o.Precision), leastDB: compare.MinOwnSNR(elem, o.Precision), why: elem.String()}
	if o.Precision != tensor.Undefined && o.Precision != elem {
		j.why = fmt.Sprintf("%s, in which it computes", o.Precision)
	}
	if o.Quantized {
		j.leastDB = compare.MinSNR
	}
	if j.asked = o.RTol != nil || o.ATol != nil; j.asked {
		j.why = "as asked"
	}
	if o.RTol != nil {
		j.tol.RTol = *o.RTol
	}
	if o.ATol != nil {
		j.tol.ATol = *o.ATol
	}
	return j
}

// gap is how far two rows are from each other.
type gap struct {
	abs  float64
	at   int     // the element that is the furthest beyond its tolerance
	used float64 // share of the tolerance, above 1 if the rows differ
}

// gap compares two rows of an output. The absolute tolerance grows with the magnitude of the row,
// because a sum whose terms cancel has an error as large as its terms.
func (j *judge) gap(output string, a, b []float64) gap {
	if len(a) != len(b) {
		return gap{abs: math.Inf(1), used: math.Inf(1)}
	}
	scale := 1.0
	if !j.asked {
		scale = math.Max(1, tensor.RMS(a))
	}
	var g gap
	for i := range a {
		diff := math.Abs(a[i] - b[i])
		switch {
		case a[i] == b[i] || math.IsNaN(a[i]) && math.IsNaN(b[i]):
			continue
		case math.IsNaN(diff) || math.IsInf(diff, 0):
			return gap{abs: math.Inf(1), at: i, used: math.Inf(1)}
		}
		used := diff / (j.tol.ATol*scale + j.tol.RTol*math.Abs(a[i]))
		if used > g.used {
			g.used, g.at = used, i
		}
		g.abs = math.Max(g.abs, diff)
	}
	if own := j.own[output]; own != nil && own.max > 0 && g.used > 1 {
		g.used = math.Min(g.used, g.abs/(slack*own.max))
	}
	return g
}

// differs reports whether two rows differ, and remembers how near rows that do not are to their limit.
func (j *judge) differs(g gap) bool {
	if g.used <= 1 {
		j.nearest = math.Max(j.nearest, g.used)
	}
	return !(g.used <= 1)
}
