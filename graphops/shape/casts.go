package shape

import (
	"math"

	"lathe/graphops/tensor"
)

// casts has the rules of operators that change the element type.
var casts = family{
	"Cast": cast, "CastLike": castLike, "BitCast": bitCast,
}

func cast(c *call) {
	c.castTo(tensor.DType(c.attrInt("to", 0)))
}

func castLike(c *call) { c.castTo(c.elem(1)) }

func (c *call) castTo(to tensor.DType) {
	if !to.Valid() {
		to = tensor.Undefined
	}
	c.outTensor(0, to, c.dims(0))
	elems := c.elems(0)
	if elems == nil || limitOf(to) < 0 {
		return
	}
	out := make([]elem, len(elems))
	for i, e := range elems {
		out[i] = e.cast(to)
	}
	c.outElems(0, out)
}

// cast converts an element to another type. Floating-point numbers are truncated for integer
// types. The result is unknown if it may not fit.
func (e elem) cast(to tensor.DType) elem {
	switch to.Kind() {
	case tensor.KindBool:
		if v, ok := e.truth(); ok {
			return boolElem(v)
		}
		return unknownTruth()
	case tensor.KindFloat:
		return e.as(to)
	}
	return e.truncated().as(to)
}

// as converts the exact result of a calculation to a type: it is rounded, or unknown if it does
// not fit or may not fit.
func (e elem) as(t tensor.DType) elem {
	switch t.Kind() {
	case tensor.KindFloat:
		return e.rounded(t)
	case tensor.KindSigned, tensor.KindUnsigned:
		n, number := e.int()
		lo, _ := e.bounds()
		if e.den != 1 || number && !fits(n, t) || !number && lo < 0 && t.Kind() == tensor.KindUnsigned {
			return unknownElem()
		}
	}
	return e
}

// rounded converts an element to a floating-point type. A number is rounded to it. An expression is
// taken for a size that 32 bits hold exactly. A type of 16 bits holds it exactly if it is a whole
// number between -256 and 256; otherwise the element becomes unknown.
func (e elem) rounded(t tensor.DType) elem {
	lo, hi := e.bounds()
	v, number := e.number()
	switch {
	case t.Bits() >= 64 && number, t.Bits() == 32 && number:
		if t.Bits() == 32 {
			v = float64(float32(v))
		}
		return floatElem(v)
	case t.Bits() >= 32:
		return e
	case t.Bits() < 16 || lo < -256 || hi > 256 || e.den != 1:
		return unknownElem()
	}
	return e
}

// bounds returns numbers between which the element is.
func (e elem) bounds() (lo, hi int64) {
	if e.den == 0 {
		return int64(math.Floor(e.f)), int64(math.Ceil(e.f))
	}
	return e.num.Bounds()
}

// truncated returns the element rounded towards zero.
func (e elem) truncated() elem {
	if e.den == 0 {
		if math.IsNaN(e.f) || math.Abs(e.f) >= 1<<62 {
			return unknownElem()
		}
		return numberElem(int64(e.f))
	}
	if lo, hi := e.num.Bounds(); e.den > 1 && lo < 0 {
		if hi <= 0 {
			return e.ceil()
		}
		return unknownElem()
	}
	return e.floor()
}

// fits reports whether an integer type can represent the number.
func fits(n int64, d tensor.DType) bool {
	bits := d.Bits()
	switch {
	case d.Kind() == tensor.KindUnsigned:
		return n >= 0 && (bits >= 63 || n < 1<<bits)
	case bits >= 64:
		return true
	default:
		return n >= -1<<(bits-1) && n < 1<<(bits-1)
	}
}

func bitCast(c *call) {
	c.outTensor(0, tensor.DType(c.attrInt("to", 0)), c.dims(0))
}
