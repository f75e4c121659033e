package inputs

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// fit converts a value to the type that an input declares. It can change the width of numbers;
// everything else must match. It also returns a note on what was converted, or "".
func fit(v graphops.Value, in graphops.NamedType) (graphops.Value, string, error) {
	want := in.Type
	if v.Type.Kind != want.Kind {
		return v, "", fmt.Errorf("input %q takes %s, got %s", in.Name, want, v.Type)
	}
	if want.Kind != graphops.TypeTensor {
		return v, "", checkItems(v, in)
	}
	note := ""
	if v.Tensor.DType != want.Elem {
		from := v.Tensor.DType
		t, err := converted(v.Tensor, want.Elem)
		if err != nil {
			return v, "", fmt.Errorf("input %q: %w", in.Name, err)
		}
		v, note = graphops.TensorValue(t), fmt.Sprintf("%q is converted from %s to %s", in.Name, from, want.Elem)
		if isBits(from, want.Elem) {
			note = fmt.Sprintf("the %s values of %q are interpreted as the bits of %s", from, in.Name, want.Elem)
		}
	}
	return v, note, checkShape(v.Tensor.Shape, in)
}

// isBits reports whether a tensor of type from contains the bits of elements of type to. ONNX's own
// test data stores bfloat16 as uint16 in this way.
func isBits(from, to tensor.DType) bool { return from == tensor.U16 && to == tensor.BF16 }

// converted converts a tensor to a type of another width.
func converted(t tensor.Tensor, to tensor.DType) (tensor.Tensor, error) {
	if isBits(t.DType, to) {
		return tensor.Tensor{DType: to, Shape: t.Shape, Data: t.Data}, nil
	}
	return convert(t, to)
}

// checkItems returns an error if a sequence, map or optional has elements of another type than the
// input takes.
func checkItems(v graphops.Value, in graphops.NamedType) error {
	of := in.Type.Of
	for _, t := range v.Tensors() {
		leaf := of
		for leaf != nil && leaf.Of != nil {
			leaf = leaf.Of
		}
		isKey := in.Type.Kind == graphops.TypeMap && t.DType == in.Type.Elem
		if leaf != nil && leaf.Kind == graphops.TypeTensor && leaf.Elem.Valid() && t.DType != leaf.Elem && !isKey && !holdsMap(in.Type) {
			return fmt.Errorf("input %q takes %s, got %s in it", in.Name, in.Type, t.DType)
		}
	}
	return nil
}

func holdsMap(t graphops.Type) bool {
	return t.Kind == graphops.TypeMap || t.Of != nil && holdsMap(*t.Of)
}

func checkShape(shape []int64, in graphops.NamedType) error {
	if in.Type.Shape == nil {
		return nil
	}
	fits := len(shape) == len(in.Type.Shape)
	for axis := 0; fits && axis < len(shape); axis++ {
		d := in.Type.Shape[axis]
		fits = !d.IsFixed() || d.Value == shape[axis]
	}
	if !fits {
		return fmt.Errorf("input %q expects shape %s, got %s", in.Name, in.Type.Shape, tensor.FormatShape(shape))
	}
	return nil
}
