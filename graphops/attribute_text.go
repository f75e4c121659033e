package graphops

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"lathe/graphops/tensor"
)

const (
	// maxItems is the maximum number of items of a list or tensor that are shown.
	maxItems = 16
	// maxText is the maximum number of bytes of a text that are shown.
	maxText = 200
)

// String formats the attribute's value for reports, in the form in which a user would type it,
// except that strings are quoted and long values are shortened. It returns an empty string for nil.
func (a *Attribute) String() string {
	if a == nil {
		return ""
	}
	if a.RefName() != "" {
		return fmt.Sprintf("the function's %q", a.RefName())
	}
	if size, deferred := a.Deferred(); deferred {
		return fmt.Sprintf("%s of %d bytes", a.Kind(), size)
	}
	switch kind := a.Kind(); kind {
	case AttrInt:
		return intText(a.Int())
	case AttrFloat:
		return floatText(a.Float())
	case AttrString:
		return ShortQuoted(a.Text())
	case AttrInts:
		return listText(a.Ints(), intText)
	case AttrFloats:
		return listText(a.Floats(), floatText)
	case AttrStrings:
		return listText(a.Texts(), ShortQuoted)
	case AttrTensor:
		return a.Tensor().Literal()
	case AttrSparseTensor:
		return a.Sparse().form()
	case AttrSparseTensors:
		return listText(a.SparseTensors(), (*SparseTensor).form)
	default:
		return kind.String()
	}
}

func intText(v int64) string { return strconv.FormatInt(v, 10) }

// floatText formats a float so that it cannot be mistaken for an integer: 1.0 instead of 1.
func floatText(v float32) string {
	switch x := float64(v); {
	case math.IsNaN(x):
		return "nan"
	case math.IsInf(x, 0):
		return strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 32), "+"))
	default:
		s := strconv.FormatFloat(x, 'g', -1, 32)
		if !strings.ContainsAny(s, ".e") {
			s += ".0"
		}
		return s
	}
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

// ShortQuoted quotes a text for reports. Long texts are shortened.
func ShortQuoted(s string) string {
	if more := len(s) - maxText; more > 0 {
		return fmt.Sprintf("%q… %d bytes more", s[:maxText], more)
	}
	return strconv.Quote(s)
}

// Literal formats a tensor for reports: a small one with all of its elements, and a large one with
// its type and shape only.
func (t *Tensor) Literal() string {
	if t == nil {
		return "a tensor that is missing"
	}
	head := t.DType().String() + shapeText(t.Dims())
	n, err := tensor.Elements(t.Dims())
	if size, errSize := t.ByteLen(); err != nil || errSize != nil || n > maxItems || size > maxItems*maxText {
		return head + "{…}"
	}
	v, err := t.Read()
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

// form returns the type and shape of a sparse tensor. If the values or the indices are missing, it
// says so.
func (s *SparseTensor) form() string {
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
