package opschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"lathe/graphops"
)

// kinds maps the words in the table to kinds of attributes.
var kinds = map[string]graphops.AttributeKind{
	"float": graphops.AttrFloat, "floats": graphops.AttrFloats,
	"int": graphops.AttrInt, "ints": graphops.AttrInts,
	"string": graphops.AttrString, "strings": graphops.AttrStrings,
	"tensor": graphops.AttrTensor, "tensors": graphops.AttrTensors,
	"graph": graphops.AttrGraph, "graphs": graphops.AttrGraphs,
	"sparse_tensor": graphops.AttrSparseTensor, "sparse_tensors": graphops.AttrSparseTensors,
	"type_proto": graphops.AttrTypeProto, "type_protos": graphops.AttrTypeProtos,
}

func parseAttribute(rest string) (Attribute, error) {
	name, rest, _ := strings.Cut(rest, " ")
	word, rest, more := strings.Cut(rest, " ")
	a := Attribute{Name: name, Kind: kinds[word]}
	if a.Kind == graphops.AttrUndefined {
		return Attribute{}, fmt.Errorf("%q: %q is not a kind of attribute", name, word)
	}
	var err error
	if literal, ok := strings.CutPrefix(rest, "= "); ok {
		a.value, err = parseValue(a.Kind, literal)
	} else if a.Required = rest == "required"; more && !a.Required {
		err = fmt.Errorf("expected nothing, %q or a default after \"= \", not %q", "required", rest)
	}
	if err != nil {
		return Attribute{}, fmt.Errorf("%q: %w", name, err)
	}
	return a, nil
}

func parseValue(kind graphops.AttributeKind, literal string) (*value, error) {
	v := &value{}
	var field any
	switch kind {
	case graphops.AttrInt:
		field = &v.number
	case graphops.AttrFloat:
		field = &v.float
	case graphops.AttrString:
		field = &v.text
	case graphops.AttrInts:
		field = &v.integers
	case graphops.AttrFloats:
		field = &v.floats
	case graphops.AttrStrings:
		field = &v.texts
	default:
		return nil, errors.New("a default cannot be written for this kind of attribute")
	}
	if literal == "null" { // json.Unmarshal would leave a field unchanged
		return nil, fmt.Errorf("default %s: is not a value of the kind", literal)
	}
	if err := json.Unmarshal([]byte(literal), field); err != nil {
		return nil, fmt.Errorf("default %s: %w", literal, err)
	}
	return v, nil
}
