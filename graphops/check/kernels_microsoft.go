package check

import (
	"fmt"
	"math"
)

// activationParameters is the number of parameters of a FusedConv's activation in attribute
// "activation_params". Activations without parameters ignore it.
var activationParameters = map[string]int{"LeakyRelu": 1, "Clip": 2, "HardSigmoid": 2}

func fusedConvolutionFault(n settings, _ int64) string {
	activation, known := n.text("activation", "")
	want := activationParameters[activation]
	given, ok := n.length("activation_params")
	if !known || !ok || want == 0 || given == want {
		return ""
	}
	return fmt.Sprintf("attribute \"activation_params\" has %s, expected %d for %s", counted(given, "number"), want, activation)
}

func fusedProductFault(n settings, _ int64) string {
	if n.has("activation") {
		return ""
	}
	return `attribute "activation" is missing, and the kernel needs it`
}

// expertsFault checks MoE and QMoE.
func expertsFault(n settings, _ int64) string { return n.atLeast(1, "k", 1) }

// epsilonFault requires an epsilon that is not negative and not NaN.
func epsilonFault(n settings, _ int64) string {
	epsilon, known := n.float("epsilon", 0)
	if !known || epsilon >= 0 {
		return ""
	}
	return fmt.Sprintf("attribute \"epsilon\" is %v, expected 0 or more", epsilon)
}

// sharedQueryFault requires that a GroupQueryAttention that returns its products specifies which
// ones.
func sharedQueryFault(n settings, _ int64) string {
	out := n.Outputs()
	which, known := n.number("qk_output", 0)
	if !known || which != 0 || len(out) < 4 || out[3] == "" {
		return ""
	}
	return fmt.Sprintf("has output %q, and attribute \"qk_output\" is 0, expected 1 or 2", out[3])
}

// atMostInt32 checks that an integer fits into 32 bits.
func (n settings) atMostInt32(name string) string {
	if v, known := n.number(name, 0); known && v > math.MaxInt32 {
		return fmt.Sprintf("attribute %q is %d, expected at most %d", name, v, math.MaxInt32)
	}
	return ""
}

// tokenizerFault reports a tokenizer without separators or an expression, or one whose tokens
// may be empty.
func tokenizerFault(n settings, _ int64) string {
	if !n.has("separators") && !n.has("tokenexp") {
		return `attributes "separators" and "tokenexp" are missing, and the kernel needs one of them`
	}
	return n.atLeast(1, "mincharnum", 1)
}
