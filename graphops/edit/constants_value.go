package edit

import (
	"fmt"

	"lathe/graphops"
)

// constantOf returns the attribute with the value of a Constant node. If the value cannot become an
// initializer, why says why.
func constantOf(n *graphops.Node) (value *graphops.Attribute, why string) {
	list := n.Attributes()
	if len(list) != 1 {
		return nil, fmt.Sprintf("is a Constant with %d attributes, expected one value", len(list))
	}
	a := list[0]
	switch {
	case a.RefName() != "":
		return nil, fmt.Sprintf("has the value of the function's attribute %q, which each call sets", a.RefName())
	case a.Name() == "value" && a.Tensor() != nil, a.Name() == "sparse_value" && a.Sparse() != nil:
		return a, ""
	}
	if want, ok := plainValues[a.Name()]; !ok || want != a.Kind() {
		return nil, fmt.Sprintf("is a Constant whose attribute %q has no known value", a.Name())
	}
	return a, ""
}

// plainValues maps the attributes of Constant that hold no tensor to their kinds.
var plainValues = map[string]graphops.AttributeKind{
	"value_float": graphops.AttrFloat, "value_floats": graphops.AttrFloats,
	"value_int": graphops.AttrInt, "value_ints": graphops.AttrInts,
	"value_string": graphops.AttrString, "value_strings": graphops.AttrStrings,
}
