package tensor

import "math"

// numbers collects the profile of a type with too many codes to count.
type numbers struct {
	dtype     DType
	floats    [chunkNumbers]float64
	ints      *wideInts // nil for types that float64 represents exactly
	summary   Summary
	negInf    int64
	zeros     int64
	subnormal int64
	tiny      float64 // the smallest normal number

	linear     linear
	magnitudes magnitudes
	values     *valueSet // nil if there are too many
}

// wideInts has a chunk of 64-bit integers in exact form, because float64 would round them.
type wideInts struct {
	chunk    [chunkNumbers]int64
	any      bool
	min, max int64
}

func newNumbers(d DType) *numbers {
	c := &numbers{
		dtype:  d,
		tiny:   d.smallestNormal(),
		linear: linear{whole: d.isInteger()},
		values: &valueSet{},
	}
	if d == I64 || d == U64 {
		c.ints = &wideInts{}
	}
	return c
}

func (c *numbers) add(raw []byte, n int) error {
	xs := c.floats[:n]
	if err := decodeFloat64(xs, c.dtype, raw); err != nil {
		return err
	}
	if c.ints != nil {
		if err := decodeInt64(c.ints.chunk[:n], c.dtype, raw); err != nil {
			return err
		}
		c.ints.see(c.dtype, n)
	}
	c.addValues(xs)
	before := c.summary.nan + c.summary.inf
	c.summary.Add(xs)
	if c.summary.nan+c.summary.inf > before {
		xs = c.dropNonFinite(xs)
	}
	if len(xs) == 0 {
		return nil
	}
	c.linear.cover(c.summary.min, c.summary.max)
	c.linear.add(xs)
	c.magnitudes.add(xs)
	c.addSmall(xs)
	return nil
}

// see updates min and max with the first n integers of the chunk.
func (w *wideInts) see(d DType, n int) {
	for _, x := range w.chunk[:n] {
		if !w.any {
			w.any, w.min, w.max = true, x, x
		}
		if lessInt(d, x, w.min) {
			w.min = x
		}
		if lessInt(d, w.max, x) {
			w.max = x
		}
	}
}

// lessInt compares two integers of type d as decodeInt64 returns them: a u64 has the same bits as
// an int64.
func lessInt(d DType, a, b int64) bool {
	if d == U64 {
		return uint64(a) < uint64(b)
	}
	return a < b
}

// addValues counts how often each value occurs, as long as there are at most maxValues different
// ones.
func (c *numbers) addValues(xs []float64) {
	for i, x := range xs {
		if c.values == nil {
			return
		}
		key := math.Float64bits(x + 0) // -0 + 0 is 0
		switch {
		case c.ints != nil:
			key = uint64(c.ints.chunk[i])
		case x != x:
			key = math.Float64bits(math.NaN())
		}
		if !c.values.add(key) {
			c.values = nil
		}
	}
}

// dropNonFinite moves the finite numbers to the front of xs and returns them.
func (c *numbers) dropNonFinite(xs []float64) []float64 {
	kept := xs[:0]
	for _, x := range xs {
		if IsFinite(x) {
			kept = append(kept, x)
		} else if math.IsInf(x, -1) {
			c.negInf++
		}
	}
	return kept
}

// addSmall counts zeros and subnormal numbers.
func (c *numbers) addSmall(xs []float64) {
	for _, x := range xs {
		switch {
		case x == 0:
			c.zeros++
		case math.Abs(x) < c.tiny:
			c.subnormal++
		}
	}
}

func (c *numbers) profile() Profile {
	p := Profile{
		Stats:  c.summary.Stats(),
		NegInf: c.negInf, Zeros: c.zeros, Subnormal: c.subnormal,
		Histogram:  c.linear.histogram(),
		Magnitudes: c.magnitudes.magnitudes(c.zeros),
	}
	p.AbsMax = max(p.Max, -p.Min)
	p.MinText, p.MaxText = c.extremes()
	if c.values != nil {
		p.Values = c.values.list(c.dtype)
		p.Distinct = len(p.Values)
		p.Quantiles = exactQuantiles(finiteOf(p.Values))
	} else {
		p.Quantiles = c.quantiles()
	}
	return p
}

func (c *numbers) extremes() (lowest, highest string) {
	switch {
	case c.ints != nil && c.ints.any:
		return formatInt(c.dtype, c.ints.min), formatInt(c.dtype, c.ints.max)
	case c.summary.finite == 0:
		return "", ""
	}
	return formatValue(c.dtype, c.summary.min), formatValue(c.dtype, c.summary.max)
}
