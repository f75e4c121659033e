package modes

import (
	"slices"

	"lathe/session/quantization"
)

// static is the mode that needs data, or generated inputs in its place.
const static = "static"

// variant is a mode of quantization with options, and makes a row of the table.
type variant struct {
	name, mode string
	bits       string // of mode nbits
	reduced    bool   // leave one bit of int8 weights unused
}

// variants are all rows, in the order of the table.
var variants = []variant{
	{name: "float16", mode: "float16"},
	{name: "dynamic", mode: "dynamic"},
	{name: static, mode: static},
	{name: "nbits-8", mode: "nbits", bits: "8"},
	{name: "nbits-4", mode: "nbits", bits: "4"},
}

func names() (out []string) {
	for _, v := range variants {
		out = append(out, v.name)
	}
	return out
}

// chosen returns the variants that --mode names, or all.
func (s *Compare) chosen() []variant {
	return slices.DeleteFunc(slices.Clone(variants), func(v variant) bool {
		return len(s.Modes) > 0 && !slices.Contains(s.Modes, v.name)
	})
}

// withReduced returns the same variant with --reduce-range.
func (v variant) withReduced() variant {
	v.name, v.reduced = v.name+"-reduced", true
	return v
}

// generatedSamples is how many generated inputs stand in for data in mode static.
const generatedSamples = 8

// quantization returns the step that makes a variant, with only those options that its mode has.
func (s *Compare) quantization(v variant) *quantization.Quantization {
	q := s.Quant
	q.Mode, q.Bits = v.mode, v.bits
	switch v.mode {
	case "nbits":
		q.PerChannel, q.ReduceRange, q.Calibration = false, false, ""
	case "float16":
		q.PerChannel, q.ReduceRange, q.Calibration, q.BlockSize, q.Method = false, false, "", "", ""
	case static:
		q.Generated, q.BlockSize, q.Method = generatedSamples, "", ""
		q.Samples = s.Samples
	default:
		q.BlockSize, q.Method, q.Calibration = "", "", ""
	}
	if q.Method == methodOnData {
		q.Samples = s.Samples
	}
	q.ReduceRange = q.ReduceRange || v.reduced
	return &q
}

// methodOnData is the method of mode nbits that runs the model on data.
const methodOnData = "gptq"
