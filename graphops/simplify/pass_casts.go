package simplify

import (
	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// sinceCastNumber is the version from which Cast gives its type as a number.
const sinceCastNumber = 6

var foldCasts = &pass{
	name:   "fold-casts",
	title:  "a Cast to the type that a value already has is removed, a Cast that loses nothing is skipped before another Cast, and CastLike becomes Cast",
	reason: "every number is the same in the type that is skipped; casts that round or saturate remain",
	ops:    []string{"Cast", "CastLike"},
	node: func(_ *job, n *rewrite.Node) string {
		to := castTo(n)
		switch {
		case n.Out(0) == nil || n.In(0) == nil || to == tensor.Undefined:
		case n.In(0).Type().Elem == to && isTensor(n.In(0)) && n.PassOn(n.In(0)):
			return "removed, the type is the same"
		case n.Is("CastLike") && isTensor(n.In(0)):
			list := []*graphops.Attribute{graphops.IntAttribute("to", int64(to))}
			for _, a := range n.Attributes() {
				if a.Name() != "to" {
					list = append(list, a)
				}
			}
			n.Become("Cast", []*rewrite.Value{n.In(0)}, list...)
			return "became Cast"
		case n.Is("Cast"):
			return overCast(n, to)
		}
		return ""
	},
}

func isTensor(v *rewrite.Value) bool { return v.Type().Kind == graphops.TypeTensor }

// castTo returns the type that a node casts to, Undefined if unknown.
func castTo(n *rewrite.Node) tensor.DType {
	switch {
	case n.Is("Cast") && n.Graph().Opset("") >= sinceCastNumber:
		return tensor.DType(n.Int("to", 0))
	case n.Is("CastLike") && isTensor(n.In(1)):
		return n.In(1).Type().Elem
	}
	return tensor.Undefined
}

// overCast removes the cast before a cast if it makes no difference and nothing else reads it. It
// removes both casts if they cancel.
func overCast(n *rewrite.Node, to tensor.DType) string {
	p := n.In(0).Producer()
	if p == nil || !p.Is("Cast") || p.In(0) == nil {
		return ""
	}
	by, from := castTo(p), p.In(0).Type().Elem
	if !widens(from, by) {
		return ""
	}
	if from == to && n.PassOn(p.In(0)) {
		return "removed with the cast that it reverses"
	}
	if n.In(0).Reader() != n || !sameFrom(from, by, to) {
		return ""
	}
	n.SetInput(0, p.In(0))
	n.Stands(p)
	p.Remove()
	return "the cast before it, which loses nothing, is skipped"
}

// widens reports whether every number of one type is also a number of the other type.
func widens(from, to tensor.DType) bool {
	a, b := rangeOf[from], rangeOf[to]
	return a != (numbers{}) && b != (numbers{}) && (a.digits <= b.digits && a.low >= b.low && a.high <= b.high && a.step >= b.step) && (!a.float || b.float)
}

// sameFrom reports whether casting a number of type from directly to another type has the same
// result as casting it to by first. by can represent all numbers of from.
func sameFrom(from, by, to tensor.DType) bool {
	a, b, c := rangeOf[from], rangeOf[by], rangeOf[to]
	switch {
	case c == (numbers{}):
		return false
	case to == tensor.Bool, widens(from, to):
		return true
	case a.float && b.float:
		// what happens to numbers outside of an integer's range depends on the machine
		return c.float
	}
	return !a.float && !b.float
}

// numbers describes what a type can represent: the number of binary digits, the powers of two
// that bound the numbers, and the power of two of the smallest step.
type numbers struct {
	digits, low, high, step int
	float                   bool
}

// rangeOf lists the types between which casts are considered. low of a signed type is the
// negated exponent of its lowest number; a type without negative numbers has 0.
var rangeOf = map[tensor.DType]numbers{
	tensor.Bool: {1, 0, 1, 0, false},
	tensor.U8:   {8, 0, 8, 0, false}, tensor.U16: {16, 0, 16, 0, false}, tensor.U32: {32, 0, 32, 0, false}, tensor.U64: {64, 0, 64, 0, false},
	tensor.I8: {7, -7, 7, 0, false}, tensor.I16: {15, -15, 15, 0, false}, tensor.I32: {31, -31, 31, 0, false}, tensor.I64: {63, -63, 63, 0, false},
	tensor.F16: {11, -15, 15, -24, true}, tensor.BF16: {8, -127, 127, -133, true},
	tensor.F32: {24, -127, 127, -149, true}, tensor.F64: {53, -1023, 1023, -1074, true},
}
