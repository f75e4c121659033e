package tensor

import (
	"cmp"
	"math"
	"slices"
)

// codes counts how often each code (bit pattern) of a type with at most 16 bits occurs.
type codes struct {
	dtype  DType
	counts []int64
}

func newCodes(d DType) *codes { return &codes{d, make([]int64, 1<<d.Bits())} }

func (c *codes) add(raw []byte, n int) error {
	switch width := c.dtype.Bits(); width {
	case 16:
		counts := (*[1 << 16]int64)(c.counts)
		for raw = raw[:2*n]; len(raw) >= 2; raw = raw[2:] {
			counts[le.Uint16(raw)]++
		}
	case 8:
		counts := (*[1 << 8]int64)(c.counts)
		for _, b := range raw[:n] {
			counts[b]++
		}
	default:
		for i := range n {
			c.counts[unpack(raw, i, width)]++
		}
	}
	return nil
}

// values returns the different values with their counts, in order, NaN last.
func (c *codes) values() ([]ValueCount, error) {
	numbers := make([]float64, len(c.counts))
	if err := decodeFloat64(numbers, c.dtype, c.all()); err != nil {
		return nil, err
	}
	list := make([]ValueCount, 0, len(c.counts))
	for _, code := range c.inOrder() {
		if n := c.counts[code]; n > 0 {
			list = append(list, ValueCount{Value: Number(numbers[code] + 0), Count: n}) // -0 + 0 is 0
		}
	}
	slices.SortFunc(list, func(a, b ValueCount) int { return compareValues(a.Value, b.Value) })
	return slices.CompactFunc(joined(list), func(a, b ValueCount) bool { return compareValues(a.Value, b.Value) == 0 }), nil
}

// inOrder lists the codes nearly in the order of their values, so that sorting them is fast. Only
// NaN, -0 and irregular codes of a format may be in the wrong place.
func (c *codes) inOrder() []int {
	list := make([]int, len(c.counts))
	for i := range list {
		list[i] = i
	}
	if k := c.dtype.Kind(); k == KindUnsigned || k == KindBool || c.dtype == F8E8M0 {
		return list
	}
	negative := list[len(list)/2:]
	if c.dtype.Kind() == KindFloat { // sign and magnitude, not two's complement
		slices.Reverse(negative)
	}
	return slices.Concat(negative, list[:len(list)/2])
}

// joined adds the counts of neighbours with the same value to the first of them.
func joined(list []ValueCount) []ValueCount {
	for i := len(list) - 1; i > 0; i-- {
		if compareValues(list[i].Value, list[i-1].Value) == 0 {
			list[i-1].Count += list[i].Count
		}
	}
	return list
}

// compareValues compares two values for sorting. NaN comes last, unlike in cmp.Compare.
func compareValues(a, b Number) int {
	switch {
	case a != a && b != b:
		return 0
	case a != a:
		return 1
	case b != b:
		return -1
	}
	return cmp.Compare(a, b)
}

// all returns the encoding of all codes of the type in ascending order.
func (c *codes) all() []byte {
	width := c.dtype.Bits()
	raw := make([]byte, (len(c.counts)*width+7)/8)
	for code := range c.counts {
		switch width {
		case 16:
			le.PutUint16(raw[2*code:], uint16(code))
		case 8:
			raw[code] = byte(code)
		default:
			pack(raw, code, width, byte(code))
		}
	}
	return raw
}

func (c *codes) profile() Profile {
	values, err := c.values()
	if err != nil {
		panic(err) // not reachable: there is a byte for each code
	}
	p := Profile{Stats: statsOf(values), Distinct: len(values)}
	p.describe(c.dtype, values)
	if n := len(values); n > 0 && n <= maxValues {
		p.Values = withTexts(c.dtype, values)
	}
	finite := finiteOf(values)
	p.Quantiles = exactQuantiles(finite)
	if len(finite) > 0 {
		p.MinText = formatValue(c.dtype, float64(p.Min))
		p.MaxText = formatValue(c.dtype, float64(p.Max))
	}
	h := linear{whole: c.dtype.isInteger()}
	var m magnitudes
	for i, v := range finite {
		if i == 0 {
			h.cover(float64(p.Min), float64(p.Max))
		}
		h.count(float64(v.Value), v.Count)
		m.count(float64(v.Value), v.Count)
	}
	p.Histogram, p.Magnitudes = h.histogram(), m.magnitudes(p.Zeros)
	return p
}

// describe sets AbsMax and the counts of zeros, negative infinities and subnormal numbers.
func (p *Profile) describe(d DType, values []ValueCount) {
	tiny := d.smallestNormal()
	p.AbsMax = max(p.Max, -p.Min)
	for _, v := range values {
		switch x := float64(v.Value); {
		case x == 0:
			p.Zeros += v.Count
		case math.IsInf(x, -1):
			p.NegInf += v.Count
		case math.Abs(x) < tiny:
			p.Subnormal += v.Count
		}
	}
}

// finiteOf returns the finite values of a sorted list.
func finiteOf(values []ValueCount) []ValueCount {
	lo, hi := 0, len(values)
	for lo < hi && !IsFinite(float64(values[hi-1].Value)) {
		hi--
	}
	for lo < hi && !IsFinite(float64(values[lo].Value)) {
		lo++
	}
	return values[lo:hi]
}

func withTexts(d DType, values []ValueCount) []ValueCount {
	for i, v := range values {
		values[i].Text = formatValue(d, float64(v.Value))
	}
	return values
}

// statsOf computes statistics of counted values of a type of at most 16 bits, whose squares are
// within the range of float64.
func statsOf(values []ValueCount) Stats {
	nan := Number(math.NaN())
	s := Stats{Min: nan, Max: nan, Mean: nan, Std: nan}
	var total, squares sum
	for _, v := range values {
		s.Count += v.Count
		switch x := float64(v.Value); {
		case x != x:
			s.NaN += v.Count
		case math.IsInf(x, 0):
			s.Inf += v.Count
		default:
			total.add(x * float64(v.Count))
		}
	}
	finite := finiteOf(values)
	if len(finite) == 0 {
		return s
	}
	n := float64(s.Count - s.NaN - s.Inf)
	mean := total.value() / n
	for _, v := range finite {
		d := float64(v.Value) - mean
		squares.add(d * d * float64(v.Count))
	}
	s.Min, s.Max = finite[0].Value, finite[len(finite)-1].Value
	s.Mean, s.Std = Number(mean), Number(math.Sqrt(squares.value()/n))
	return s
}
