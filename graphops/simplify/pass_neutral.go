package simplify

import "lathe/graphops/rewrite"

var neutralOperands = &pass{
	name:   "neutral-operands",
	title:  "arithmetic that changes no number is removed: adding 0, multiplying by 1, and so on",
	reason: "the numbers are the same, except for the sign of zero if 0 was added to -0",
	ops:    []string{"Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Where"},
	node: func(_ *job, n *rewrite.Node) string {
		if !n.Is(n.Op()) || n.Out(0) == nil || n.In(0) == nil || n.In(1) == nil {
			return ""
		}
		if n.Is("Where") {
			return chosenAlways(n)
		}
		neutral := neutralOf[n.Op()]
		for i, x := range []*rewrite.Value{n.In(0), n.In(1)} {
			if i == 1 && !neutral.eitherSide {
				break
			}
			c := n.In(1 - i)
			stays := x.SameSizes(n.Out(0)) || c.Dims() != nil && len(c.Dims()) == 0
			if stays && x.Type().Elem == n.Out(0).Type().Elem && filledWith(c, neutral.number) && n.PassOn(x) {
				return "removed"
			}
		}
		return ""
	},
}

// neutralOf has, for each operator, which constant operand changes nothing.
var neutralOf = map[string]struct {
	number     float64
	eitherSide bool
}{
	"Add": {0, true}, "Sub": {0, false}, "Mul": {1, true}, "Div": {1, false}, "Pow": {1, false},
	"And": {1, true}, "Or": {0, true}, "Xor": {0, true},
}

// chosenAlways removes a Where whose condition is the same for all elements.
func chosenAlways(n *rewrite.Node) string {
	for i, number := range []float64{1, 0} {
		x := n.In(1 + i)
		if x.SameSizes(n.Out(0)) && filledWith(n.In(0), number) && n.PassOn(x) {
			return "removed, its condition is always the same"
		}
	}
	return ""
}
