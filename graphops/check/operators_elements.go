package check

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// elementType checks an attribute with the number of the output's element type.
func elementType(name string) func(values) {
	return func(v values) { v.namedType(name) }
}

// sequenceType checks the element type of an empty sequence.
func sequenceType(v values) {
	if a, ok := v.given("dtype", graphops.AttrInt); ok && !tensor.DType(int32(a.Int())).Valid() {
		v.wrong("attribute \"dtype\" is %d, which is not an element type", a.Int())
	}
}

// namedType returns the type in an attribute, if the operator can produce it.
func (v values) namedType(name string) (tensor.DType, bool) {
	a, ok := v.given(name, graphops.AttrInt)
	if !ok || a.Int() == 0 && name == "output_dtype" { // 0 means not given
		return 0, false
	}
	to := tensor.DType(a.Int())
	out, _ := v.schema.Output(0)
	switch cut := tensor.DType(int32(a.Int())); {
	case int64(to) != a.Int() && (cut.Valid() || cut == 0 && name == "output_dtype"):
		v.tolerated("attribute %q is %d, which is not an element type; ONNX Runtime reads the lower 32 bits, %d", name, a.Int(), cut)
	case int64(to) != a.Int() || !to.Valid():
		v.wrong("attribute %q is %d, which is not an element type", name, a.Int())
	case !out.Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: to}):
		v.tolerated("attribute %q is %s (%d), which %s does not produce", name, to, a.Int(), v.operatorName(v.n, v.schema))
	default:
		return to, true
	}
	return 0, false
}

// bitCastType checks that the element size does not change.
func bitCastType(v values) {
	to, ok := v.namedType("to")
	if !ok || len(v.n.Inputs()) == 0 {
		return
	}
	if is := v.inferred(v.n.place, v.n.Input(0)).Elem; is.Valid() && is.Bits() != to.Bits() {
		v.wrong("attribute \"to\" is %s of %d bits, but input %q is %s of %d, expected the same number of bits", to, to.Bits(), v.n.Input(0), is, is.Bits())
	}
}
