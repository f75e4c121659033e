package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

var inputTypeRules = []rule{{
	code: "input-type", severity: Error, kernels: true,
	title: "an input of the model has a type that ONNX Runtime does not have",
	about: `The standard has tensors of complex numbers, maps from any integer, sequences of sequences and optional values of any type. ONNX
Runtime has none of these as input of a model, and refuses one with "MLDataType for: tensor(complex64) is not currently
registered or supported", also where no node reads the input. Its maps are from int64 or string to float, double, int64 or string.

It comes from models of signals, whose transforms have no complex values in ONNX: DFT and STFT keep real and imaginary parts in a last
axis of size 2. A pair of real values in the place of the complex one mends it.`,
	model: unsupportedInputs,
}}

func unsupportedInputs(s *subject, report reporter) {
	main := s.model.Places()[0]
	for _, v := range main.Graph.Inputs() {
		if t := v.Type(); !isSupported(t) {
			problem := in(main, "input %q is %s, which ONNX Runtime does not have", v.Name(), t)
			problem.Value, problem.Hint = v.Name(), "real numbers in tensors, such as two for a complex one, work everywhere"
			report(problem)
		}
	}
}

// isSupported reports whether ONNX Runtime supports a type. Unknown types count as supported.
func isSupported(t graphops.Type) bool {
	switch t.Kind {
	case graphops.TypeTensor:
		return t.Elem != tensor.C64 && t.Elem != tensor.C128
	case graphops.TypeMap:
		keys := []tensor.DType{tensor.I64, tensor.String}
		values := []tensor.DType{tensor.F32, tensor.F64, tensor.I64, tensor.String}
		return slices.Contains(keys, t.Elem) && (t.Of == nil || t.Of.Kind == graphops.TypeTensor && slices.Contains(values, t.Of.Elem))
	case graphops.TypeSequence:
		return t.Of == nil || t.Of.Kind == graphops.TypeUnknown || t.Of.Kind == graphops.TypeMap || t.Of.Kind == graphops.TypeTensor && isSupported(*t.Of)
	case graphops.TypeOptional:
		return t.Of == nil || t.Of.Kind != graphops.TypeMap && t.Of.Kind != graphops.TypeOptional && isSupported(*t.Of)
	default:
		return true
	}
}
