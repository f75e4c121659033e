package check

import (
	"fmt"
	"slices"
	"strings"
)

// activations are the functions that recurrent kernels have.
var activations = []string{
	"Affine", "Elu", "HardSigmoid", "LeakyRelu", "Relu", "ScaledTanh", "Sigmoid", "Softplus", "Softsign", "Tanh", "ThresholdedRelu",
}

// gated is for GRU and LSTM, which have perDirection activations for each direction and ignore
// the case of their names.
func gated(perDirection int) func(settings, int64) string {
	return func(n settings, _ int64) string {
		return first(n.hiddenSize(), n.atLeast(1, "hidden_size", 1), n.layout(),
			n.positive("clip"), n.activations(perDirection, strings.EqualFold))
	}
}

func plainRecurrent(n settings, _ int64) string {
	return first(n.hiddenSize(), n.layout(), n.activations(1, func(a, b string) bool { return a == b }))
}

func (n settings) hiddenSize() string {
	if !n.has("hidden_size") {
		return "attribute \"hidden_size\" is missing, expected the number of neurons"
	}
	return ""
}

func (n settings) layout() string {
	if v, known := n.number("layout", 0); known && v != 0 {
		return fmt.Sprintf("attribute \"layout\" is %d, but ONNX Runtime supports only 0 (time axis before batch axis)", v)
	}
	return ""
}

func (n settings) activations(perDirection int, same func(a, b string) bool) string {
	list, known := n.texts("activations")
	direction, ok := n.text("direction", "forward")
	if !known || len(list) == 0 {
		return ""
	}
	want := perDirection
	if direction == "bidirectional" {
		want *= 2
	}
	if ok && len(list) != want {
		return fmt.Sprintf("attribute \"activations\" has %s, expected %d", counted(len(list), "name"), want)
	}
	for _, name := range list {
		if !slices.ContainsFunc(activations, func(a string) bool { return same(a, name) }) {
			return fmt.Sprintf("attribute \"activations\" has %q, expected %s", name, anyOf(activations))
		}
	}
	return ""
}
