package tensor

import "math"

// comparison collects Metrics chunk by chunk.
type comparison struct {
	dtypeA, dtypeB DType
	tol            Tolerance
	shape          []int64
	m              Metrics

	scale      scale
	abs, rel   sum // of |a-b|, scaled, and of relative errors
	aa, bb, ab sum // of products, scaled twice
	dd         sum // of (a-b)², scaled twice
	worst      int64
	worstA     float64
	worstB     float64
	worstAbs   float64
	rows       *rowPeaks // nil if rows are not compared
	ulps       *ulps     // nil for types without a ULP
	beside     *beside   // nil if plots are not needed

	// wide reports that the square of a number can exceed the range of float64. If so, numbers are
	// scaled before they are squared.
	wide bool

	as, bs, diff     [chunkNumbers]float64
	scaledA, scaledB []float64
	intA, intB       []int64 // for integers
}

func newComparison(a, b DType, shape []int64, tol Tolerance) *comparison {
	c := &comparison{dtypeA: a, dtypeB: b, tol: tol, shape: shape, worst: -1}
	c.m.RelFloor = tol.relFloor()
	c.wide = isWide(a) || isWide(b)
	if a.Components() == 2 {
		c.shape = append(append([]int64(nil), shape...), 2)
	}
	if rank := len(shape); a.Kind() == KindFloat && rank > 0 && shape[rank-1] > 1 {
		c.rows = &rowPeaks{length: shape[rank-1]}
	}
	if a == b {
		c.ulps = newULPs(a)
	}
	return c
}

// isWide reports whether squares of numbers of the type, or sums of such squares, can exceed the
// range of float64.
func isWide(d DType) bool { return d == F64 || d == C128 }

// add adds the next pairs. diffs are the differences a-b. The caller computes them, because for
// integers they must be computed before rounding to float64. All three slices are overwritten.
func (c *comparison) add(as, bs, diffs []float64) {
	if len(as) == 0 {
		return
	}
	if c.beside != nil {
		c.beside.add(as, bs, diffs)
	}
	if c.rows != nil {
		c.rows.add(as, bs)
	}
	if c.worst < 0 {
		c.note(0, 0, 0, as[0], bs[0])
	}
	if !c.squared(as, bs) {
		c.setApart(as, bs, diffs)
		c.squared(as, bs)
	}
	for lo := 0; lo < len(as); lo += blockNumbers {
		hi := min(lo+blockNumbers, len(as))
		c.addErrors(lo, as[lo:hi], bs[lo:hi], diffs[lo:hi])
	}
	c.m.Total += int64(len(as))
	c.m.Finite += int64(len(as))
}

// addEqual is add for a chunk whose bytes are equal in both tensors.
func (c *comparison) addEqual(as []float64) {
	if len(as) == 0 {
		return
	}
	if c.beside != nil {
		c.beside.add(as, as, nil)
	}
	if c.rows != nil {
		c.rows.addEqual(as)
	}
	if c.worst < 0 {
		c.note(0, 0, 0, as[0], as[0])
	}
	if !c.squared(as, nil) {
		c.setApartEqual(as)
		c.squared(as, nil)
	}
	c.m.Total += int64(len(as))
	c.m.Finite += int64(len(as))
}

// squared adds the squares and products of pairs to their sums. bs is nil if all pairs are equal.
// If some pairs cannot be added directly, it adds nothing and returns false; see setApart.
func (c *comparison) squared(as, bs []float64) bool {
	if c.wide {
		largest := largestOf(as, bs)
		if largest > halfRange {
			return false
		}
		c.rescale(largest)
		as, bs = c.scaled(as, &c.scaledA), c.scaled(bs, &c.scaledB)
	}
	if bs == nil {
		return c.addSquares(as)
	}
	return c.addProducts(as, bs)
}

// scaled returns the numbers divided by the scale, or nil for nil.
func (c *comparison) scaled(xs []float64, into *[]float64) []float64 {
	down := c.scale.down()
	if down == 1 || xs == nil {
		return xs
	}
	if *into == nil {
		*into = make([]float64, chunkNumbers)
	}
	out := (*into)[:len(xs)]
	for i, x := range xs {
		out[i] = x * down
	}
	return out
}

// halfRange is half of the largest float64. If two numbers do not exceed it, their difference is
// finite. Larger numbers, infinities and NaN are handled separately.
const halfRange = math.MaxFloat64 / 2

// largestOf returns the largest magnitude in two lists. It is +Inf if one of the numbers is NaN.
func largestOf(as, bs []float64) float64 {
	const magnitude, infinite = 1<<63 - 1, 0x7FF << 52
	x, y := uint64(0), uint64(0)
	for _, a := range as {
		x = max(x, math.Float64bits(a)&magnitude)
	}
	for _, b := range bs {
		y = max(y, math.Float64bits(b)&magnitude)
	}
	return math.Float64frombits(min(max(x, y), infinite))
}

