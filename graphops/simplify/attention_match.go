package simplify

import (
	"math"

	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
)

// attended is attention that is written as several nodes: softmax(scale·Q·Kᵀ + masks)·V. Queries,
// keys and values have the axes batch × heads × steps × size. In this package, steps is the length
// of the sequence, and size the number of elements of one head.
type attended struct {
	// the nodes that compute the scores, the probabilities, and the weighted sum of the values
	first, softmax, product *rewrite.Node
	q, k, v                 operand
	cached                  [2]cache       // of keys and of values
	length                  dim.Dim        // steps of the values
	keys                    *rewrite.Value // the unscaled keys as the product reads them
	scores                  []dim.Dim      // batch × heads × steps of queries × steps of keys
	scale                   float64
	masks                   []mask // from the product of queries and keys on
	// guarded is set if a row of NaN, which results if a whole row is masked by -Inf, is
	// replaced by zeros.
	guarded bool
	// sized are nodes that read the shape of the scores.
	sized []sizedScores
	// between are the nodes between the product of queries and keys and the softmax.
	between []*rewrite.Node
}

// mask is a tensor that is added to the scores, or a constant that replaces some of them.
type mask struct {
	added *rewrite.Value
	// Scores are kept where the condition is equal to keep, and become value elsewhere.
	condition *rewrite.Value
	keep      bool
	value     float64
	// hidden is set if the value has no effect beside a score that is kept, and each row keeps
	// one.
	hidden bool
}

// maxBetween is the maximum number of nodes from the product of queries and keys to the softmax.
const maxBetween = 16

// replacing is the minimum magnitude for a replacement value to be added as a mask instead.
// Adding it loses the score in rounding, even in a row that is masked completely.
const replacing = 1e30

// matchAttention finds the attention around a softmax. For a near miss it returns the reason.
func matchAttention(n *rewrite.Node) (a *attended, why string) {
	if !lastAxis(n) {
		return nil, ""
	}
	a = &attended{softmax: n, scale: 1}
	if a.product = a.weighing(); a.product == nil {
		return nil, ""
	}
	first, why := a.climb(n.In(0))
	if first == nil {
		return nil, why
	}
	return a, a.operands(first)
}

// lastAxis reports whether a softmax is over the last axis. Before version 13 it treats all axes
// from its own on as one.
func lastAxis(n *rewrite.Node) bool {
	rank := int64(len(n.In(0).Type().Dims))
	axis := int64(-1)
	if n.Graph().Opset("") < 13 {
		axis = 1
	}
	axis = n.Int("axis", axis)
	return rank > 0 && (axis == -1 || axis == rank-1)
}

// weighing returns the product of the probabilities and the values, or nil if the probabilities
// are used otherwise. A guard against NaN and casts to the same type may be in between.
func (a *attended) weighing() *rewrite.Node {
	p := a.softmax.Out(0)
	for range 4 {
		if w := guard(p); w != nil {
			a.guarded, p = true, w.Out(0)
			continue
		}
		r := p.Reader()
		switch {
		case r == nil || r.Graph() != a.softmax.Graph() || r.Out(0) == nil:
			return nil
		case r.Is("MatMul") && r.In(0) == p:
			return r
		case r.Is("Cast") && r.Out(0).Type().Elem == p.Type().Elem:
			p = r.Out(0)
		default:
			return nil
		}
	}
	return nil
}

// guard returns the node that replaces NaN in a value by zeros, if nothing else reads the value.
func guard(p *rewrite.Value) *rewrite.Node {
	readers := p.Readers()
	if p.Uses() != 2 || len(readers) != 2 {
		return nil
	}
	if readers[0].Is("Where") {
		readers[0], readers[1] = readers[1], readers[0]
	}
	test, where := readers[0], readers[1]
	if !test.Is("IsNaN") || test.Out(0) == nil || where.Graph() != test.Graph() || !where.Is("Where") || where.In(0) != test.Out(0) || where.In(2) != p || test.Out(0).Uses() != 1 {
		return nil
	}
	if zero, ok := where.In(1).Float(); !ok || zero != 0 || !sameDims(where.Out(0), p) {
		return nil
	}
	return where
}

// climb goes back from the softmax to the product of queries and keys, and records the nodes
// between them. If it finds something else, it returns the reason.
func (a *attended) climb(v *rewrite.Value) (first *rewrite.Node, why string) {
	for range maxBetween {
		n := v.Producer()
		if n == nil || n.Graph() != a.softmax.Graph() {
			return nil, ""
		}
		if v.Reader() == nil && !a.readForSize(v) {
			return nil, reached(v, "another node also reads the scores")
		}
		if n.Is("MatMul") {
			a.scores = v.Type().Dims
			return n, ""
		}
		up, why := a.pass(n)
		if up == nil {
			return nil, why
		}
		a.between = append(a.between, n)
		v = up
	}
	return nil, ""
}

