package mixed

import (
	"slices"

	"lathe/graphops/nbits"
	"lathe/session/quantization"
)

// nodeType is a type that a node can get.
type nodeType struct {
	name string
	mode string // of quantization
	bits string // of mode nbits
}

const static = "static"

// nodeTypes are all types besides float32, in the order in which a model is quantized. Mode static comes
// first because it needs a model in which nothing is quantized, and float16 last because it leaves
// quantized nodes as they are.
var nodeTypes = []nodeType{
	{static, static, ""},
	{"nbits-8", "nbits", "8"},
	{"nbits-4", "nbits", "4"},
	{"dynamic", "dynamic", ""},
	{"float16", "float16", ""},
}

func typeNames() (out []string) {
	for _, t := range nodeTypes {
		out = append(out, t.name)
	}
	return out
}

func typeNamed(name string) (nodeType, bool) {
	at := slices.IndexFunc(nodeTypes, func(t nodeType) bool { return t.name == name })
	if at < 0 {
		return nodeType{}, false
	}
	return nodeTypes[at], true
}

// types returns the types to choose from.
func (s *Auto) types() (out []nodeType) {
	for _, t := range nodeTypes {
		possible := t.name != static || s.Quant.Data != "" || s.Quant.Ranges != ""
		if possible && (len(s.Types) == 0 || slices.Contains(s.Types, t.name)) {
			out = append(out, t)
		}
	}
	return out
}

// of returns the quantization of some nodes to a type. base is what all types share.
func (t nodeType) of(base *quantization.Quantization, samples int64, nodes []string) *quantization.Quantization {
	q := *base
	q.Mode, q.Bits, q.Include, q.Exclude, q.OpTypes = t.mode, t.bits, nodes, nil, nil
	q.NoTrial, q.NoScan, q.KeepIO, q.NoPreprocess = false, true, true, true
	if t.mode != "nbits" {
		q.BlockSize, q.Method = "", ""
	} else {
		q.PerChannel, q.ReduceRange = false, false
		if q.Method == "" || q.Method == nbits.Nearest.String() {
			q.OpTypes = nbits.OpTypes() // the other methods take only MatMul
		}
	}
	if t.mode == static || q.Method == nbits.GPTQ.String() {
		q.Samples = samples
	}
	return &q
}
