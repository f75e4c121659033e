package mutate

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
)

// attributeOf returns a random node, the index of one of its attributes, and the node's site.
func (s *spoiler) attributeOf() (*onnxpb.NodeProto, int, []Site) {
	n, at := s.draw(hasAttributes)
	if n == nil {
		return nil, 0, nil
	}
	return n, s.rng.IntN(len(n.Attribute)), []Site{at}
}

func (s *spoiler) renameAttribute() (string, []Site) {
	n, i, at := s.attributeOf()
	if n == nil {
		return "", nil
	}
	was := n.Attribute[i].GetName()
	n.Attribute[i].Name = proto.String(s.misspelt(was))
	return fmt.Sprintf("%s of %s is called %s", was, n.GetOpType(), n.Attribute[i].GetName()), at
}

func (s *spoiler) removeAttribute() (string, []Site) {
	n, i, at := s.attributeOf()
	if n == nil {
		return "", nil
	}
	was := n.Attribute[i].GetName()
	n.Attribute = slices.Delete(n.Attribute, i, i+1)
	return fmt.Sprintf("%s has lost %s", n.GetOpType(), was), at
}

func (s *spoiler) doubleAttribute() (string, []Site) {
	n, i, at := s.attributeOf()
	if n == nil {
		return "", nil
	}
	n.Attribute = append(n.Attribute, proto.CloneOf(n.Attribute[i]))
	return fmt.Sprintf("%s has %s twice", n.GetOpType(), n.Attribute[i].GetName()), at
}

// retypeAttribute replaces an attribute by one of a similar type: a number for a list, a float for
// an integer, a string for a number.
func (s *spoiler) retypeAttribute() (string, []Site) {
	n, i, at := s.attributeOf()
	if n == nil {
		return "", nil
	}
	a := n.Attribute[i]
	other := &onnxpb.AttributeProto{Name: a.Name}
	switch a.GetType() {
	case onnxpb.AttributeProto_INT:
		other.F, other.Type = proto.Float32(float32(a.GetI())), onnxpb.AttributeProto_FLOAT.Enum()
	case onnxpb.AttributeProto_FLOAT:
		other.I, other.Type = proto.Int64(int64(a.GetF())), onnxpb.AttributeProto_INT.Enum()
	case onnxpb.AttributeProto_STRING:
		other.Strings, other.Type = [][]byte{a.GetS()}, onnxpb.AttributeProto_STRINGS.Enum()
	case onnxpb.AttributeProto_INTS:
		other.S, other.Type = fmt.Append(nil, a.GetInts()), onnxpb.AttributeProto_STRING.Enum()
	default:
		return "", nil
	}
	n.Attribute[i] = other
	return fmt.Sprintf("%s of %s is of type %v", a.GetName(), n.GetOpType(), other.GetType()), at
}

// changeAttribute gives an attribute another value of its type.
func (s *spoiler) changeAttribute() (string, []Site) {
	n, i, at := s.attributeOf()
	if n == nil {
		return "", nil
	}
	a := n.Attribute[i]
	switch a.GetType() {
	case onnxpb.AttributeProto_INT:
		a.I = proto.Int64(pick(s.mutator, []int64{-1, 0, 3, 7, -9, 99}))
	case onnxpb.AttributeProto_STRING:
		a.S = []byte(s.misspelt(string(a.GetS())))
	case onnxpb.AttributeProto_INTS:
		a.Ints = s.list(a.GetInts())
	default:
		return "", nil
	}
	return fmt.Sprintf("%s of %s is %d %q %d", a.GetName(), n.GetOpType(), a.GetI(), a.GetS(), a.GetInts()), at
}
