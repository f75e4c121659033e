package bounds

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// Mask describes an input that masks attention scores.
type Mask struct {
	Why     string // the node that applies the mask
	Padding bool   // 1 marks elements to ignore instead of elements that count
}

// MasksOf returns the inputs of the main graph that mask attention scores. It recognizes them by
// the computation. A mask consists of ones and zeros. Three uses of it are recognized: it is
// converted to a number that is added to the scores before a Softmax, it selects between the scores
// and another number, or an attention operator reads it as its mask. An input that is added as it
// is may be any bias and does not count as a mask.
func MasksOf(m *graphops.Model) map[string]Mask {
	found := map[string]Mask{}
	w := &maskWalk{model: m, graph: m.Graph(), left: maxMaskSteps}
	x := m.Graph().Index()
	for _, in := range m.Graph().FeedInputs() {
		v, ok := x.Value(in.Name())
		t := in.Type()
		if !ok || t.Kind != graphops.TypeTensor || len(t.Shape) == 0 || t.Elem == tensor.String {
			continue
		}
		if mask, ok := w.from(v, t); ok {
			found[in.Name()] = mask
		}
	}
	return found
}

// maxMaskSteps limits how many nodes are examined in all. A malicious model could otherwise take
// quadratic time. When the limit is reached, further inputs are not recognized as masks.
const maxMaskSteps = 1 << 18

// stage is the form that a mask has reached in the computation.
type stage uint8

const (
	bare    stage = iota // ones and zeros
	turned               // a number to add to scores: 0 for those that count
	applied              // the masked scores
)

type maskWalk struct {
	model *graphops.Model
	graph *graphops.Graph
	left  int
	ranks int // rank of the input
	logic bool
}

// at is a value that is computed from a mask, and the form of the mask in it.
type at struct {
	v  graphops.ValueID
	is stage
	// flipped is set if the meaning is inverted: the value is 1 or true if the input is 0. If
	// the form is turned, it is set if elements are masked where the input is 1.
	flipped bool
}

// from follows an input to the node that applies it as a mask. ok is false if there is none.
func (w *maskWalk) from(v graphops.ValueID, t graphops.Type) (_ Mask, ok bool) {
	x := w.graph.Index()
	w.ranks, w.logic = len(t.Shape), t.Elem.Kind() != tensor.KindFloat
	seen := map[at]bool{{v: v}: true}
	for todo := []at{{v: v}}; len(todo) > 0; todo = todo[1:] {
		for _, reader := range x.Readers(todo[0].v) {
			if w.left--; w.left < 0 {
				return Mask{}, false
			}
			n := w.graph.Nodes()[reader]
			to, goesOn, masks := w.through(n, todo[0], seen)
			if masks {
				return Mask{"it masks what " + nodeText(n, int(reader)) + " reads", todo[0].flipped}, true
			}
			if !goesOn || len(n.Outputs()) == 0 {
				continue
			}
			if to.v, ok = x.Value(n.Output(0)); ok && !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		}
	}
	return Mask{}, false
}

// through returns what a node makes of a mask. goesOn is true if its output has to be followed
// further. masks is true if this node is the one that masks the scores.
func (w *maskWalk) through(n *graphops.Node, from at, seen map[at]bool) (to at, goesOn, masks bool) {
	if w.isAttention(n, from) {
		return from, false, true
	}
	if n.Domain() != graphops.DefaultDomain {
		return from, false, false
	}
	first := len(n.Inputs()) > 0 && w.reads(n.Input(0), from)
	to = from
	switch n.OpType() {
	case "Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape", "Expand", "Slice", "Tile", "Transpose", "Flatten", "Gather", "GatherND", "GatherElements", "QuantizeLinear", "DequantizeLinear":
		return to, first, false
	case "Softmax", "LogSoftmax":
		return to, false, from.is == applied
	case "Not", "And", "Or", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual":
		to.flipped = from.flipped != w.flips(n, first)
		return to, from.is == bare, false
	case "Where":
		if from.is == bare && first {
			to.is, to.flipped = w.chosen(n), from.flipped != w.masksWhereTrue(n)
			return to, true, false
		}
		return to, from.is != bare, false
	case "Sub":
		if from.is == bare {
			to.is = turned
			return to, slices.ContainsFunc(n.Inputs(), w.isOne), false
		}
		return to, true, false
	case "Mul", "Div":
		return to, from.is != bare || w.amongConstants(n, from, seen), false
	case "Add", "Max", "Min":
		to.is = applied
		return to, from.is != bare, false
	}
	return to, false, false
}

