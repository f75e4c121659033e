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

// cluster is a set of nodes of one graph that one operator can replace. The root is the node that
// produces the result. The outputs of the other nodes must not be needed outside of the cluster.
type cluster struct {
	root  *rewrite.Node
	inner []*rewrite.Node
	// loose are nodes that are removed too if nothing else needs them.
	loose []*rewrite.Node
	// factor is the result divided by what the operator computes; 0 means 1.
	factor float64
}

// add adds nodes, each once.
func (c *cluster) add(nodes ...*rewrite.Node) {
	for _, n := range nodes {
		if n != nil && n != c.root && !slices.Contains(c.inner, n) {
			c.inner = append(c.inner, n)
		}
	}
}

// grow makes a node that reads the root's result the new root.
func (c *cluster) grow(n *rewrite.Node) {
	c.inner = append(c.inner, c.root)
	c.root = n
}

func (c *cluster) holds(n *rewrite.Node) bool {
	return n == c.root || slices.Contains(c.inner, n)
}

// leak returns a value other than the result that is needed outside of the cluster, or nil.
func (c *cluster) leak() *rewrite.Value {
	for _, n := range c.inner {
		for _, v := range n.Outputs() {
			if v == nil {
				continue
			}
			// If there are more uses than the cluster can have, the readers need not be checked.
			if n.Graph() != c.root.Graph() || v.IsOutput() || v.Uses() > 2*(len(c.inner)+1) || slices.ContainsFunc(v.Readers(), func(r *rewrite.Node) bool { return !c.holds(r) }) {
				return v
			}
		}
	}
	return nil
}

// become replaces the cluster by a new node. It returns nil and changes nothing if the result
// cannot be replaced.
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

// times multiplies a value by the cluster's factor.
func (c *cluster) times(v *rewrite.Value) *rewrite.Value {
	if c.factor == 0 || c.factor == 1 {
		return v
	}
	t, err := tensor.FromFloat64s(v.Type().Elem, []float64{c.factor})
	if err != nil {
		return v // not reachable, as the elements are floats
	}
	by := c.root.Graph().NewConstant(v.Name()+"_factor", t)
	return c.root.Graph().Insert(c.root, rewrite.Spec{
		Op: "Mul", Inputs: []*rewrite.Value{v, by}, Types: []shape.Type{v.Type()}, For: []*rewrite.Node{c.root},
	}).Out(0)
}

// remove removes the nodes that are no longer needed, the last ones first.
func (c *cluster) remove() {
	left := slices.Concat([]*rewrite.Node{c.root}, c.inner, c.loose)
	for again := true; again; {
		again = false
		left = slices.DeleteFunc(left, func(n *rewrite.Node) bool {
			if n.IsUsed() {
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

// made returns the node that produces a value as its first output, if it has one of these
// operators; otherwise nil.
func made(by *rewrite.Value, ops ...string) *rewrite.Node {
	if by == nil || !by.Producer().Is(ops...) || by.Producer().Out(0) != by {
		return nil
	}
	return by.Producer()
}

// offer is an operator that a cluster may become.
type offer struct{ domain, op string }

// told returns the text for the report that says what a cluster became.
func (o offer) told(nodes int) string {
	where := ""
	if o.domain != "" {
		where = " of " + o.domain
	}
	return fmt.Sprintf("%s became %s%s", counted(nodes, "node", "nodes"), o.op, where)
}

// pick returns the first of these operators that is available in the graph for an element type.
// An operator of ONNX Runtime's own domain is available wherever the domain can be imported, which
// is not the case in functions, as they have their own imports.
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

// notOffered returns the reason why there is no operator for a cluster.
func notOffered(g *rewrite.Graph, elem tensor.DType, o offer) string {
	if g.IsFunction() && o.domain != "" {
		return fmt.Sprintf("its function does not import the domain %s, which defines %s", o.domain, o.op)
	}
	return fmt.Sprintf("no suitable operator supports %s in the imported version of the standard", elem)
}

// isFloat reports whether the elements are floats that models compute with in at most 32 bits.
func isFloat(v *rewrite.Value) bool {
	switch v.Type().Elem {
	case tensor.F32, tensor.F16, tensor.BF16:
		return true
	}
	return false
}

// isDouble reports whether the elements are 64-bit floats.
func isDouble(v *rewrite.Value) bool { return v.Type().Elem == tensor.F64 }

// uncast skips casts between float types before a value. It returns the value before them, and the
// casts. Some exporters compute intermediate values in 64 bits.
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
