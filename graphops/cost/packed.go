package cost

import "lathe/graphops"

// packing says which inputs of an operator have several elements in a byte.
type packing struct {
	inputs    []int
	attribute string // the number of bits of an element
	bits      int64  // if there is no such attribute
}

// packings are the operators that read such weights.
var packings = map[graphops.Op]packing{
	{Domain: graphops.MicrosoftDomain, Name: "GatherBlockQuantized"}: {[]int{0}, "bits", 4},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulBnb4"}:           {[]int{1}, "", 4},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulFpQ4"}:           {[]int{1}, "", 4},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulNBits"}:          {[]int{1}, "bits", 4},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulNBitsMlp"}:       {[]int{3, 6}, "bits", 4},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulNBitsQkv"}:       {[]int{3, 6, 9}, "bits", 4},
	{Domain: graphops.MicrosoftDomain, Name: "QMoE"}:                 {[]int{2, 5, 8}, "expert_weight_bits", 4},
}

// PackedBits returns the number of bits of an element of a value, if the node reads the value as
// elements that are packed into bytes. Otherwise it returns 0.
func PackedBits(n *graphops.Node, value string) int64 {
	if n.Domain() != graphops.MicrosoftDomain {
		return 0 // all of them are ONNX Runtime's
	}
	form, ok := packings[n.Op()]
	if !ok {
		return 0
	}
	bits := form.bits
	if a, stated := n.Attribute(form.attribute); stated && form.attribute != "" {
		bits = a.Int()
	}
	if bits != 2 && bits != 4 {
		return 0
	}
	for _, nth := range form.inputs {
		if nth < len(n.Inputs()) && n.Inputs()[nth] == value {
			return bits
		}
	}
	return 0
}

// ParametersOf returns how many parameters an initializer has for a node that reads it as this
// value. Elements that are packed into bytes count each.
func ParametersOf(t *graphops.Tensor, n *graphops.Node, value string) (int64, error) {
	elements, err := t.Elements()
	if bits := PackedBits(n, value); bits > 0 && err == nil && t.DType().Bits() == 8 {
		return elements * 8 / bits, nil
	}
	return elements, err
}
