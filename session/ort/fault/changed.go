package fault

import (
	"regexp"
	"slices"
	"strings"

	"lathe/graphops"
)

// The runtime's optimizations name a new node after a node that it replaces, or after a value that
// it computes, with words before or after the name. Observed with ONNX Runtime 1.30.0 on about 200
// exported models: NODE/MatMulAddFusion, NODE/LayerNormFusion/, fused NODE, VALUE_nchwc,
// VALUE_bn_nchwc, InsertedPrecisionFreeCast_VALUE.
var (
	wordsBefore = regexp.MustCompile(`^(?:fused |InsertedPrecisionFreeCast_|InsertedFp16Cast_)`)
	token       = regexp.MustCompile(`_token_\d+$`)
)

// withoutToken removes the number that the runtime appends to make a name unique.
func withoutToken(name string) string { return token.ReplaceAllString(name, "") }

// isUnnamed reports whether a name consists only of words that the runtime adds, which means that
// the replaced node has no name.
func isUnnamed(name string) bool {
	return strings.TrimPrefix(withoutToken(name), "fused ") == "" || fusion.MatchString(name)
}

var fusion = regexp.MustCompile(`^(?:/?\w+Fusion/?)+$`)

// lastWords limits how many words at the end of a name are taken for words of the runtime. The
// runtime adds a few; a hostile name can have any number.
const lastWords = 64

// byChangedName finds the node whose name, or whose value's name, is the beginning of the given
// name. If several fit, the longest name counts. A name that consists of the optimization's own
// words only is not found.
func (l *locator) byChangedName(n Node) []Site {
	name := withoutToken(n.Name)
	bare := wordsBefore.ReplaceAllString(name, "")
	if bare != name && bare != "" {
		if out := l.namedAs(bare, "", n.Op); len(out) > 0 {
			return out
		}
	}
	words := 0
	for i := len(bare) - 1; i > 0 && words < lastWords; i-- {
		if strings.IndexByte("_/.: ", bare[i]) >= 0 {
			words++
			if out := l.namedAs(bare[:i], bare[i:], n.Op); len(out) > 0 {
				return out
			}
		}
	}
	return nil
}

// turned matches the words after a value's name if the layout pass itself turned the value's node
// into a convolution.
var turned = regexp.MustCompile(`^_(?:bn|mul)_`)

// namedAs finds the nodes with a name, or the node that computes the value of that name.
func (l *locator) namedAs(name, behind, op string) []Site {
	if out := l.every(func(m *graphops.Node) bool { return m.Name() == name }); len(out) > 0 {
		return out
	}
	out := l.every(func(m *graphops.Node) bool { return slices.Contains(m.Outputs(), name) })
	if turned.MatchString(behind) {
		return out
	}
	for i, s := range out {
		out[i] = s.before(op)
	}
	return out
}

// maxFused is how many following nodes an operator can absorb: bias, batch normalization, sum,
// activation.
const maxFused = 4

// before returns the nearest node of an operator among those that lead to this one in a chain, or
// the site itself. It is needed because a convolution that absorbed its activation is named after
// the activation's output.
func (s Site) before(op string) Site {
	x := s.Place.Graph.Index()
	at := s
	for range maxFused {
		if isPart(op, at.Node().OpType()) {
			return at
		}
		next := -1
		for _, in := range at.Node().Inputs() {
			if id, ok := x.Value(in); ok && in != "" && x.Producer(id) >= 0 && next < 0 {
				next = x.Producer(id)
			}
		}
		if next < 0 {
			break
		}
		at = Site{s.Place, next}
	}
	return s
}

// parts maps a fused operator to the operators that it is made of.
var parts = map[string][]string{
	"FusedGemm":                    {"Gemm", "MatMul"},
	"Gemm":                         {"MatMul"},
	"FusedMatMul":                  {"MatMul"},
	"FusedConv":                    {"Conv"},
	"Upsample":                     {"Resize"},
	"SkipLayerNormalization":       {"LayerNormalization", "Add"},
	"LayerNormalization":           {"ReduceMean"},
	"SimplifiedLayerNormalization": {"ReduceMean"},
	"QuickGelu":                    {"Sigmoid"},
	"FastGelu":                     {"Tanh", "Gelu"},
	"BiasGelu":                     {"Erf", "Gelu"},
	"Gelu":                         {"Erf"},
	"Attention":                    {"Softmax"},
	"QLinearConv":                  {"Conv"},
	"QLinearMatMul":                {"MatMul"},
	"QGemm":                        {"Gemm"},
	"DynamicQuantizeMatMul":        {"MatMulInteger"},
	"MatMulIntegerToFloat":         {"MatMulInteger"},
	"MatMulNBits":                  {"MatMul"},
}

// isPart reports whether op is the operator whole or one of its parts.
func isPart(whole, op string) bool {
	return whole == op || slices.Contains(parts[whole], op)
}
