package shape

import (
	"math"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// elementwise has the rules of operators that compute each element of the result from the elements
// at the same position of one operand or of several broadcast operands.
var elementwise = family{
	"Add": arithmetic(elem.add), "Sub": arithmetic(elem.sub), "Mul": arithmetic(elem.mul), "Div": divide, "Mod": modulo,
	"Pow": arithmetic(elem.pow), "Max": ofMany(elem.max), "Min": ofMany(elem.min), "Sum": ofMany(elem.add), "Mean": ofMany(nil),
	"PRelu": slopes, "BitShift": spread, "BitwiseAnd": spread, "BitwiseOr": spread, "BitwiseXor": spread,
	"Neg": mapped(func(e elem) elem { return e.mul(numberElem(-1)) }), "Abs": mapped(elem.abs), "Sign": mapped(elem.sign),
	"Floor": mapped(elem.floor), "Ceil": mapped(elem.ceil), "Round": mapped(elem.round), "Sqrt": mapped(elem.sqrt),
	"Reciprocal": mapped(func(e elem) elem { return numberElem(1).div(e) }),
	"Identity":   func(c *call) { c.pass() },
	"Clip":       clip,

	"Acos": firstShape, "Acosh": firstShape, "Asin": firstShape, "Asinh": firstShape, "Atan": firstShape, "Atanh": firstShape,
	"Cos": firstShape, "Cosh": firstShape, "Sin": firstShape, "Sinh": firstShape, "Tan": firstShape, "Tanh": firstShape,
	"Exp": firstShape, "Log": firstShape, "Erf": firstShape, "Sigmoid": firstShape, "Softplus": firstShape, "Softsign": firstShape,
	"Celu": firstShape, "Elu": firstShape, "Gelu": firstShape, "HardSigmoid": firstShape, "HardSwish": firstShape, "LeakyRelu": firstShape,
	"Mish": firstShape, "Relu": firstShape, "Selu": firstShape, "Shrink": firstShape, "ThresholdedRelu": firstShape, "Swish": firstShape,
	"BitwiseNot": firstShape, "Softmax": softmax, "LogSoftmax": softmax, "Hardmax": softmax,
	"CumSum": cumSum, "CumProd": firstShape, "LpNormalization": firstShape, "MeanVarianceNormalization": firstShape,
	"Affine": firstShape, "ImageScaler": firstShape, "ParametricSoftplus": firstShape, "Scale": firstShape, "ScaledTanh": firstShape,
}

// firstShape is a rule that gives the first output the sizes of the first input.
func firstShape(c *call) { c.outDims(0, c.dims(0)) }

// softmax is the rule of Softmax, LogSoftmax and Hardmax. Meaning and default of attribute axis
// changed in version 13.
func softmax(c *call) {
	firstShape(c)
	last := int64(-1)
	if c.since < 13 {
		last = 1
	}
	if d := c.firstRankFrom(1); d != nil {
		c.axis(c.attrInt("axis", last), len(d))
	}
}

// slopes is the rule of PRelu, whose slopes are broadcast to the first operand.
func slopes(c *call) {
	firstShape(c)
	if c.since >= 7 && c.has(1) {
		c.broadcast(0, 1)
	}
}

// spread is a rule that gives the output the broadcast sizes of all inputs.
func spread(c *call) { c.outDims(0, c.broadcast(c.present()...)) }

// ofMany returns the rule of an operator with any number of operands, such as Max. In early
// versions all operands must have the same shape.
func ofMany(f func(a, b elem) elem) rule {
	return func(c *call) {
		spread(c)
		if f != nil {
			c.combine(f)
		}
		if c.since >= 8 {
			return
		}
		for i := 1; i < len(c.in); i++ {
			for axis := range c.dims(0) {
				c.note(c.axisSource(0, axis), c.axisSource(i, axis), Equals, "")
			}
		}
	}
}

// present returns the indices of the inputs that are given.
func (c *call) present() []int {
	c.given = c.given[:0]
	for i := range c.in {
		if c.has(i) {
			c.given = append(c.given, i)
		}
	}
	return c.given
}

// mapped returns the rule of an elementwise operator with one operand. f computes an element of the
// result.
func mapped(f func(elem) elem) rule {
	return func(c *call) {
		firstShape(c)
		if elems := c.elems(0); elems != nil && len(c.out) > 0 {
			out := make([]elem, len(elems))
			for i, e := range elems {
				out[i] = f(e).as(c.out[0].Elem)
			}
			c.outElems(0, out)
		}
	}
}

// arithmetic returns the rule of an elementwise operator with two operands, which are broadcast. f
// computes an element of the result.
func arithmetic(f func(a, b elem) elem) rule {
	return func(c *call) {
		spread(c)
		c.combine(f)
	}
}

// combine sets the elements of the output by applying f to those of all operands, from left to
// right.
func (c *call) combine(f func(a, b elem) elem) {
	if len(c.out) == 0 {
		return
	}
	dims := c.out[0].Dims
	into, ok := fixed(dims)
	if _, small := count(dims); !ok || !small {
		return
	}
	var out []elem
	for n, i := range c.present() {
		next := c.spreadTo(i, into)
		if next == nil {
			return
		}
		if n == 0 {
			out = next
			continue
		}
		for k := range out {
			out[k] = f(out[k], next[k]).as(c.out[0].Elem)
		}
	}
	c.outElems(0, out)
}

// spreadTo returns the elements of an input, broadcast to a shape.
func (c *call) spreadTo(i int, into []int64) []elem {
	sizes, ok := fixed(c.dims(i))
	elems := c.elems(i)
	if !ok || elems == nil {
		return nil
	}
	skip := len(into) - len(sizes)
	return picked(elems, sizes, into, func(index, at []int64) {
		for k := range at {
			at[k] = min(index[skip+k], sizes[k]-1)
		}
	})
}

func divide(c *call) {
	f := elem.div
	if k := c.elem(0).Kind(); k == tensor.KindSigned || k == tensor.KindUnsigned {
		f = elem.divInt
	}
	arithmetic(f)(c)
}

func modulo(c *call) {
	spread(c)
	if c.attrInt("fmod", 0) == 0 {
		c.combine(elem.mod)
	}
}

func clip(c *call) {
	firstShape(c)
	c.expectOne(1)
	c.expectOne(2)
	if !c.has(0) || c.elems(0) == nil || c.since < 11 {
		return
	}
	out := append([]elem{}, c.elems(0)...)
	for i, f := range []func(a, b elem) elem{elem.max, elem.min} {
		if !c.has(i + 1) {
			continue
		}
		bound := c.elems(i + 1)
		if len(bound) != 1 {
			return
		}
		for k := range out {
			out[k] = f(out[k], bound[0])
		}
	}
	c.outElems(0, out)
}

func cumSum(c *call) {
	firstShape(c)
	c.expectOne(1)
	if at, ok := c.ints(1); ok && len(at) == 1 && c.firstRankFrom(1) != nil {
		c.axis(at[0], len(c.dims(0)))
	}
	elems := c.elems(0)
	if len(c.dims(0)) != 1 || elems == nil || c.attrInt("reverse", 0) != 0 {
		return
	}
	out, sum := make([]elem, len(elems)), numberElem(0)
	for i, e := range elems {
		next := sum.add(e).as(c.elem(0))
		if out[i] = next; c.attrInt("exclusive", 0) != 0 {
			out[i] = sum
		}
		sum = next
	}
	c.outElems(0, out)
}

// both converts two fractions to the same denominator. x and y are the numerators. ok is false if
// one of the elements is not a fraction.
func both(a, b elem) (x, y dim.Dim, den int64, ok bool) {
	if a.den == 0 || b.den == 0 {
		return x, y, 0, false
	}
	den = max(a.den, b.den)
	return a.num.Mul(dim.Number(den / a.den)), b.num.Mul(dim.Number(den / b.den)), den, true
}

// plain applies f to elements that are not fractions, as floating-point numbers.
func plain(a, b elem, f func(x, y float64) float64) elem {
	x, okA := a.number()
	y, okB := b.number()
	if !okA || !okB {
		return unknownElem()
	}
	return floatElem(f(x, y))
}

func (e elem) add(o elem) elem {
	x, y, den, ok := both(e, o)
	if !ok {
		return plain(e, o, func(x, y float64) float64 { return x + y })
	}
	return fraction(x.Add(y), den)
}

func (e elem) sub(o elem) elem { return e.add(o.mul(numberElem(-1))) }

func (e elem) mul(o elem) elem {
	if e.den == 0 || o.den == 0 {
		return plain(e, o, func(x, y float64) float64 { return x * y })
	}
	return fraction(e.num.Mul(o.num), e.den*o.den)
}

func (e elem) pow(o elem) elem {
	n, ok := o.int()
	if half := floatElem(0.5); o.equal(half) {
		return e.sqrt()
	}
	if !ok || n < 0 || n > 8 {
		return unknownElem() // libraries differ in the last digit
	}
	out := numberElem(1)
	for range n {
		out = out.mul(e)
	}
	return out
}

// div divides floating-point numbers. The result is exact if it is a fraction, or if both are
// numbers.
func (e elem) div(o elem) elem {
	x, y, _, ok := both(e, o)
	if _, number := o.number(); ok && !y.Is(0) {
		if q, whole := x.Quotient(y); whole {
			return fraction(q, 1)
		}
		if n, power := y.Number(); power && n > 0 && n&(n-1) == 0 {
			return fraction(x, n)
		}
	} else if !number {
		return unknownElem()
	}
	return plain(e, o, func(x, y float64) float64 { return x / y })
}

// divInt divides integers, rounding towards zero. If the signs of the operands are unknown, so
// is the result.
func (e elem) divInt(o elem) elem {
	a, b := e.size(), o.size()
	lo, _ := a.Bounds()
	by, _ := b.Bounds()
	x, okA := a.Number()
	y, okB := b.Number()
	switch {
	case okA && okB && y != 0:
		return numberElem(x / y)
	case lo >= 0 && by > 0:
		return intElem(a.FloorDiv(b))
	}
	if q, ok := a.Quotient(b); ok && b.Known() {
		return intElem(q)
	}
	return unknownElem()
}

func (e elem) mod(o elem) elem {
	by, _ := o.size().Bounds()
	if by <= 0 {
		return unknownElem()
	}
	return intElem(e.size().Mod(o.size()))
}

func (e elem) max(o elem) elem { return choose(e, o, dim.Dim.Max, math.Max) }
func (e elem) min(o elem) elem { return choose(e, o, dim.Dim.Min, math.Min) }

func choose(a, b elem, f func(x, y dim.Dim) dim.Dim, g func(x, y float64) float64) elem {
	x, y, den, ok := both(a, b)
	if !ok {
		return plain(a, b, g)
	}
	return fraction(f(x, y), den)
}

func (e elem) abs() elem { return e.max(e.mul(numberElem(-1))) }

func (e elem) sign() elem {
	if e.den > 0 {
		switch lo, hi := e.num.Bounds(); {
		case lo > 0:
			return numberElem(1)
		case hi < 0:
			return numberElem(-1)
		case lo == 0 && hi == 0:
			return numberElem(0)
		}
	}
	if e.den == 0 && !math.IsNaN(e.f) {
		return numberElem(int64(math.Copysign(1, e.f)))
	}
	return unknownElem()
}

func (e elem) floor() elem {
	if e.den == 0 {
		return floatElem(math.Floor(e.f))
	}
	return intElem(e.num.FloorDiv(dim.Number(e.den)))
}

func (e elem) ceil() elem {
	if e.den == 0 {
		return floatElem(math.Ceil(e.f))
	}
	return intElem(e.num.CeilDiv(dim.Number(e.den)))
}

// round rounds halves to even. No expression can represent this.
func (e elem) round() elem {
	if e.den == 1 {
		return e
	}
	return plain(e, e, func(x, _ float64) float64 { return math.RoundToEven(x) })
}

func (e elem) sqrt() elem { return plain(e, e, func(x, _ float64) float64 { return math.Sqrt(x) }) }
