package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

var inputTypeRules = []rule{{
	code: "input-type", severity: Error, kernels: true,
	title: "an input of the model has a type that ONNX Runtime does not support",
	about: `The standard has tensors of complex numbers, maps with any integer type as key, sequences of
sequences, and optional values of any type. ONNX Runtime supports none of these as input of a model,
and rejects it with "MLDataType for: tensor(complex64) is not currently registered or supported",
even if no node reads the input. The maps that it supports have keys of type int64 or string, and
values of type float, double, int64 or string.

The cause is a signal processing model. The operators DFT and STFT do not use complex types: they
store real and imaginary parts along a last axis of size 2. Do the same for the input.`,
	model: unsupportedInputs,
}}

func unsupportedInputs(s *subject, report reporter) {
	main := s.model.Places()[0]
	for _, v := range main.Graph.Inputs() {
		if t := v.Type(); !isSupported(t) {
			problem := in(main, "input %q is %s, which ONNX Runtime does not support", v.Name(), t)
			problem.Value, problem.Hint = v.Name(), "use tensors of real numbers, for example two for each complex number"
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
