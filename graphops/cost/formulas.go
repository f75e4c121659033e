package cost

import (
	"fmt"
	"sync"

	"lathe/graphops"
)

// family has the formulas of related operators, by the name of the operator.
type family map[string]formula

const (
	onnx      = graphops.DefaultDomain
	ml        = "ai.onnx.ml"
	microsoft = graphops.MicrosoftDomain
	nhwc      = "com.ms.internal.nhwc"
	nchwc     = "com.microsoft.nchwc"
)

// formulas has the formulas of all families, by domain and name.
var formulas = sync.OnceValue(table)

func table() map[graphops.Op]formula {
	all := map[graphops.Op]formula{}
	for _, f := range []struct {
		domain   string
		formulas family
	}{
		{onnx, convolutions},
		{microsoft, convolutionsMicrosoft},
		{nhwc, convolutionsNHWC},
		{onnx, products},
		{microsoft, productsMicrosoft},
		{ml, linearModels},
		{onnx, recurrent},
		{microsoft, recurrentMicrosoft},
		{onnx, attention},
		{microsoft, attentionMicrosoft},
	} {
		for op, formula := range f.formulas {
			key := graphops.Op{Domain: f.domain, Name: op}
			if all[key] != nil {
				panic(fmt.Sprintf("two formulas for %s %s", f.domain, op))
			}
			all[key] = formula
		}
	}
	return all
}

// notCounted lists operators that multiply but have no formula yet, so that their MACs are unknown.
// An operator that is in package opschema but neither here nor in formulas has 0 MACs.
var notCounted = operators(map[string][]string{
	onnx: {"DisentangledAttention_TRT", "GRUUnit", "LinearAttention"},
	ml:   {"SVMClassifier", "SVMRegressor"},
	microsoft: {
		"AttnLSTM", "BeamSearch", "CDist", "DecoderAttention", "DecoderMaskedMultiHeadAttention", "DecoderMaskedSelfAttention",
		"EPContext", "EngramGate", "GatedDeltaNet", "GatedRelativePositionBias", "GreedySearch", "LinearAttention",
		"LinearAttentionGate", "LongformerAttention", "MatMulBlockQuantizedFp4Weight", "MatMulBlockQuantizedFp8Weight",
		"MatMulFpQ4", "MatMulNBitsMlp", "MatMulNBitsQkv", "MoE", "PackedAttention", "PackedMultiHeadAttention",
		"PagedAttention", "QMoE", "QOrderedAttention", "QOrderedLongformerAttention", "Sampling", "Snpe", "SparseAttention",
		"SparseToDenseMatMul", "VarlenCausalConvWithState", "WhisperBeamSearch", "WordConvEmbedding",
	},
	nchwc:                      {"Conv"},
	"ai.onnx.preview":          {"FlexAttention"},
	"ai.onnx.preview.training": {"Gradient"},
})

// operators returns the set of operators in lists of domains, which is made when it is first needed.
func operators(byDomain map[string][]string) func() map[graphops.Op]bool {
	return sync.OnceValue(func() map[graphops.Op]bool {
		out := map[graphops.Op]bool{}
		for domain, names := range byDomain {
			for _, name := range names {
				out[graphops.Op{Domain: domain, Name: name}] = true
			}
		}
		return out
	})
}
