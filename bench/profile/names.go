package profile

import (
	"regexp"
	"strings"
	"sync"
)

// decorations are what the runtime's optimizations put around the name of a node that
// they make of others, as versions 1.24 to 1.32 do.
var decorations = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^fused |(_token_\d+|_nchwc|_nhwc|_quant|/duplicated|/?[A-Za-z0-9]*Fusion[A-Za-z0-9]*/?|_prefix_\w*|/)$`)
})

// undecorated are the names that a name may have been made of, the longest first. The
// name itself is not among them.
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

// isUnnamed reports whether a name is what the runtime writes for a node without one.
func (t *Timed) isUnnamed() bool { return t.Name == t.Op+"_"+t.Index }

// nchwcDomain is that of convolutions whose channels lie in blocks. Such a node is
// named for the value that it makes, whose own name a value in the usual order may
// need.
const (
	nchwcDomain = "com.microsoft.nchwc"
	nchwcSuffix = "_nchwc"
)

// isKin reports whether an operator does what another one did, perhaps with more:
// FusedConv, QLinearConv and NhwcFusedConv do what Conv does.
func isKin(made, original string) bool {
	if made == original || strings.Contains(made, original) {
		return true
	}
	isProduct := func(op string) bool { return strings.Contains(op, "MatMul") || strings.Contains(op, "Gemm") }
	return isProduct(made) && isProduct(original)
}

// isInserted reports whether an operator is one that optimizations put between nodes:
// to change a layout, a type, or the device.
func isInserted(op string) bool {
	switch op {
	case "ReorderInput", "ReorderOutput", "Transpose", "Reshape", "Squeeze", "Unsqueeze", "Cast", "QuantizeLinear", "DequantizeLinear", "Identity":
		return true
	}
	return isCopy(op)
}

// isCopy reports whether an operator brings a value from one device to another.
func isCopy(op string) bool { return op == "MemcpyFromHost" || op == "MemcpyToHost" }
