package simplify

import (
	"math"

	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
)

// attended is attention that is written out: softmax(scale·Q·Kᵀ + masks)·V, with
// queries, keys and values of batch × heads × steps × size.
type attended struct {
	first, softmax, product *rewrite.Node // what makes scores, probabilities, and weighs values by them
	q, k, v                 operand
	cached                  [2]cache       // of keys and of values
	length                  dim.Dim        // steps of the values
	keys                    *rewrite.Value // as the product reads them, unscaled
	scores                  []dim.Dim      // batch × heads × steps of queries × steps of keys
	scale                   float64
	masks                   []mask // from the product of queries and keys on
	// guarded tells that a row of NaN, which is one that is masked as a whole by -Inf,
	// is made a row of zeros.
	guarded bool
	// sized are nodes that read the shape of scores.
	sized []sizedScores
	// scaled are the nodes between the product of queries and keys and the softmax.
	between []*rewrite.Node
}

// mask is something that is added to the scores, or a constant that stands in
// their place.
type mask struct {
	added *rewrite.Value
	// Where the condition is keep, the scores stay; elsewhere they become value.
	condition *rewrite.Value
	keep      bool
	value     float64
	// hidden tells that the value is one for all that weigh nothing beside a score that
	// stays, of which each row has one.
	hidden bool
}

// maxBetween bounds the way from a softmax up to the product of queries and keys.
const maxBetween = 16

// replacing is the least magnitude of a value that may replace a score where a mask
// is added: the score is lost in its last digit, in a row too that has nothing else.
const replacing = 1e30

// matchAttention finds the attention that a softmax is in. Where it is none, and
// looks like one, it says why.
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

// lastAxis reports whether a softmax goes over the last axis. Before version 13 it
// takes all axes from its own on as one.
func lastAxis(n *rewrite.Node) bool {
	rank := int64(len(n.In(0).Type().Dims))
	axis := int64(-1)
	if n.Graph().Opset("") < 13 {
		axis = 1
	}
	axis = n.Int("axis", axis)
	return rank > 0 && (axis == -1 || axis == rank-1)
}

// weighing is the product of the probabilities and the values, nil where they go
// elsewhere. A guard against NaN and a cast to the type that they have lie between.
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

// guard is the node that makes zeros of the NaN in a value, where nothing else
// reads it.
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

// climb goes from the softmax up to the product of queries and keys.
func (a *attended) climb(v *rewrite.Value) (first *rewrite.Node, why string) {
	for range maxBetween {
		n := v.Producer()
		if n == nil || n.Graph() != a.softmax.Graph() {
			return nil, ""
		}
		if v.Reader() == nil && !a.readForSize(v) {
			return nil, reached(v, "another node reads the scores, too")
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

// reached is a reason that is given where there is a product behind a value.
func reached(v *rewrite.Value, why string) string {
	if leadsToProduct(v, 4) {
		return why
	}
	return ""
}

// pass notes what a node does to the scores, and gives them as they are before it.
func (a *attended) pass(n *rewrite.Node) (scores *rewrite.Value, why string) {
	switch {
	case n.Is("Cast") && n.Out(0).Type().Elem == n.In(0).Type().Elem:
		return n.In(0), ""
	case n.Is("Mul", "Div"):
		x, factor := scaledBy(n)
		if x == nil {
			return nil, reached(n.Out(0), "the scores are multiplied by what is no number")
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

// replace notes a mask that puts a number in the place of scores.
func (a *attended) replace(n *rewrite.Node, x *rewrite.Value) (*rewrite.Value, string) {
	m := mask{condition: n.In(0), keep: n.In(1) == x}
	value := n.In(2)
	if !m.keep {
		value = n.In(1)
	}
	var ok bool
	if m.value, ok = number(value); !ok {
		return nil, "where they are masked, the scores become what is no number"
	}
	if m.value > -replacing && m.hides(x) {
		m.hidden, m.value = true, -replacing
	}
	if m.value > -replacing || math.IsNaN(m.value) {
		return nil, "where they are masked, the scores become a number that is not very small; a row that is masked as a whole would show it"
	}
	return a.add(x, m)
}

// add notes a mask, which must not be scaled with the scores.
func (a *attended) add(x *rewrite.Value, m mask) (*rewrite.Value, string) {
	if a.scale != 1 {
		return nil, "the mask is added before the scores are scaled"
	}
	a.masks = append(a.masks, m)
	return x, ""
}

// scoresOf is the one of two inputs that comes from a product of queries and keys.
func scoresOf(n *rewrite.Node, i, j int) *rewrite.Value {
	for _, x := range []*rewrite.Value{n.In(i), n.In(j)} {
		if x != nil && x.Producer() != nil && leadsToProduct(x, 4) {
			return x
		}
	}
	return nil
}

// leadsToProduct reports whether a value comes from a product of two tensors that
// are no constants, with at most so many nodes between.
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

// sameDims reports whether two tensors have the same shape and type in every run.
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

// tensorType is the type of a tensor of the element type of another one.
func tensorType(like *rewrite.Value, dims ...dim.Dim) shape.Type {
	t := like.Type()
	t.Dims = dims
	return t
}
