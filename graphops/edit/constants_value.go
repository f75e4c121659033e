package edit

import (
	"fmt"

	"lathe/graphops"
)

// constantOf returns the attribute with a Constant's value, or why there is none that can be moved.
func constantOf(n *graphops.Node) (value *graphops.Attribute, why string) {
	list := n.Attributes()
	if len(list) != 1 {
		return nil, fmt.Sprintf("is a Constant with %d attributes, expected one value", len(list))
	}
	a := list[0]
	switch {
	case a.RefName() != "":
		return nil, fmt.Sprintf("stands for the function's attribute %q, which each call sets", a.RefName())
	case a.Name() == "value" && a.Tensor() != nil, a.Name() == "sparse_value" && a.Sparse() != nil:
		return a, ""
	}
	if want, ok := plainValues[a.Name()]; !ok || want != a.Kind() {
		return nil, fmt.Sprintf("is a Constant whose attribute %q holds no value that is known", a.Name())
	}
	return a, ""
}

// plainValues are the attributes of Constant that do not hold tensors, with their kinds.
var plainValues = map[string]graphops.AttributeKind{
	"value_float": graphops.AttrFloat, "value_floats": graphops.AttrFloats,
	"value_int": graphops.AttrInt, "value_ints": graphops.AttrInts,
	"value_string": graphops.AttrString, "value_strings": graphops.AttrStrings,
}
