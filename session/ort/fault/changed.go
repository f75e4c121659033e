package fault

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/pattern"
)

// An optimization of the runtime names a node that it creates after a node that it replaces, or
// after a value that the node computes, and adds words before or after that name. Forms observed
// with ONNX Runtime 1.30.0 on about 200 exported models: NODE/MatMulAddFusion,
// NODE/LayerNormFusion/, fused NODE, VALUE_nchwc, VALUE_bn_nchwc, InsertedPrecisionFreeCast_VALUE.
var (
	wordsBefore = pattern.New(`^(?:fused |InsertedPrecisionFreeCast_|InsertedFp16Cast_)`)
	token       = pattern.New(`_token_\d+$`)
)

// withoutToken returns a name without the number that the runtime appends to make names unique.
func withoutToken(name string) string { return token.ReplaceAllString(name, "") }

// isUnnamed reports whether a name consists only of words that an optimization adds. The node that
// it replaces then has no name.
func isUnnamed(name string) bool {
	return strings.TrimPrefix(withoutToken(name), "fused ") == "" || fusion.MatchString(name)
}

var fusion = pattern.New(`^(?:/?\w+Fusion/?)+$`)

// lastWords limits how many words byChangedName removes from the end of a name. The runtime adds
// only a few, but a malicious model can have names with very many.
const lastWords = 64

// byChangedName finds the node after which an optimization named the given node. It removes words
// from the end of the given name, one after the other, until a node or a value of the model has the
// remaining name. It finds nothing if the name consists only of words that the runtime adds.
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

// turned matches what the layout optimization adds to a value's name if it replaced the node that
// computes the value by a convolution. That node is then the original, and not a convolution before
// it.
var turned = pattern.New(`^_(?:bn|mul)_`)

// namedAs finds the nodes with the given name. If no node has that name, it finds the node of
// operator op that the runtime named after the value name: the node that computes the value, or one
// shortly before it. behind is the part of the runtime's name that follows name.
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

// maxFused is how many following nodes an optimization can fuse into one node: bias, batch
// normalization, sum and activation.
const maxFused = 4

// before follows the first computed input of each node backwards until it reaches a node of
// operator op, or of an operator that op is made of. If it reaches none within maxFused steps, it
// returns s. It is needed because a fused convolution is named after the output of the activation
// that was fused into it.
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

// parts maps an operator that an optimization creates to the operators in the model that it may
// have been created from.
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

// isPart reports whether a node of operator whole may have been created from a node of operator op.
func isPart(whole, op string) bool {
	return whole == op || slices.Contains(parts[whole], op)
}
