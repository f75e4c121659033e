package tensor

import "math"

// blockNumbers is the number of terms that are added in a simple way before their sum is added with
// compensation for rounding. For terms of one sign the error is at most 3e-14 of the sum, and
// typically a hundredth of that.
const blockNumbers = 256

// addProducts adds the squares and products of scaled pairs to their sums. If one of the results is
// not finite, it adds nothing and returns false.
func (c *comparison) addProducts(as, bs []float64) bool {
	aa, bb, ab := c.aa, c.bb, c.ab
	for len(as) > 0 {
		n := min(blockNumbers, len(as))
		pa, pb := products(as[:n], bs[:n], &ab)
		aa.add(pa)
		bb.add(pb)
		as, bs = as[n:], bs[n:]
	}
	if !IsFinite(aa.total) || !IsFinite(bb.total) {
		return false
	}
	c.aa, c.bb, c.ab = aa, bb, ab
	return true
}

// products returns the sums of a² and b², and adds the products a·b to ab. Products can cancel, so
// their sums over four pairs are added with compensation for rounding. Several sums are computed in
// parallel, because in a single sum each addition would wait for the previous one.
func products(as, bs []float64, ab *sum) (aa, bb float64) {
	var a0, a1, b0, b1 float64
	ps := *ab
	bs = bs[:len(as)]
	for len(as) >= 4 && len(bs) >= 4 {
		p, q, r, s := as[0], as[1], as[2], as[3]
		t, u, v, w := bs[0], bs[1], bs[2], bs[3]
		a0 += p*p + q*q
		a1 += r*r + s*s
		b0 += t*t + u*u
		b1 += v*v + w*w
		ps.add((p*t + q*u) + (r*v + s*w))
		as, bs = as[4:], bs[4:]
	}
	for i, a := range as {
		b := bs[i]
		a0 += a * a
		b0 += b * b
		ps.add(a * b)
	}
	*ab = ps
	return a0 + a1, b0 + b1
}

// addSquares is addProducts for pairs of equal numbers.
func (c *comparison) addSquares(as []float64) bool {
	aa := c.aa
	taken := c.aa
	taken.total, taken.lost = 0, 0
	for len(as) > 0 {
		n := min(blockNumbers, len(as))
		s := sumOfSquares(as[:n])
		aa.add(s)
		taken.add(s)
		as = as[n:]
	}
	if !IsFinite(aa.total) {
		return false
	}
	c.aa = aa
	for _, s := range []*sum{&c.bb, &c.ab} {
		s.add(taken.total)
		s.lost += taken.lost
	}
	return true
}

func sumOfSquares(xs []float64) float64 {
	var s0, s1, s2, s3 float64
	for len(xs) >= 4 {
		a, b, c, d := xs[0], xs[1], xs[2], xs[3]
		s0 += a * a
		s1 += b * b
		s2 += c * c
		s3 += d * d
		xs = xs[4:]
	}
	for _, x := range xs {
		s0 += x * x
	}
	return s0 + s1 + (s2 + s3)
}

// addErrors adds the differences of a block of finite pairs, of which the first is pair first of
// the chunk. To avoid branches it compares the bits of numbers: for numbers that are not negative,
// these have the same order as the numbers.
func (c *comparison) addErrors(first int, as, bs, diffs []float64) {
	const magnitude = 1<<63 - 1
	var abs, rel, dd float64
	down, floor := c.scale.down(), math.Float64bits(c.m.RelFloor)
	maxAbs, maxRel := math.Float64bits(c.m.MaxAbs), math.Float64bits(c.m.MaxRel)
	least := c.unremarkable()
	diffs = diffs[:len(as)]
	for i, a := range as {
		bits := math.Float64bits(diffs[i]) & magnitude
		if bits == 0 {
			continue
		}
		maxAbs = max(maxAbs, bits)
		distance := math.Float64frombits(bits)
		relative := distance / math.Float64frombits(max(math.Float64bits(a)&magnitude, floor))
		maxRel = max(maxRel, math.Float64bits(relative))
		rel += relative
		scaled := distance * down
		abs += scaled
		dd += scaled * scaled
		if !(relative < least) {
			c.remark(int64(first+i), distance, a, bs[i])
			least = c.unremarkable()
		}
	}
	c.m.MaxAbs, c.m.MaxRel = math.Float64frombits(maxAbs), math.Float64frombits(maxRel)
	c.abs.add(abs)
	c.rel.add(rel)
	c.dd.add(dd)
}

// unremarkable returns a limit for the relative error. A pair with a smaller error is neither
// mismatched nor the worst so far, so it needs no further examination. (The fraction of the
// tolerance that an error uses is at most its relative error divided by RTol, because both are
// computed with the same denominator.) If the tolerance has an extreme value, the limit is 0, and
// every pair is examined.
func (c *comparison) unremarkable() float64 {
	if c.tol.RTol < 1e-290 || math.IsInf(c.m.RelFloor, 0) {
		return 0
	}
	return c.tol.RTol * min(c.m.Used, 1) * (1 - 1e-14)
}

// remark examines a pair that may be mismatched or the worst so far.
func (c *comparison) remark(i int64, distance, a, b float64) {
	limit := c.tol.ATol + c.tol.RTol*math.Abs(a)
	if distance > limit {
		c.m.Mismatched++
	}
	// Comparing a product avoids a division for most pairs. The factor above 1 covers rounding. If
	// no error is allowed, limit is 0, and every pair with an error is noted.
	if !(distance*(1+1e-15) < c.m.Used*limit) {
		c.note(i, distance/limit, distance, a, b)
	}
}
