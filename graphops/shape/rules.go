package shape

import (
	"fmt"
	"sync"

	"lathe/graphops"
)

// family is a group of related rules, by operator.
type family map[string]rule

const (
	onnx      = graphops.DefaultDomain
	ml        = "ai.onnx.ml"
	microsoft = graphops.MicrosoftDomain
)

// rules are all rules. For an operator without a rule, the element types follow from its schema,
// and the shape is unknown.
var rules = sync.OnceValue(table)

func table() map[graphops.Op]rule {
	all := map[graphops.Op]rule{}
	for _, f := range []struct {
		domain string
		rules  family
	}{
		{onnx, elementwise},
		{onnx, logical},
		{onnx, casts},
		{onnx, shapes},
		{onnx, reshapes},
		{onnx, movements},
		{onnx, parts},
		{onnx, gathers},
		{onnx, generators},
		{onnx, reductions},
		{onnx, products},
		{onnx, control},
		{onnx, convolutions},
		{onnx, pools},
		{onnx, normalizations},
		{onnx, resizes},
		{onnx, vision},
		{onnx, signals},
		{onnx, recurrent},
		{onnx, attentions},
		{onnx, language},
		{onnx, algebra},
		{onnx, quantization},
		{onnx, sequences},
		{onnx, sequenceTensors},
		{onnx, optionals},
		{onnx, texts},
		{onnx, losses},
		{trainingDomain, training},
		{preview, previewAttentions},
		{onnx, added},
		{ml, features},
		{ml, models},
		{onnx, simplified},
		{microsoft, fusedAttention},
		{microsoft, fusedElementwise},
		{microsoft, fusedNormalizations},
		{microsoft, fusedProducts},
		{microsoft, fusedWindows},
		{microsoft, quantizedOperators},
		{microsoft, stateful},
		{microsoft, generation},
		{microsoft, additions},
		{nchwc, blocked},
		{nhwc, channelsLast},
	} {
		for op, r := range f.rules {
			key := graphops.Op{Domain: f.domain, Name: op}
			if all[key] != nil {
				panic(fmt.Sprintf("two rules for %s %s", f.domain, op))
			}
			all[key] = r
		}
	}
	return all
}
