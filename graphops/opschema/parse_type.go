package opschema

import (
	"errors"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// parseTypes reads types as ONNX writes them, separated by spaces; one word may stand for several:
// "tensor(float|double)".
func parseTypes(text string) ([]graphops.Type, error) {
	var list []graphops.Type
	for word := range strings.SplitSeq(text, " ") {
		types, err := parseForms(word)
		if err != nil {
			return nil, fmt.Errorf("type %q: %w", word, err)
		}
		list = append(list, types...)
	}
	return list, nil
}

// parseForms parses one word, such as "tensor(float|double)", which may stand for several types.
func parseForms(word string) ([]graphops.Type, error) {
	form, inner, ok := strings.Cut(word, "(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !ok || !closed {
		return nil, errors.New("expected a form such as tensor(float)")
	}
	switch form {
	case "tensor":
		return elements(graphops.TypeTensor, inner)
	case "sparse_tensor":
		return elements(graphops.TypeSparse, inner)
	case "seq":
		return around(graphops.Type{Kind: graphops.TypeSequence}, inner, parseForms)
	case "optional":
		return around(graphops.Type{Kind: graphops.TypeOptional}, inner, parseForms)
	case "map":
		return parseMap(inner)
	default:
		return nil, fmt.Errorf("%q is not one of tensor, sparse_tensor, seq, optional, map", form)
	}
}

// parseMap parses the key and the values of a map. ONNX writes the values as an element type, but
// they are tensors of that type.
func parseMap(inner string) ([]graphops.Type, error) {
	name, values, ok := strings.Cut(inner, ",")
	if !ok {
		return nil, errors.New("a map needs a key and values, with a comma between them")
	}
	key, err := element(name)
	if err != nil {
		return nil, err
	}
	return around(graphops.Type{Kind: graphops.TypeMap, Elem: key}, values, func(s string) ([]graphops.Type, error) {
		return elements(graphops.TypeTensor, s)
	})
}

// around parses the types in inner and returns, for each, the type outer with it as element type.
func around(outer graphops.Type, inner string, parse func(string) ([]graphops.Type, error)) ([]graphops.Type, error) {
	held, err := parse(inner)
	if err != nil {
		return nil, err
	}
	list := make([]graphops.Type, len(held))
	for i := range held {
		list[i] = outer
		list[i].Of = &held[i]
	}
	return list, nil
}

func elements(kind graphops.TypeKind, names string) ([]graphops.Type, error) {
	var list []graphops.Type
	for name := range strings.SplitSeq(names, "|") {
		elem, err := element(name)
		if err != nil {
			return nil, err
		}
		list = append(list, graphops.Type{Kind: kind, Elem: elem})
	}
	return list, nil
}

// element returns the element type with the name that ONNX uses in types. It is the name in
// TensorProto.DataType in lower case.
func element(name string) (tensor.DType, error) {
	for d := tensor.F32; d.ONNXName() != ""; d++ {
		if strings.EqualFold(d.ONNXName(), name) && strings.ToLower(name) == name {
			return d, nil
		}
	}
	return tensor.Undefined, fmt.Errorf("%q is not an element type", name)
}
