package bounds

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// MasksOf are the inputs of the main graph that mask scores of attention, by what is
// computed of them, each with who reads it so: a mask of ones and zeros is turned into
// what is added to the scores before a Softmax, or what chooses between them and another
// number, or an operator of attention takes it as one. What is added as it is may be any
// bias and is not among them.
func MasksOf(m *graphops.Model) map[string]string {
	found := map[string]string{}
	w := &maskWalk{model: m, graph: m.Graph(), left: maxMaskSteps}
	x := m.Graph().Index()
	for _, in := range m.Graph().FeedInputs() {
		v, ok := x.Value(in.Name())
		t := in.Type()
		if !ok || t.Kind != graphops.TypeTensor || len(t.Shape) == 0 || t.Elem == tensor.String {
			continue
		}
		if why := w.from(v, t); why != "" {
			found[in.Name()] = why
		}
	}
	return found
}

// maxMaskSteps bounds how many readers are looked at, so that a model made for it cannot
// take quadratic time. What is not reached is taken for no mask.
const maxMaskSteps = 1 << 18

// stage is what has become of a mask.
type stage uint8

const (
	bare    stage = iota // ones and zeros
	turned               // what is added to scores: 0 where they count
	applied              // the scores with it
)

type maskWalk struct {
	model *graphops.Model
	graph *graphops.Graph
	left  int
	ranks int // of the input
	logic bool
}

// at is a value on the way, and what it is.
type at struct {
	v  graphops.ValueID
	is stage
}

// from follows an input to who masks with it; "" where nobody does.
func (w *maskWalk) from(v graphops.ValueID, t graphops.Type) string {
	x := w.graph.Index()
	w.ranks, w.logic = len(t.Shape), t.Elem.Kind() != tensor.KindFloat
	seen := map[at]bool{{v, bare}: true}
	for todo := []at{{v, bare}}; len(todo) > 0; todo = todo[1:] {
		for _, reader := range x.Readers(todo[0].v) {
			if w.left--; w.left < 0 {
				return ""
			}
			n := w.graph.Nodes()[reader]
			is, goesOn, masks := w.through(n, todo[0], seen)
			if masks {
				return "it masks what " + nodeText(n, int(reader)) + " reads"
			}
			if !goesOn || len(n.Outputs()) == 0 {
				continue
			}
			if out, ok := x.Value(n.Outputs()[0]); ok && !seen[at{out, is}] {
				seen[at{out, is}] = true
				todo = append(todo, at{out, is})
			}
		}
	}
	return ""
}

// through tells what a node makes of a mask, or that it is who masks with it.
func (w *maskWalk) through(n *graphops.Node, from at, seen map[at]bool) (is stage, goesOn, masks bool) {
	if w.isAttention(n, from) {
		return 0, false, true
	}
	if n.Domain() != graphops.DefaultDomain {
		return 0, false, false
	}
	first := len(n.Inputs()) > 0 && w.reads(n.Inputs()[0], from)
	switch n.OpType() {
	case "Identity", "Cast", "Unsqueeze", "Squeeze", "Reshape", "Expand", "Slice", "Tile", "Transpose", "Flatten", "Gather", "GatherND", "GatherElements", "QuantizeLinear", "DequantizeLinear":
		return from.is, first, false
	case "Softmax", "LogSoftmax":
		return 0, false, from.is == applied
	case "Not", "And", "Or", "Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual":
		return bare, from.is == bare, false
	case "Where":
		if from.is == bare && first {
			return w.chosen(n), true, false
		}
		return from.is, from.is != bare, false
	case "Sub":
		if from.is == bare {
			return turned, slices.ContainsFunc(n.Inputs(), w.isOne), false
		}
		return from.is, true, false
	case "Mul", "Div":
		return from.is, from.is != bare || w.amongConstants(n, from, seen), false
	case "Add", "Max", "Min":
		return applied, from.is != bare, false
	}
	return 0, false, false
}

// chosen is what a Where makes by a mask: what is to be added, of two constants, else
// scores in which some are replaced.
func (w *maskWalk) chosen(n *graphops.Node) stage {
	for _, name := range n.Inputs()[1:] {
		if !w.isConstant(name) {
			return applied
		}
	}
	return turned
}

// amongConstants reports whether the other operands of a node are constants, or the same
// mask.
func (w *maskWalk) amongConstants(n *graphops.Node, from at, seen map[at]bool) bool {
	x := w.graph.Index()
	for _, name := range n.Inputs() {
		v, ok := x.Value(name)
		if ok && v != from.v && !seen[at{v, bare}] && !w.isConstant(name) {
			return false
		}
	}
	return true
}

func (w *maskWalk) reads(name string, from at) bool {
	v, ok := w.graph.Index().Value(name)
	return ok && v == from.v
}

// isConstant reports whether no run changes a value.
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

// isOne reports whether a value is a constant 1, of which a mask is taken away.
func (w *maskWalk) isOne(name string) bool {
	x := w.graph.Index()
	v, ok := x.Value(name)
	if !ok {
		return false
	}
	t := x.Initializer(v)
	if i := x.Producer(v); i >= 0 && w.graph.Nodes()[i].OpType() == "Constant" {
		if a, ok := w.graph.Nodes()[i].Attribute("value"); ok {
			t = a.Tensor()
		}
	}
	if t == nil {
		return false
	}
	if n, err := t.Elements(); err != nil || n != 1 {
		return false
	}
	read, err := t.Read()
	if err != nil {
		return false
	}
	values, err := read.Float64s()
	return err == nil && values[0] == 1
}

// isAttention reports whether an operator takes a value as a mask of ones and zeros.
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

// nodeText names a node.
func nodeText(n *graphops.Node, i int) string {
	if n.Name() != "" {
		return fmt.Sprintf("%s %q", n.OpType(), n.Name())
	}
	return fmt.Sprintf("%s, unnamed node %d,", n.OpType(), i)
}
