package simplify

import (
	"math"

	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// span is the range of a tensor's elements other than -Inf. low is above high if there are none.
type span struct {
	low, high float64
	inf       bool // some may be -Inf
}

// spanSteps limits how far elements are traced.
const spanSteps = 16

// spanOf computes the range of a mask from the numbers that it is made of. It returns false if
// they are unknown, for example because they are inputs.
func spanOf(v *rewrite.Value, steps int) (span, bool) {
	if v == nil || steps == 0 {
		return span{}, false
	}
	if list, ok := v.Floats(); ok {
		return spanOfNumbers(list)
	}
	if list, ok := v.Ints(); ok {
		floats := make([]float64, len(list))
		for i, n := range list {
			floats[i] = float64(n)
		}
		return spanOfNumbers(floats)
	}
	switch v.Type().Elem.Kind() {
	case tensor.KindBool:
		return span{low: 0, high: 1}, true
	case tensor.KindSigned, tensor.KindUnsigned:
		return span{low: -math.MaxInt64, high: math.MaxUint64}, true
	}
	n := v.Producer()
	if n == nil {
		return span{}, false
	}
	s, ok := spanMade(n, steps-1)
	limit := largestOf(v)
	if s.high > limit || s.low < -limit {
		return span{}, false // it may overflow
	}
	return s, ok
}

func spanOfNumbers(list []float64) (span, bool) {
	s := span{low: math.Inf(1), high: math.Inf(-1)}
	for _, f := range list {
		switch {
		case math.IsNaN(f) || math.IsInf(f, 1):
			return span{}, false
		case math.IsInf(f, -1):
			s.inf = true
		default:
			s.low, s.high = min(s.low, f), max(s.high, f)
		}
	}
	return s, true
}

// largestOf returns the largest number of a float type.
func largestOf(v *rewrite.Value) float64 {
	switch v.Type().Elem {
	case tensor.F64:
		return math.MaxFloat64
	case tensor.F32, tensor.BF16:
		return math.MaxFloat32
	}
	return 65504
}

func spanMade(n *rewrite.Node, steps int) (span, bool) {
	switch {
	case n.Is("Cast", "Expand", "Reshape", "Unsqueeze", "Squeeze", "Transpose", "Slice", "Gather", "GatherND", "Identity", "Tile", "Flatten"):
		return spanOf(n.In(0), steps)
	case n.Is("Trilu"):
		s, ok := spanOf(n.In(0), steps)
		return s.with(span{}), ok
	case n.Is("Where"):
		a, okA := spanOf(n.In(1), steps)
		b, okB := spanOf(n.In(2), steps)
		return a.with(b), okA && okB
	case n.Is("ConstantOfShape"):
		return spanFilled(n)
	case n.Is("Add", "Sub", "Mul"):
		a, okA := spanOf(n.In(0), steps)
		b, okB := spanOf(n.In(1), steps)
		s, ok := a.combined(n.Op(), b)
		return s, ok && okA && okB
	}
	return span{}, false
}

func spanFilled(n *rewrite.Node) (span, bool) {
	attribute, ok := n.Attribute("value")
	if !ok {
		return span{}, true
	}
	t, err := attribute.Dense("value")
	if err != nil {
		return span{}, false
	}
	p, err := t.Data()
	if err != nil || p.Len() > 16 {
		return span{}, false
	}
	data, err := p.Bytes()
	if err != nil {
		return span{}, false
	}
	list, err := tensor.Tensor{DType: t.DType(), Shape: t.Dims(), Data: data}.Float64s()
	if err != nil {
		return span{}, false
	}
	return spanOfNumbers(list)
}

// with returns the span of the elements of two tensors.
func (s span) with(t span) span {
	return span{min(s.low, t.low), max(s.high, t.high), s.inf || t.inf}
}

// combined returns the span of the result of arithmetic. -Inf in a sum stays -Inf. Other
// operations with -Inf are not traced.
func (s span) combined(op string, t span) (span, bool) {
	switch {
	case op == "Add":
		return span{s.low + t.low, s.high + t.high, s.inf || t.inf}, true
	case s.inf || t.inf:
		return span{}, false
	case op == "Sub":
		return span{low: s.low - t.high, high: s.high - t.low}, true
	}
	ends := []float64{s.low * t.low, s.low * t.high, s.high * t.low, s.high * t.high}
	return spanOfNumbers(ends)
}

// span returns the span of the sum of all masks.
func (a *attended) span() (span, bool) {
	sum, ok := span{}, true
	for _, m := range a.masks {
		s := span{inf: math.IsInf(m.value, -1), low: min(m.value, 0)}
		if s.inf {
			s.low = 0
		}
		known := true
		if m.added != nil {
			s, known = spanOf(m.added, spanSteps)
		}
		sum, _ = sum.combined("Add", s)
		ok = ok && known
	}
	return sum, ok
}
