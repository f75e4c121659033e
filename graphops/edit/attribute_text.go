package edit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

const (
	// maxItems is how many items of a list or tensor a report shows.
	maxItems = 16
	// maxText is how many bytes of a text a report shows.
	maxText = 200
)

// attributeText writes an attribute for reports, as a person would type it except
// that a string is quoted and that long ones are cut; "" for nil.
func attributeText(a *graphops.Attribute) string {
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
	case graphops.AttrInt:
		return intText(a.Int())
	case graphops.AttrFloat:
		return floatText(a.Float())
	case graphops.AttrString:
		return shortQuoted(a.Text())
	case graphops.AttrInts:
		return listText(a.Ints(), intText)
	case graphops.AttrFloats:
		return listText(a.Floats(), floatText)
	case graphops.AttrStrings:
		return listText(a.Texts(), shortQuoted)
	case graphops.AttrTensor:
		return tensorText(a.Tensor())
	default:
		return kind.String()
	}
}

func intText(v int64) string { return strconv.FormatInt(v, 10) }

// floatText writes a float so that it is not taken for an integer.
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

// shortQuoted quotes a text, the start of it if it is long.
func shortQuoted(s string) string {
	if more := len(s) - maxText; more > 0 {
		return fmt.Sprintf("%q… %d bytes more", s[:maxText], more)
	}
	return strconv.Quote(s)
}

// tensorText writes a small tensor in full, of others type and shape.
func tensorText(t *graphops.Tensor) string {
	if t == nil {
		return "a tensor that is missing"
	}
	head := t.DType().String() + strings.ReplaceAll(fmt.Sprint(t.Dims()), " ", ",")
	n, err := tensor.Elements(t.Dims())
	if size, errSize := t.ByteLen(); err != nil || errSize != nil || n > maxItems || size > maxItems*maxText {
		return head + "{…}"
	}
	v, err := elementsOf(t)
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
