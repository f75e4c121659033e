package simplify

import (
	"math"

	"lathe/graphops/rewrite"
)

// scaledBy returns the tensor and the factor if a node multiplies or divides a tensor by one
// number, and a nil tensor otherwise.
func scaledBy(n *rewrite.Node) (x *rewrite.Value, factor float64) {
	if f, ok := number(n.In(1)); ok && n.Is("Mul", "Div") && sameDims(n.In(0), n.Out(0)) && f != 0 {
		if n.Is("Div") {
			f = 1 / f
		}
		return n.In(0), f
	}
	if f, ok := number(n.In(0)); ok && n.Is("Mul") && sameDims(n.In(1), n.Out(0)) && f != 0 {
		return n.In(1), f
	}
	return nil, 0
}

// numberSteps limits how far a number is traced.
const numberSteps = 8

// number returns the only element of a value that is the same in every run: a constant, or
// computed from constants and sizes, as exporters do for 1/√size. It is exact except for rounding.
func number(v *rewrite.Value) (float64, bool) { return numberOf(v, numberSteps) }

func numberOf(v *rewrite.Value, steps int) (float64, bool) {
	if v == nil || steps == 0 {
		return 0, false
	}
	if f, ok := v.Float(); ok {
		return f, !math.IsNaN(f)
	}
	if list, ok := v.Ints(); ok && len(list) == 1 {
		return float64(list[0]), true
	}
	n := v.Producer()
	if n == nil {
		return 0, false
	}
	f, ok := computed(n, steps-1)
	return f, ok && !math.IsNaN(f) && !math.IsInf(f, 0)
}

func computed(n *rewrite.Node, steps int) (float64, bool) {
	if !n.Is("Cast", "CastLike", "Sqrt", "Reciprocal", "Div", "Mul", "Pow", "Squeeze", "Unsqueeze", "Reshape", "Identity") || !isFloat(n.Out(0)) && !isDouble(n.Out(0)) {
		return 0, false
	}
	a, ok := numberOf(n.In(0), steps)
	if !ok {
		return 0, false
	}
	switch n.Op() {
	case "Sqrt":
		return math.Sqrt(a), true
	case "Reciprocal":
		return 1 / a, true
	case "Div", "Mul", "Pow":
		b, ok := numberOf(n.In(1), steps)
		return arithmetic(n.Op(), a, b), ok
	}
	return a, true
}

func arithmetic(op string, a, b float64) float64 {
	switch op {
	case "Div":
		return a / b
	case "Mul":
		return a * b
	}
	return math.Pow(a, b)
}
