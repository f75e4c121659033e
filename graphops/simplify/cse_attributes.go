package simplify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// maxCompared is the maximum number of bytes of an attribute that are read for comparison.
const maxCompared = 1 << 16

// attributesText returns a canonical text of a node's attributes, sorted and without default
// values. It is empty if an attribute cannot be compared: a graph, a sparse tensor, or large data.
func attributesText(n *rewrite.Node) string {
	schema := n.Schema()
	lines := []string{"attributes"}
	for _, a := range n.Attributes() {
		text, ok := attributeText(a)
		if !ok {
			return ""
		}
		if def, ok := defaultText(schema, a.Name()); ok && def == text {
			continue
		}
		lines = append(lines, fmt.Sprintf("%q %s", a.Name(), text))
	}
	slices.Sort(lines[1:])
	return strings.Join(lines, "\n")
}

func attributeText(a *graphops.Attribute) (string, bool) {
	if ref := a.RefName(); ref != "" {
		return fmt.Sprintf("ref %d %q", a.Kind(), ref), true
	}
	if _, deferred := a.Deferred(); deferred {
		return "", false
	}
	if a.Kind() == graphops.AttrTensor {
		return tensorText(a.Tensor())
	}
	return numbersText(a.Kind(), a)
}

// holder is the value of an attribute, or its default value.
type holder interface {
	Int() int64
	Float() float32
	Text() string
	Ints() []int64
	Floats() []float32
	Texts() []string
}

// numbersText returns a text for an attribute of numbers or strings. ok is false for other
// kinds.
func numbersText(kind graphops.AttributeKind, a holder) (said string, ok bool) {
	switch kind {
	case graphops.AttrInt:
		return intsText(a.Int()), true
	case graphops.AttrFloat:
		return floatsText(a.Float()), true
	case graphops.AttrString:
		return textsText(a.Text()), true
	case graphops.AttrInts:
		return "list " + intsText(a.Ints()...), true
	case graphops.AttrFloats:
		return "list " + floatsText(a.Floats()...), true
	case graphops.AttrStrings:
		return "list " + textsText(a.Texts()...), true
	}
	return "", false
}

func intsText(list ...int64) string { return fmt.Sprintf("ints %d", list) }

// floatsText compares bits: NaN equals itself, and 0 differs from -0.
func floatsText(list ...float32) string {
	bits := make([]uint32, len(list))
	for i, f := range list {
		bits[i] = math.Float32bits(f)
	}
	return fmt.Sprintf("floats %x", bits)
}

func textsText(list ...string) string { return fmt.Sprintf("texts %q", list) }

func tensorText(t *graphops.Tensor) (string, bool) {
	if t == nil {
		return "", false
	}
	if n, err := t.ByteLen(); err != nil || n > maxCompared {
		return "", false
	}
	head := fmt.Sprintf("tensor %d %s ", t.DType(), tensor.FormatShape(t.Dims()))
	if t.DType() == tensor.String {
		list, err := t.Strings()
		return head + textsText(list...), err == nil
	}
	p, err := t.Data()
	if err != nil {
		return "", false
	}
	data, err := p.Bytes()
	return fmt.Sprintf("%s%x", head, data), err == nil
}

// defaultText returns the text of an attribute's default value.
func defaultText(s *opschema.Schema, name string) (string, bool) {
	a, ok := s.Attribute(name)
	if !ok || !a.HasDefault() {
		return "", false
	}
	return numbersText(a.Kind, a)
}
