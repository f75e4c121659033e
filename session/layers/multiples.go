package layers

import (
	"errors"
	"io"
	"math"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// multipleWithin is by how much the cosine between two values may differ from 1 if one is a
// multiple of the other. Rounding in float32 makes it differ by less, and a cast to float16 by
// more.
const multipleWithin = 1e-9

// isMultiple reports whether B's value is A's value multiplied by a number.
func isMultiple(m *tensor.Metrics) bool {
	return m != nil && m.NaNMismatched+m.InfMismatched == 0 && 1-math.Abs(m.Cosine) < multipleWithin
}

// multiple says whether each channel of B's value is the same channel of A's value multiplied by a
// number. The number may differ from channel to channel.
type multiple uint8

const (
	noMultiple multiple = iota
	// anyMultiple means that each channel has only one element. Such a value is always a multiple,
	// so this shows nothing.
	anyMultiple
	isChannelwise
)

// maxChannels is the largest size of an axis that can be the channels.
const maxChannels = 1 << 16

// multipleOf compares two values for each axis that may be the channels: the last one and, if there
// are three or more axes, the second.
func multipleOf(a, b graphops.Value) multiple {
	if !a.IsTensor() || !b.IsTensor() || a.Tensor.DType.Kind() != tensor.KindFloat || b.Tensor.DType.Kind() != tensor.KindFloat {
		return noMultiple
	}
	shape, found := a.Tensor.Shape, noMultiple
	for _, axis := range []int{len(shape) - 1, 1} {
		if axis < 0 || axis >= len(shape) || axis == 1 && len(shape) < 3 && axis != len(shape)-1 {
			continue
		}
		inner, err := tensor.Elements(shape[axis+1:])
		if err != nil || shape[axis] < 1 || shape[axis] > maxChannels || inner < 1 {
			continue
		}
		found = max(found, newChannels(shape[axis], inner).compare(a, b))
	}
	return found
}

// channels has three sums for each channel, over its elements: the squares in a (aa), the squares
// in b (bb), and the products of both (ab).
type channels struct {
	inner, at  int64 // contiguous elements of one channel, and number of elements added so far
	aa, bb, ab []float64
}

func newChannels(n, inner int64) *channels {
	return &channels{inner: inner, aa: make([]float64, n), bb: make([]float64, n), ab: make([]float64, n)}
}

// compare reads two values of the same shape. It stops as soon as they cannot be multiples.
func (s *channels) compare(a, b graphops.Value) multiple {
	ra, errA := elementsOf(a)
	rb, errB := elementsOf(b)
	if errA != nil || errB != nil {
		return noMultiple
	}
	for {
		la, errA := ra.Float64s()
		lb, errB := rb.Float64s()
		switch {
		case errors.Is(errA, io.EOF) && errors.Is(errB, io.EOF) && s.at > int64(len(s.aa)):
			return isChannelwise
		case errors.Is(errA, io.EOF) && errors.Is(errB, io.EOF) && s.at > 0:
			return anyMultiple
		case errA != nil || errB != nil || len(la) != len(lb):
			return noMultiple
		}
		if s.add(la, lb); !s.areMultiples() {
			return noMultiple
		}
	}
}

func (s *channels) add(a, b []float64) {
	n := int64(len(s.aa))
	for i, x := range a {
		c := (s.at + int64(i)) / s.inner % n
		s.aa[c] += x * x
		s.bb[c] += b[i] * b[i]
		s.ab[c] += x * b[i]
	}
	s.at += int64(len(a))
}

// areMultiples reports whether, in each channel, what has been read of b is a multiple of a. The
// multiple may be 0.
func (s *channels) areMultiples() bool {
	for c, aa := range s.aa {
		if s.bb[c] != 0 && !(1-math.Abs(s.ab[c])/math.Sqrt(aa*s.bb[c]) < multipleWithin) {
			return false
		}
	}
	return true
}
