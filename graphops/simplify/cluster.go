package simplify

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// microsoft is the domain of ONNX Runtime's own operators.
const microsoft = graphops.MicrosoftDomain

// cluster is a set of nodes of one graph that one operator computes at once. The
// root makes the result; nothing beside the cluster needs what the others make.
type cluster struct {
	root  *rewrite.Node
	inner []*rewrite.Node
	// loose are nodes that go, too, if nothing else needs them.
	loose []*rewrite.Node
	// factor is what the result is of what the operator computes; 0 is 1.
	factor float64
}

// add takes nodes in, each once.
func (c *cluster) add(nodes ...*rewrite.Node) {
	for _, n := range nodes {
		if n != nil && n != c.root && !slices.Contains(c.inner, n) {
			c.inner = append(c.inner, n)
		}
	}
}

// grow makes a node that reads the root's result the root.
func (c *cluster) grow(n *rewrite.Node) {
	c.inner = append(c.inner, c.root)
	c.root = n
}

func (c *cluster) holds(n *rewrite.Node) bool {
	return n == c.root || slices.Contains(c.inner, n)
}

// leak is a value inside of the cluster that something else needs, too; nil where
// there is none.
func (c *cluster) leak() *rewrite.Value {
	for _, n := range c.inner {
		for _, v := range n.Outputs() {
			if v == nil {
				continue
			}
			// More uses than the cluster can have need no look at each.
			if n.Graph() != c.root.Graph() || v.IsOutput() || v.Uses() > 2*(len(c.inner)+1) || slices.ContainsFunc(v.Readers(), func(r *rewrite.Node) bool { return !c.holds(r) }) {
				return v
			}
		}
	}
	return nil
}

// become puts a node in the place of the cluster. It reports false and changes
// nothing where the result cannot be that of another node.
func (c *cluster) become(op, domain string, in []*rewrite.Value, attributes ...*graphops.Attribute) *rewrite.Node {
	out := c.root.Out(0)
	n := c.root.Graph().Insert(c.root, rewrite.Spec{
		Op: op, Domain: domain, Inputs: in, Attributes: attributes,
		Types: []shape.Type{out.Type()}, For: append([]*rewrite.Node{c.root}, c.inner...),
	})
	y := c.times(n.Out(0))
	if !out.ReplaceWith(y) {
		if y != n.Out(0) {
			y.Producer().Remove()
		}
		n.Remove()
		return nil
	}
	if domain != "" && !c.root.Graph().IsFunction() {
		c.root.Graph().Model().Import(domain, 1)
	}
	c.remove()
	return n
}

// times is a value times the factor of the cluster.
func (c *cluster) times(v *rewrite.Value) *rewrite.Value {
	if c.factor == 0 || c.factor == 1 {
		return v
	}
	t, err := tensor.FromFloat64s(v.Type().Elem, []float64{c.factor})
	if err != nil {
		return v // not reachable: the elements are floats
	}
	by := c.root.Graph().NewConstant(v.Name()+"_factor", t)
	return c.root.Graph().Insert(c.root, rewrite.Spec{
		Op: "Mul", Inputs: []*rewrite.Value{v, by}, Types: []shape.Type{v.Type()}, For: []*rewrite.Node{c.root},
	}).Out(0)
}

// remove takes out the nodes that nothing needs, last ones first.
func (c *cluster) remove() {
	left := slices.Concat([]*rewrite.Node{c.root}, c.inner, c.loose)
	for again := true; again; {
		again = false
		left = slices.DeleteFunc(left, func(n *rewrite.Node) bool {
			if used(n) {
				return false
			}
			if !n.Gone() {
				n.Remove()
			}
			again = true
			return true
		})
	}
}

// made is the node of these operators that makes a value in the same graph as
// another node, nil where there is none.
func made(by *rewrite.Value, ops ...string) *rewrite.Node {
	if by == nil || !by.Producer().Is(ops...) || by.Producer().Out(0) != by {
		return nil
	}
	return by.Producer()
}

// offer is an operator that a cluster may become.
type offer struct{ domain, op string }

// told says what a cluster became.
func (o offer) told(nodes int) string {
	where := ""
	if o.domain != "" {
		where = " of " + o.domain
	}
	return fmt.Sprintf("%s became %s%s", counted(nodes, "node", "nodes"), o.op, where)
}

// pick is the first of these operators that the graph offers for elements of a type.
// An operator of ONNX Runtime's own domain is offered wherever the domain can be
// imported: not in a function, which imports for itself.
func pick(g *rewrite.Graph, elem tensor.DType, offers ...offer) (offer, bool) {
	for _, o := range offers {
		var otherwise int64
		if o.domain == microsoft {
			otherwise = 1
		}
		s := g.Offers(o.domain, o.op, otherwise)
		if s != nil && !s.Deprecated && s.Inputs[0].Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: elem}) {
			return o, true
		}
	}
	return offer{}, false
}

// notOffered tells why nothing can stand for a cluster.
func notOffered(g *rewrite.Graph, elem tensor.DType, o offer) string {
	if g.IsFunction() && o.domain != "" {
		return fmt.Sprintf("the function that it stands in does not import %s, where %s is", o.domain, o.op)
	}
	return fmt.Sprintf("no operator for it takes %s in the imported version of the standard", elem)
}

// isFloat reports whether the elements are floats that models compute with in
// 32 bits or less.
func isFloat(v *rewrite.Value) bool {
	switch v.Type().Elem {
	case tensor.F32, tensor.F16, tensor.BF16:
		return true
	}
	return false
}

// isDouble reports whether the elements are floats of 64 bits.
func isDouble(v *rewrite.Value) bool { return v.Type().Elem == tensor.F64 }

// uncast is what a value was before casts between floats, and these casts. Some
// exporters compute in 64 bits on the way.
func uncast(v *rewrite.Value) (*rewrite.Value, []*rewrite.Node) {
	var casts []*rewrite.Node
	for {
		n := made(v, "Cast")
		if n == nil || !isFloat(v) && !isDouble(v) || !isFloat(n.In(0)) && !isDouble(n.In(0)) {
			return v, casts
		}
		casts = append(casts, n)
		v = n.In(0)
	}
}
