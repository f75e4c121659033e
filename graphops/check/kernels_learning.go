package check

import (
	"fmt"

	"lathe/graphops"
)

// labels checks the keys and values of a LabelEncoder. Each is one of several lists, or in later
// versions a tensor.
func (n settings) labels(since int64) string {
	if since < 2 {
		return n.empty("classes_strings")
	}
	kinds := []string{"strings", "int64s", "floats"}
	if since >= 4 {
		kinds = append(kinds, "tensor")
	}
	keys, text := n.list("keys_", kinds)
	if text != "" {
		return text
	}
	values, text := n.list("values_", kinds)
	if text != "" {
		return text
	}
	k, v := n.count(keys), n.count(values)
	if k >= 0 && v >= 0 && k != v {
		return fmt.Sprintf("attribute %q has %d elements, but %q has %d, expected the same number", keys, k, values, v)
	}
	if since < 4 {
		return ""
	}
	return n.defaultLabel(values)
}

// list returns the name of the one attribute among several that is given. If none or more than one
// is given, it returns a message.
func (n settings) list(prefix string, kinds []string) (name, text string) {
	var given, names []string
	for _, kind := range kinds {
		names = append(names, prefix+kind)
		if _, ok := n.Attribute(prefix + kind); ok {
			given = append(given, prefix+kind)
		}
	}
	switch len(given) {
	case 0:
		return "", "none of the attributes " + graphops.QuoteNames(names) + " is set, expected one of them"
	case 1:
		return given[0], ""
	default:
		return "", "the attributes " + graphops.QuoteNames(given) + " are set, expected only one of them"
	}
}

// own returns an attribute if the node itself has its value. elsewhere is set if the attribute
// refers to one of the function's call.
func (n settings) own(name string) (value *graphops.Attribute, elsewhere bool) {
	value, ok := n.Attribute(name)
	if ok && value.RefName() != "" {
		return nil, true
	}
	return value, false
}

// empty returns a message if one of the lists is missing or empty.
func (n settings) empty(names ...string) string {
	for _, name := range names {
		if length, known := n.length(name); known && length == 0 {
			return fmt.Sprintf("attribute %q is missing or empty, and the kernel needs it", name)
		}
	}
	return ""
}

// count returns the length of a list or of a one-dimensional tensor, -1 if unknown.
func (n settings) count(name string) int {
	value, elsewhere := n.own(name)
	if elsewhere || value == nil {
		return -1
	}
	if value.Kind() != graphops.AttrTensor {
		length, known := n.length(name)
		if !known {
			return -1
		}
		return length
	}
	t := value.Tensor()
	if t == nil || len(t.Dims()) != 1 {
		return -1
	}
	return int(t.Dims()[0])
}

// defaultLabel checks the tensors of a LabelEncoder.
func (n settings) defaultLabel(values string) string {
	for _, name := range []string{"keys_tensor", "values_tensor", "default_tensor"} {
		value, _ := n.own(name)
		if value == nil || value.Tensor() == nil {
			continue
		}
		if t := value.Tensor(); len(t.Dims()) != 1 || name == "default_tensor" && t.Dims()[0] != 1 {
			return fmt.Sprintf("attribute %q is of shape %v, expected a list", name, t.Dims())
		}
	}
	value, _ := n.own("default_tensor")
	if value == nil || value.Tensor() == nil {
		return ""
	}
	is, want := value.Tensor().DType(), tensorOfList[values]
	if t, _ := n.own(values); t != nil && t.Tensor() != nil {
		want = t.Tensor().DType().String()
	}
	if want != "" && is.String() != want {
		return fmt.Sprintf("default_tensor is of type %s, and the values are of type %s", is, want)
	}
	return ""
}

// tensorOfList are the element types of the lists of a LabelEncoder.
var tensorOfList = map[string]string{"values_strings": "str", "values_int64s": "i64", "values_floats": "f32"}

// oneOf requires that exactly one of some attributes has elements.
func (n settings) oneOf(names ...string) string {
	var given []string
	for _, name := range names {
		length, known := n.length(name)
		if !known {
			return ""
		}
		if length > 0 {
			given = append(given, name)
		}
	}
	switch len(given) {
	case 0:
		return "none of the attributes " + graphops.QuoteNames(names) + " has elements, expected one of them"
	case 1:
		return ""
	default:
		return "the attributes " + graphops.QuoteNames(given) + " are set, expected only one of them"
	}
}
