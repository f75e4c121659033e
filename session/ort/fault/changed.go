package fault

import (
	"regexp"
	"slices"
	"strings"

	"lathe/graphops"
)

// The runtime's optimizations name a new node after one that it takes the place
// of, or after a value that it makes, with words before or behind. Seen with
// 1.30.0 on some 200 exported models: NODE/MatMulAddFusion, NODE/LayerNormFusion/,
// fused NODE, VALUE_nchwc, VALUE_bn_nchwc, InsertedPrecisionFreeCast_VALUE.
var (
	wordsBefore = regexp.MustCompile(`^(?:fused |InsertedPrecisionFreeCast_|InsertedFp16Cast_)`)
	token       = regexp.MustCompile(`_token_\d+$`)
)

// withoutToken drops the number that makes a name unique.
func withoutToken(name string) string { return token.ReplaceAllString(name, "") }

// isUnnamed reports whether a name holds nothing but what the runtime adds: the
// node that it took the place of has none.
func isUnnamed(name string) bool {
	return strings.TrimPrefix(withoutToken(name), "fused ") == "" || fusion.MatchString(name)
}

var fusion = regexp.MustCompile(`^(?:/?\w+Fusion/?)+$`)

// lastWords is how many words at the end of a name can be the runtime's own; it
// adds a few. A hostile name has as many as it likes.
const lastWords = 64

// byChangedName finds the node whose name, or whose value's name, stands at the
// start of the one that the text gives; the longest counts. What an optimization
// names by its own words alone is not found.
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

// turned are the words behind the name of a value whose node the layout pass has
// made a convolution by itself.
var turned = regexp.MustCompile(`^_(?:bn|mul)_`)

// namedAs finds nodes of a name, or the one that makes a value of that name.
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

// maxFused is how many nodes an operator takes in that follow it: bias, batch
// normalization, sum, activation.
const maxFused = 4

// before is the nearest node of an operator that leads to this one in a line, or
// the site itself: a convolution that has taken in its activation is named after
// the value of that.
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

// parts are the operators that a fused one is made of.
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

// isPart reports whether an operator is another or a part of it.
func isPart(whole, op string) bool {
	return whole == op || slices.Contains(parts[whole], op)
}