// rescale enlarges the scale, and adjusts the sums, if a magnitude is the largest so far.
func (c *comparison) rescale(largest float64) {
	factor := c.scale.raise(largest)
	if factor == 1 {
		return
	}
	c.abs.multiply(factor)
	for _, s := range []*sum{&c.aa, &c.bb, &c.ab, &c.dd} {
		s.multiply(factor * factor)
	}
}

// setApart handles the pairs that squared cannot add: those with a number that is not finite, and
// those with an infinite difference. In the slices it replaces them by pairs of zeros, which do not
// change any sum.
func (c *comparison) setApart(as, bs, diffs []float64) {
	for i, a := range as {
		b := bs[i]
		switch {
		case !IsFinite(a) || !IsFinite(b):
			c.addOther(int64(i), a, b)
		case math.Abs(diffs[i]) > math.MaxFloat64: // both numbers are finite, but their distance is not
			c.addDistant(int64(i), a, b)
		default:
			continue
		}
		as[i], bs[i], diffs[i] = 0, 0, 0
	}
}

func (c *comparison) setApartEqual(as []float64) {
	for i, a := range as {
		if !IsFinite(a) {
			c.addOther(int64(i), a, a)
			as[i] = 0
		}
	}
}

// addDistant adds a pair of finite numbers whose difference is infinite. The caller also adds a
// pair of zeros in its place, which counts it.
func (c *comparison) addDistant(i int64, a, b float64) {
	c.rescale(max(math.Abs(a), math.Abs(b)))
	down := c.scale.down()
	sa, sb := a*down, b*down
	c.abs.add(math.Abs(sa - sb))
	c.rel.add(math.Inf(1))
	c.aa.add(sa * sa)
	c.bb.add(sb * sb)
	c.ab.add(sa * sb)
	c.dd.add((sa - sb) * (sa - sb))
	c.m.MaxAbs, c.m.MaxRel = math.Inf(1), math.Inf(1)
	c.m.Mismatched++
	c.note(i, math.Inf(1), math.Inf(1), a, b)
}

// addOther compares a pair in which a number is NaN or infinite. The caller also adds a pair of
// zeros in its place, which counts it.
func (c *comparison) addOther(i int64, a, b float64) {
	c.m.Finite--
	nan := a != a || b != b
	differs := a != b && !(a != a && b != b)
	if nan {
		c.m.NaN++
	}
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		c.m.Inf++
		if differs {
			c.m.InfMismatched++
		}
	}
	if nan && differs {
		c.m.NaNMismatched++
	}
	if differs {
		c.m.Mismatched++
		c.note(i, math.Inf(1), math.Inf(1), a, b)
	}
}

// note records pair i of the chunk as the worst so far, unless an earlier one used more of the
// tolerance, or as much with at least the same difference.
func (c *comparison) note(i int64, used, abs, a, b float64) {
	if c.worst >= 0 && (used < c.m.Used || used == c.m.Used && abs <= c.worstAbs) {
		return
	}
	c.m.Used, c.worst = used, c.m.Total+i
	c.worstA, c.worstB, c.worstAbs = a, b, abs
}

// metrics returns the collected metrics.
func (c *comparison) metrics() Metrics {
	m := c.m
	if c.worst >= 0 {
		m.Worst = &Worst{Index: unravel(c.worst, c.shape), A: c.worstA, B: c.worstB}
	}
	if c.rows != nil {
		c.rows.report(&m)
	}
	if c.ulps != nil {
		m.ULP = c.ulps.report(m.Finite)
	}
	if m.Finite == 0 {
		c.withoutPairs(&m)
		return m
	}
	n := float64(m.Finite)
	m.MeanAbs = c.scale.up(c.abs.value() / n)
	m.MeanRel = c.rel.value() / n
	m.RMS = c.scale.up(math.Sqrt(c.dd.value() / n))
	m.RMSA = c.scale.up(math.Sqrt(c.aa.value() / n))
	m.Cosine = cosine(c.aa.value(), c.bb.value(), c.ab.value())
	m.SNR = math.Inf(1)
	if noise := c.dd.value(); noise > 0 {
		m.SNR = 10 * math.Log10(c.aa.value()/noise)
	}
	return m
}

// withoutPairs sets the metrics that cover finite pairs, for a comparison without such pairs.
func (c *comparison) withoutPairs(m *Metrics) {
	m.Cosine, m.SNR = 1, math.Inf(1)
	if m.Mismatched > 0 {
		nan := math.NaN()
		m.MaxAbs, m.MeanAbs, m.MaxRel, m.MeanRel = nan, nan, nan, nan
		m.RMS, m.RMSA, m.Cosine, m.SNR = nan, nan, nan, nan
	}
}

func cosine(aa, bb, ab float64) float64 {
	switch {
	case aa == 0 && bb == 0:
		return 1
	case aa == 0 || bb == 0:
		return 0
	}
	return max(-1, min(1, ab/(math.Sqrt(aa)*math.Sqrt(bb))))
}
