package detail

import (
	"fmt"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/text"
	"lathe/tui/cells"
)

// fewItems is how many elements of a list attribute are shown.
const fewItems = 8

// attributeText returns an attribute's value in short form, safe to print.
func attributeText(a *graphops.Attribute) string {
	if ref := a.RefName(); ref != "" {
		return "the function's " + cells.Label(ref)
	}
	if size, ok := a.Deferred(); ok {
		return kindWord(a.Kind()) + ", " + text.Bytes(size) + " in the file"
	}
	switch a.Kind() {
	case graphops.AttrInt:
		return strconv.FormatInt(a.Int(), 10)
	case graphops.AttrFloat:
		return floatText(a.Float())
	case graphops.AttrString:
		return QuoteText(a.Text())
	case graphops.AttrInts:
		return listText(a.Ints(), func(v int64) string { return strconv.FormatInt(v, 10) })
	case graphops.AttrFloats:
		return listText(a.Floats(), floatText)
	case graphops.AttrStrings:
		return listText(a.Texts(), QuoteText)
	case graphops.AttrTensor, graphops.AttrTensors:
		return listOrOne(a.Tensors(), tensorText)
	case graphops.AttrGraph, graphops.AttrGraphs:
		return listOrOne(a.Graphs(), graphText)
	case graphops.AttrSparseTensor, graphops.AttrSparseTensors:
		return "sparse tensor" + sparseShape(a)
	case graphops.AttrTypeProto, graphops.AttrTypeProtos:
		return "type"
	default:
		return fmt.Sprintf("of unknown kind %d", a.Kind())
	}
}

// kindWord returns the word for what an attribute contains that is too large to show, such as
// "floats".
func kindWord(k graphops.AttributeKind) string {
	switch k {
	case graphops.AttrFloats:
		return "floats"
	case graphops.AttrInts:
		return "integers"
	case graphops.AttrStrings:
		return "strings"
	case graphops.AttrString:
		return "text"
	default:
		return fmt.Sprintf("kind %d", k)
	}
}

func floatText(v float32) string { return strconv.FormatFloat(float64(v), 'g', -1, 32) }

// QuoteText returns a string attribute in quotes. It is escaped like a name.
func QuoteText(s string) string { return "\"" + cells.Label(s) + "\"" }

func listText[T any](items []T, write func(T) string) string {
	words := make([]string, 0, fewItems)
	for _, v := range items[:min(len(items), fewItems)] {
		words = append(words, write(v))
	}
	s := strings.Join(words, ", ")
	if len(items) > fewItems {
		s += fmt.Sprintf(", … %s in all", text.Count(int64(len(items))))
	}
	return "[" + s + "]"
}

func listOrOne[T any](items []T, write func(T) string) string {
	if len(items) == 1 {
		return write(items[0])
	}
	return listText(items, write)
}

func tensorText(t *graphops.Tensor) string {
	s := t.DType().String() + " " + tensor.FormatShape(t.Dims())
	if size, err := t.ByteLen(); err == nil {
		s += ", " + text.Bytes(size)
	}
	return s
}

func graphText(g *graphops.Graph) string {
	return fmt.Sprintf("graph %s, %s", QuoteText(g.Name()), text.Plural(len(g.Nodes()), "node"))
}

// sparseShape returns the shape of an attribute's only sparse tensor.
func sparseShape(a *graphops.Attribute) string {
	if s := a.Sparse(); s != nil {
		return " " + tensor.FormatShape(s.Dims())
	}
	return ""
}
