package tensor

import "math"

// comparison collects Metrics chunk by chunk.
type comparison struct {
	tol   Tolerance
	shape []int64
	m     Metrics

	scale        scale
	abs, rel     sum // of |a-b|, scaled, and of relative errors
	aa, bb, ab   sum // of products, scaled twice
	dd           sum // of (a-b)², scaled twice
	worst        int64
	worstA       float64
	worstB       float64
	worstAbs     float64
	argmax       *argmax // nil where no axis is looked at
	as, bs, diff [chunkNumbers]float64
}

func newComparison(d DType, shape []int64, tol Tolerance) *comparison {
	c := &comparison{tol: tol, shape: shape, worst: -1}
	c.m.RelFloor = tol.relFloor()
	if d.Components() == 2 {
		c.shape = append(append([]int64(nil), shape...), 2)
	}
	if rank := len(shape); d.Kind() == KindFloat && rank > 0 && shape[rank-1] > 1 {
		c.argmax = &argmax{length: shape[rank-1]}
	}
	return c
}

// add takes in the next pairs with their differences a-b, which the caller
// takes because only it knows how to without rounding.
func (c *comparison) add(as, bs, diffs []float64) {
	c.rescale(as, bs)
	down := c.scale.down()
	for i, a := range as {
		b := bs[i]
		if isFinite(a) && isFinite(b) {
			c.addFinite(a, b, diffs[i], down)
		} else {
			c.addOther(a, b)
		}
		c.m.Total++
	}
	if c.argmax != nil {
		c.argmax.add(as, bs)
	}
}

// rescale makes room for the largest magnitude among the next numbers.
func (c *comparison) rescale(as, bs []float64) {
	largest := 0.0
	for i, a := range as {
		if b := bs[i]; isFinite(a) && isFinite(b) {
			largest = max(largest, math.Abs(a), math.Abs(b))
		}
	}
	factor := c.scale.raise(largest)
	if factor == 1 {
		return
	}
	c.abs.multiply(factor)
	for _, s := range []*sum{&c.aa, &c.bb, &c.ab, &c.dd} {
		s.multiply(factor * factor)
	}
}

func (c *comparison) addFinite(a, b, diff, down float64) {
	abs, size := math.Abs(diff), math.Abs(a)
	c.m.Finite++
	c.addRelative(abs, size)

	sa, sb, sd := a*down, b*down, diff*down
	if abs > math.MaxFloat64 { // the numbers fit a float64, their distance does not
		sd = sa - sb
	}
	c.abs.add(math.Abs(sd))
	c.aa.add(sa * sa)
	c.bb.add(sb * sb)
	c.ab.add(sa * sb)
	c.dd.add(sd * sd)

	limit := c.tol.ATol + c.tol.RTol*size
	if abs > limit {
		c.m.Mismatched++
	}
	// The product spares most pairs the division; its slack covers rounding.
	if abs*(1+1e-15) >= c.m.Used*limit || limit == 0 || c.worst < 0 {
		c.note(ratio(abs, limit), abs, a, b)
	}
}

func (c *comparison) addRelative(abs, size float64) {
	if abs > c.m.MaxAbs {
		c.m.MaxAbs = abs
	}
	if size < c.m.RelFloor {
		size = c.m.RelFloor
	}
	relative := ratio(abs, size)
	if relative > c.m.MaxRel {
		c.m.MaxRel = relative
	}
	c.rel.add(relative)
}

// addOther compares a pair of which one is NaN or infinite.
func (c *comparison) addOther(a, b float64) {
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
	if !differs {
		c.note(0, 0, a, b)
		return
	}
	c.m.Mismatched++
	c.note(math.Inf(1), math.Inf(1), a, b)
}

// note remembers the pair if it takes more of the tolerance than any before,
// or as much at a larger distance.
func (c *comparison) note(used, abs, a, b float64) {
	if c.worst >= 0 && (used < c.m.Used || used == c.m.Used && abs <= c.worstAbs) {
		return
	}
	c.m.Used, c.worst = used, c.m.Total
	c.worstA, c.worstB, c.worstAbs = a, b, abs
}

// ratio is x/y, and 0 for 0/0: no error is no error under any tolerance.
func ratio(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x / y
}

// metrics gives what was collected.
func (c *comparison) metrics() Metrics {
	m := c.m
	if c.worst >= 0 {
		m.Worst = &Worst{Index: unravel(c.worst, c.shape), A: c.worstA, B: c.worstB}
	}
	if c.argmax != nil {
		m.ArgmaxRows, m.ArgmaxAgree = c.argmax.rows, c.argmax.agree
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

// withoutPairs sets the metrics of finite pairs when there are none.
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
