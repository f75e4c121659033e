package tensor

import "bytes"

// step compares the next chunk of the two tensors.
func (c *comparison) step(a, b *Reader) error {
	rawA, n, err := a.encoded()
	if err != nil {
		return err
	}
	rawB, _, err := b.encoded()
	if err != nil {
		return err
	}
	switch {
	case c.dtypeA == c.dtypeB && bytes.Equal(rawA, rawB):
		return c.equal(rawA, n)
	case c.dtypeA.isInteger() && c.dtypeB.isInteger():
		return c.ints(rawA, rawB, n)
	}
	return c.floats(rawA, rawB, n)
}

// encoded returns the bytes of the next chunk, and how many numbers they encode. They are valid
// until the next call.
func (r *Reader) encoded() ([]byte, int, error) {
	n, err := r.next()
	if err != nil {
		return nil, 0, err
	}
	size, err := r.dtype.ByteLen(int64(n / r.dtype.Components()))
	return r.raw[:size], n, err
}

// equal adds a chunk whose bytes are equal in both tensors.
func (c *comparison) equal(raw []byte, n int) error {
	as := c.as[:n]
	if err := decodeFloat64(as, c.dtypeA, raw); err != nil {
		return err
	}
	c.addEqual(as)
	return nil
}

// floats compares a chunk as floating-point numbers.
func (c *comparison) floats(rawA, rawB []byte, n int) error {
	as, bs, diff := c.as[:n], c.bs[:n], c.diff[:n]
	if err := decodeFloat64(as, c.dtypeA, rawA); err != nil {
		return err
	}
	if err := decodeFloat64(bs, c.dtypeB, rawB); err != nil {
		return err
	}
	for i, a := range as {
		diff[i] = a - bs[i]
	}
	if c.ulps != nil {
		c.ulps.add(rawA, rawB)
	}
	c.add(as, bs, diff)
	return nil
}

// ints compares a chunk as integers: the difference is computed before rounding to float64, so that
// it is zero only for equal integers.
func (c *comparison) ints(rawA, rawB []byte, n int) error {
	if c.intA == nil {
		c.intA, c.intB = make([]int64, chunkNumbers), make([]int64, chunkNumbers)
	}
	as, bs := c.intA[:n], c.intB[:n]
	if err := decodeInt64(as, c.dtypeA, rawA); err != nil {
		return err
	}
	if err := decodeInt64(bs, c.dtypeB, rawB); err != nil {
		return err
	}
	if c.dtypeA == U64 {
		addInts[uint64](c, as, bs)
	} else {
		addInts[int64](c, as, bs)
	}
	return nil
}

func addInts[N int64 | uint64](c *comparison, as, bs []int64) {
	for i := range as {
		a, b := N(as[i]), N(bs[i])
		c.as[i], c.bs[i], c.diff[i] = float64(a), float64(b), difference(a, b)
	}
	n := len(as)
	c.add(c.as[:n], c.bs[:n], c.diff[:n])
}

// difference returns a-b, rounded once.
func difference[N int64 | uint64](a, b N) float64 {
	if a < b {
		return -float64(uint64(b) - uint64(a))
	}
	return float64(uint64(a) - uint64(b))
}
