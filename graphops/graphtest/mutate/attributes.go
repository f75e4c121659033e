package mutate

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
)

// carrier returns a random node that has attributes.
func (m *mutator) carrier() *onnxpb.NodeProto {
	return pick(m, slices.DeleteFunc(m.nodes(), func(n *onnxpb.NodeProto) bool { return len(n.GetAttribute()) == 0 }))
}

func (m *mutator) attribute() string {
	n := m.carrier()
	if n == nil {
		return ""
	}
	a := pick(m, n.GetAttribute())
	if !m.setAttribute(a) {
		return ""
	}
	return fmt.Sprintf("%s: %s is %s", n.GetOpType(), a.GetName(), shown(a))
}

// setAttribute gives an attribute another value of its type.
func (m *mutator) setAttribute(a *onnxpb.AttributeProto) bool {
	switch a.GetType() {
	case onnxpb.AttributeProto_INT:
		a.I = proto.Int64(m.whole(a.GetI()))
	case onnxpb.AttributeProto_INTS:
		a.Ints = m.list(a.GetInts())
	case onnxpb.AttributeProto_FLOAT:
		a.F = proto.Float32(float32(pick(m, floats)))
	case onnxpb.AttributeProto_FLOATS:
		a.Floats = m.floatList(a.GetFloats())
	case onnxpb.AttributeProto_STRING:
		a.S = []byte(pick(m, words))
	case onnxpb.AttributeProto_STRINGS:
		a.Strings = m.wordList(a.GetStrings())
	default:
		return false
	}
	return true
}

func (m *mutator) floatList(was []float32) []float32 {
	out := slices.Clone(was)
	if len(out) == 0 || m.rng.IntN(3) == 0 {
		return append(out, float32(pick(m, floats)))
	}
	if m.rng.IntN(2) == 0 {
		return out[:m.rng.IntN(len(out))]
	}
	out[m.rng.IntN(len(out))] = float32(pick(m, floats))
	return out
}

func (m *mutator) wordList(was [][]byte) [][]byte {
	out := slices.Clone(was)
	if len(out) == 0 || m.rng.IntN(3) == 0 {
		return append(out, []byte(pick(m, words)))
	}
	if m.rng.IntN(2) == 0 {
		return out[:m.rng.IntN(len(out))]
	}
	out[m.rng.IntN(len(out))] = []byte(pick(m, words))
	return out
}

func shown(a *onnxpb.AttributeProto) string {
	switch a.GetType() {
	case onnxpb.AttributeProto_INT:
		return fmt.Sprint(a.GetI())
	case onnxpb.AttributeProto_INTS:
		return fmt.Sprint(a.GetInts())
	case onnxpb.AttributeProto_FLOAT:
		return fmt.Sprint(a.GetF())
	case onnxpb.AttributeProto_FLOATS:
		return fmt.Sprint(a.GetFloats())
	case onnxpb.AttributeProto_STRING:
		return fmt.Sprintf("%q", a.GetS())
	}
	return fmt.Sprintf("%q", a.GetStrings())
}

func (m *mutator) dropAttribute() string {
	n := m.carrier()
	if n == nil {
		return ""
	}
	i := m.rng.IntN(len(n.Attribute))
	name := n.Attribute[i].GetName()
	n.Attribute = slices.Delete(n.Attribute, i, i+1)
	return fmt.Sprintf("%s: no %s", n.GetOpType(), name)
}

// foreignAttribute copies an attribute from a node of another base to a node, and may change it. It
// prefers a base with the same operator.
func (m *mutator) foreignAttribute() string {
	n := pick(m, m.nodes())
	if n == nil {
		return ""
	}
	same := slices.DeleteFunc(slices.Clone(m.others), func(b Base) bool {
		nodes := b.Model.GetGraph().GetNode()
		return len(nodes) == 0 || nodes[0].GetOpType() != n.GetOpType() || len(nodes[0].GetAttribute()) == 0
	})
	if len(same) == 0 {
		return ""
	}
	a := proto.CloneOf(pick(m, pick(m, same).Model.GetGraph().GetNode()[0].GetAttribute()))
	if m.rng.IntN(2) == 0 {
		m.setAttribute(a)
	}
	n.Attribute = append(slices.DeleteFunc(n.Attribute, func(b *onnxpb.AttributeProto) bool { return b.GetName() == a.GetName() }), a)
	return fmt.Sprintf("%s: %s of another one", n.GetOpType(), a.GetName())
}
