package check

import (
	"fmt"

	"lathe/graphops"
)

// labels looks at the keys and values of a LabelEncoder, each of which is one of several
// lists, in later versions also a tensor.
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
		return fmt.Sprintf("attribute %q has %d elements, %q has %d, expected as many", keys, k, values, v)
	}
	if since < 4 {
		return ""
	}
	return n.defaultLabel(values)
}

// list is the one of some attributes that is stated; text is what is wrong otherwise.
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
		return "", "none of the attributes " + graphops.QuoteNames(names) + " is stated, expected one of them"
	case 1:
		return given[0], ""
	default:
		return "", "the attributes " + graphops.QuoteNames(given) + " are stated, expected one of them"
	}
}

// own is an attribute that the node states itself; elsewhere is true where a call of
// the function that it is in does.
func (n settings) own(name string) (value *graphops.Attribute, elsewhere bool) {
	value, ok := n.Attribute(name)
	if ok && value.RefName() != "" {
		return nil, true
	}
	return value, false
}

// empty names the first of some lists that is left out or has no elements.
func (n settings) empty(names ...string) string {
	for _, name := range names {
		if length, known := n.length(name); known && length == 0 {
			return fmt.Sprintf("attribute %q is missing or empty, and the kernel needs it", name)
		}
	}
	return ""
}

// count is the length of a list or of a tensor that is one, -1 where it is not known.
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

// defaultLabel looks at the tensors of a LabelEncoder.
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

// oneOf demands that of some attributes exactly one has elements.
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
		return "the attributes " + graphops.QuoteNames(given) + " are stated, expected one of them"
	}
}