// flips reports whether a comparison or a Not is true for 0 and false for 1.
func (w *maskWalk) flips(n *graphops.Node, first bool) bool {
	if n.Is("Not") {
		return true
	}
	if len(n.Inputs()) != 2 {
		return false
	}
	other := 0
	if first {
		other = 1
	}
	c, ok := w.constant(n.Inputs()[other])
	holds := func(x float64) bool {
		a, b := x, c
		if !first {
			a, b = b, a
		}
		switch n.StandardOp() {
		case "Equal":
			return a == b
		case "Less":
			return a < b
		case "LessOrEqual":
			return a <= b
		case "Greater":
			return a > b
		case "GreaterOrEqual":
			return a >= b
		}
		return x != 0
	}
	return ok && holds(0) && !holds(1)
}

// masksWhereTrue reports whether a Where masks elements whose condition is true. Of its two values,
// the one that masks is the lower constant, or the only one that is a constant.
func (w *maskWalk) masksWhereTrue(n *graphops.Node) bool {
	if len(n.Inputs()) != 3 {
		return false
	}
	a, isA := w.constant(n.Input(1))
	b, isB := w.constant(n.Input(2))
	return isA && (!isB || a < b)
}

// chosen returns the form of the result of a Where. If both values are constants, it is a number to
// add to the scores. Otherwise it is the masked scores.
func (w *maskWalk) chosen(n *graphops.Node) stage {
	for _, name := range n.Inputs()[1:] {
		if !w.isConstant(name) {
			return applied
		}
	}
	return turned
}

// amongConstants reports whether every input of a node is a constant or has been computed from the
// same mask.
func (w *maskWalk) amongConstants(n *graphops.Node, from at, seen map[at]bool) bool {
	x := w.graph.Index()
	for _, name := range n.Inputs() {
		v, ok := x.Value(name)
		if ok && v != from.v && !seen[at{v: v}] && !w.isConstant(name) {
			return false
		}
	}
	return true
}

func (w *maskWalk) reads(name string, from at) bool {
	v, ok := w.graph.Index().Value(name)
	return ok && v == from.v
}

// isConstant reports whether a value is an initializer or made by a constant node.
func (w *maskWalk) isConstant(name string) bool {
	x := w.graph.Index()
	v, ok := x.Value(name)
	if !ok {
		return false
	}
	if i := x.Producer(v); i >= 0 {
		op := w.graph.Nodes()[i].OpType()
		return op == "Constant" || op == "ConstantOfShape"
	}
	return x.IsInitializer(v)
}

// isOne reports whether a value is the constant 1. Subtracting a mask from 1 inverts it.
func (w *maskWalk) isOne(name string) bool {
	c, ok := w.constant(name)
	return ok && c == 1
}

// constant returns the value of a constant if all its elements are equal.
func (w *maskWalk) constant(name string) (float64, bool) {
	x := w.graph.Index()
	v, ok := x.Value(name)
	if !ok {
		return 0, false
	}
	t := x.Initializer(v)
	if i := x.Producer(v); i >= 0 {
		switch n := w.graph.Nodes()[i]; n.StandardOp() {
		case "Constant", "ConstantOfShape":
			if a, ok := n.Attribute("value"); ok {
				t = a.Tensor()
			}
		case "Cast", "CastLike", "Identity":
			if len(n.Inputs()) > 0 && w.isConstant(n.Input(0)) {
				return w.constant(n.Input(0))
			}
		}
	}
	if t == nil {
		return 0, false
	}
	values, ok := elements(t)
	if !ok || len(values) == 0 || slices.ContainsFunc(values, func(v float64) bool { return v != values[0] }) {
		return 0, false
	}
	return values[0], true
}

// isAttention reports whether a node is an attention operator that reads the value as its mask.
func (w *maskWalk) isAttention(n *graphops.Node, from at) bool {
	if !strings.Contains(n.OpType(), "Attention") || from.is == applied {
		return false
	}
	version, _ := w.model.Opset(n.Domain())
	schema, ok := opschema.Find(n.Domain(), n.OpType(), version)
	if !ok {
		return false
	}
	for i, name := range n.Inputs() {
		if p, ok := schema.Input(i); ok && strings.Contains(p.Name, "mask") && w.reads(name, from) {
			return from.is == turned || w.logic && w.ranks > 1
		}
	}
	return false
}

// nodeText returns how messages call a node.
func nodeText(n *graphops.Node, i int) string {
	if n.Name() != "" {
		return fmt.Sprintf("%s %q", n.OpType(), n.Name())
	}
	return fmt.Sprintf("%s, unnamed node %d,", n.OpType(), i)
}
