package profile

import (
	"regexp"
	"strings"
	"sync"
)

// decorations matches what the optimizations of ONNX Runtime 1.24 to 1.32 add to a node's name if
// they create another node from it.
var decorations = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^fused |(_token_\d+|_nchwc|_nhwc|_quant|/duplicated|/?[A-Za-z0-9]*Fusion[A-Za-z0-9]*/?|_prefix_\w*|/)$`)
})

// undecorated returns the names from which optimizations may have derived a name, the longest
// first. It does not return the name itself.
func undecorated(name string) []string {
	const most = 8
	var out []string
	for len(out) < most {
		shorter := decorations().ReplaceAllString(name, "")
		if shorter == name || shorter == "" {
			break
		}
		out = append(out, shorter)
		name = shorter
	}
	return out
}

// isUnnamed reports whether a name is the one that the runtime writes for a node without a name.
func (t *Timed) isUnnamed() bool { return t.Name == t.Op+"_"+t.Index }

// nchwcDomain is the domain of operators that work on channels in blocks (the NCHWc layout). A node
// with such an operator has the name of the value that it computes, followed by nchwcSuffix. Its
// output has another name than the value, because the value's own name may be needed for the same
// value in the usual layout.
const (
	nchwcDomain = "com.microsoft.nchwc"
	nchwcSuffix = "_nchwc"
)

// isKin reports whether operator made does what operator original does, and possibly more.
// FusedConv, QLinearConv and NhwcFusedConv, for example, do what Conv does.
func isKin(made, original string) bool {
	if made == original || strings.Contains(made, original) {
		return true
	}
	isProduct := func(op string) bool { return strings.Contains(op, "MatMul") || strings.Contains(op, "Gemm") }
	return isProduct(made) && isProduct(original)
}

// isInserted reports whether this is an operator that optimizations insert between nodes, to change
// a layout, a type, or the device.
func isInserted(op string) bool {
	switch op {
	case "ReorderInput", "ReorderOutput", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Cast", "QuantizeLinear", "DequantizeLinear", "Identity":
		return true
	}
	return isCopy(op)
}

// isCopy reports whether an operator copies a value between devices.
func isCopy(op string) bool { return op == "MemcpyFromHost" || op == "MemcpyToHost" }
