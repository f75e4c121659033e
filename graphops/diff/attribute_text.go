package diff

import (
	"fmt"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// attributeText writes an attribute as a person would type it, long ones cut.
func attributeText(a *graphops.Attribute) string {
	if a.RefName() != "" {
		return fmt.Sprintf("the function's %q", a.RefName())
	}
	if size, deferred := a.Deferred(); deferred {
		return fmt.Sprintf("%s of %d bytes", a.Kind(), size)
	}
	switch a.Kind() {
	case graphops.AttrInt:
		return strconv.FormatInt(a.Int(), 10)
	case graphops.AttrFloat:
		return floatText(a.Float())
	case graphops.AttrString:
		return quoted(a.Text())
	case graphops.AttrInts:
		return listText(a.Ints(), func(v int64) string { return strconv.FormatInt(v, 10) })
	case graphops.AttrFloats:
		return listText(a.Floats(), floatText)
	case graphops.AttrStrings:
		return listText(a.Texts(), quoted)
	case graphops.AttrTensor:
		return tensorText(a.Tensor())
	case graphops.AttrSparseTensor:
		return sparseText(a.Sparse())
	case graphops.AttrSparseTensors:
		return listText(a.SparseTensors(), sparseText)
	default:
		return a.Kind().String()
	}
}

// sparseText tells the type and shape of a sparse tensor, and which half it lacks.
func sparseText(s *graphops.SparseTensor) string {
	if s == nil {
		return "a sparse tensor that is missing"
	}
	out := "sparse " + s.DType().String() + shapeText(s.Dims())
	if s.Values() == nil {
		out += " without values"
	}
	if s.Indices() == nil {
		out += " without indices"
	}
	return out
}

func shapeText(dims []int64) string { return strings.ReplaceAll(fmt.Sprint(dims), " ", ",") }

func floatText(v float32) string {
	s := strconv.FormatFloat(float64(v), 'g', -1, 32)
	if !strings.ContainsAny(s, ".eNI") {
		s += ".0"
	}
	return s
}

func listText[T any](list []T, write func(T) string) string {
	items := make([]string, min(len(list), maxItems))
	for i := range items {
		items[i] = write(list[i])
	}
	s := strings.Join(items, ",")
	if more := len(list) - maxItems; more > 0 {
		s += fmt.Sprintf(",… %d more", more)
	}
	return "[" + s + "]"
}

func quoted(s string) string {
	if more := len(s) - maxText; more > 0 {
		return fmt.Sprintf("%q… %d bytes more", s[:maxText], more)
	}
	return strconv.Quote(s)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// tensorText writes a small tensor in full, of others type and shape.
func tensorText(t *graphops.Tensor) string {
	if t == nil {
		return "a tensor that is missing"
	}
	head := t.DType().String() + shapeText(t.Dims())
	c := new(heads).dense(t, -1)
	if !c.isShort() {
		return head + "{…}"
	}
	v := tensor.Tensor{DType: t.DType(), Shape: t.Dims()}
	var err error
	if t.DType() == tensor.String {
		v.Strings, err = t.Strings()
	} else {
		var p graphops.Payload
		if p, err = t.Data(); err == nil {
			v.Data, err = p.Bytes()
		}
	}
	if err != nil {
		return head + "{unreadable}"
	}
	s, err := v.Literal()
	if err != nil {
		return head + "{unreadable}"
	}
	if more := len(s) - maxText; more > 0 {
		return fmt.Sprintf("%s… %d bytes more", s[:maxText], more)
	}
	return s
}
