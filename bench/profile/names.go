package profile

import (
	"regexp"
	"strings"
	"sync"
)

// decorations are what the optimizations of versions 1.24 to 1.32 add to the name of a node that
// they create from others.
var decorations = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^fused |(_token_\d+|_nchwc|_nhwc|_quant|/duplicated|/?[A-Za-z0-9]*Fusion[A-Za-z0-9]*/?|_prefix_\w*|/)$`)
})

// undecorated returns the names that a name may derive from, the longest first. The name itself
// is not included.
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

// nchwcDomain is the domain of convolutions with channels in blocks. Such a node is named for
// the value that it computes. Its output has another name, because the value's own name may be
// needed for the value in the usual layout.
const (
	nchwcDomain = "com.microsoft.nchwc"
	nchwcSuffix = "_nchwc"
)

// isKin reports whether an operator does what the original does, possibly with more. FusedConv,
// QLinearConv and NhwcFusedConv do what Conv does.
func isKin(made, original string) bool {
	if made == original || strings.Contains(made, original) {
		return true
	}
	isProduct := func(op string) bool { return strings.Contains(op, "MatMul") || strings.Contains(op, "Gemm") }
	return isProduct(made) && isProduct(original)
}

// isInserted reports whether optimizations insert this operator between nodes, to change a
// layout, a type, or the device.
func isInserted(op string) bool {
	switch op {
	case "ReorderInput", "ReorderOutput", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Cast", "QuantizeLinear", "DequantizeLinear", "Identity":
		return true
	}
	return isCopy(op)
}

// isCopy reports whether an operator copies a value between devices.
func isCopy(op string) bool { return op == "MemcpyFromHost" || op == "MemcpyToHost" }