// reached returns the reason why, but only if the value comes from a product. Otherwise it is not
// attention, and nothing should be reported.
func reached(v *rewrite.Value, why string) string {
	if leadsToProduct(v, 4) {
		return why
	}
	return ""
}

// pass records what a node between the product and the softmax does with the scores, and returns
// the scores that it reads.
func (a *attended) pass(n *rewrite.Node) (scores *rewrite.Value, why string) {
	switch {
	case n.Is("Cast") && n.Out(0).Type().Elem == n.In(0).Type().Elem:
		return n.In(0), ""
	case n.Is("Mul", "Div"):
		x, factor := scaledBy(n)
		if x == nil {
			return nil, reached(n.Out(0), "the scores are multiplied by something that is not a known number")
		}
		a.scale *= factor
		return x, ""
	case n.Is("Add"):
		x := scoresOf(n, 0, 1)
		if x == nil {
			return nil, ""
		}
		return a.add(x, mask{added: other(n, x)})
	case n.Is("Where"):
		x := scoresOf(n, 1, 2)
		if x == nil {
			return nil, ""
		}
		return a.replace(n, x)
	}
	return nil, ""
}

func other(n *rewrite.Node, x *rewrite.Value) *rewrite.Value {
	if n.In(0) == x {
		return n.In(1)
	}
	return n.In(0)
}

// replace records a mask that replaces scores by a number.
func (a *attended) replace(n *rewrite.Node, x *rewrite.Value) (*rewrite.Value, string) {
	m := mask{condition: n.In(0), keep: n.In(1) == x}
	value := n.In(2)
	if !m.keep {
		value = n.In(1)
	}
	var ok bool
	if m.value, ok = number(value); !ok {
		return nil, "masked scores are replaced by something that is not a known number"
	}
	if m.value > -replacing && m.hides(x) {
		m.hidden, m.value = true, -replacing
	}
	if m.value > -replacing || math.IsNaN(m.value) {
		return nil, "masked scores are replaced by a number that is not small enough; for a row that is masked completely the result would differ"
	}
	return a.add(x, m)
}

// add records a mask, which must not be scaled together with the scores.
func (a *attended) add(x *rewrite.Value, m mask) (*rewrite.Value, string) {
	if a.scale != 1 {
		return nil, "the mask is added before the scores are scaled"
	}
	a.masks = append(a.masks, m)
	return x, ""
}

// scoresOf returns the one of two inputs that comes from a product of queries and keys.
func scoresOf(n *rewrite.Node, i, j int) *rewrite.Value {
	for _, x := range []*rewrite.Value{n.In(i), n.In(j)} {
		if x != nil && x.Producer() != nil && leadsToProduct(x, 4) {
			return x
		}
	}
	return nil
}

// leadsToProduct reports whether a value comes, in at most the given number of steps, from a
// product of two tensors that are not constants.
func leadsToProduct(v *rewrite.Value, steps int) bool {
	n := v.Producer()
	switch {
	case steps == 0:
		return false
	case n.Is("MatMul"):
		return n.In(1).Constant() == nil && len(v.Type().Dims) == 4
	case n.Is("Cast"):
		return leadsToProduct(n.In(0), steps-1)
	case n.Is("Mul", "Div", "Add"):
		return leadsToProduct(n.In(0), steps-1) || leadsToProduct(n.In(1), steps-1)
	case n.Is("Where"):
		return leadsToProduct(n.In(1), steps-1) || leadsToProduct(n.In(2), steps-1)
	}
	return false
}

// sameDims reports whether two tensors always have the same shape and type.
func sameDims(v, w *rewrite.Value) bool {
	return v.Type().Elem == w.Type().Elem && equalDims(v.Type().Dims, w.Type().Dims)
}

func equalDims(a, b []dim.Dim) bool {
	if a == nil || b == nil || len(a) != len(b) {
		return false
	}
	for i, d := range a {
		if !d.Equal(b[i]) {
			return false
		}
	}
	return true
}

// tensorType returns the type of a tensor with the element type of another one.
func tensorType(like *rewrite.Value, dims ...dim.Dim) shape.Type {
	t := like.Type()
	t.Dims = dims
	return t
}
