package shape

import (
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// rule infers the outputs of a node: it sets the shapes in c.out, and the element types that do
// not follow from the schema.
type rule func(c *call)

// call is one node as seen by its rule.
type call struct {
	*frame
	pos    int
	node   *graphops.Node
	schema *opschema.Schema // nil for an operator that the table does not have
	since  int64            // version of the schema, 0 without one
	in     []*Value         // nil for an omitted input
	out    []Value

	loading, tolerated bool // how demands are marked

	given []int // memory for present
	// made and differ are memory for broadcast: the sizes of the result, and those of operands.
	made, differ []dim.Dim

	attributes []*graphops.Attribute // decoded on first use
	asked      bool
}

// call returns a node of the frame with its inputs.
func (f *frame) call(i int, n *graphops.Node) *call {
	c := &call{}
	c.take(f, i, n)
	return c
}

// take makes c the call of a node. It keeps the memory of the slices, because there are as many
// calls as nodes.
func (c *call) take(f *frame, i int, n *graphops.Node) {
	in, out, given, made, differ := c.in[:0], c.out[:0], c.given, c.made, c.differ
	for _, id := range f.index.Inputs(i) {
		var v *Value
		if id >= 0 {
			v = &f.values[id]
		}
		in = append(in, v)
	}
	for range n.Outputs() {
		out = append(out, Value{})
	}
	*c = call{frame: f, pos: i, node: n, in: in, out: out, given: given, made: made, differ: differ}
	if f.options.Assume != nil {
		for k := range c.in {
			c.assume(k)
		}
	}
}

// assume replaces a constant input according to the options.
func (c *call) assume(k int) {
	if !c.isConstant(k) {
		return
	}
	was := Constant{Value: c.node.Inputs()[k], Dims: c.dims(k), OfData: k > 0 && c.elems(0) != nil}
	if elems := c.elems(k); elems != nil {
		was.Sizes = sizesOf(elems)
	}
	is := c.options.Assume(Edge{c.place, c.pos, k}, was)
	v := c.input(k)
	v.Dims = is.Dims
	for i, d := range is.Sizes {
		if !d.Equal(was.Sizes[i]) {
			if i == 0 || &v.elems[0] == &c.in[k].elems[0] {
				v.elems = slices.Clone(v.elems)
			}
			v.elems[i] = intElem(d)
		}
	}
	c.in[k] = &v
}

// isConstant reports whether an input is an initializer or the output of a Constant node, in
// this place or one around it.
func (c *call) isConstant(k int) bool {
	if !c.has(k) {
		return false
	}
	for p := c.place; p != nil; p = p.Parent {
		x := p.Graph.Index()
		id, ok := x.Value(c.node.Inputs()[k])
		if !ok || !x.IsDefined(id) {
			continue
		}
		if x.IsInitializer(id) {
			return true
		}
		made := x.Producer(id)
		return made >= 0 && len(p.Graph.Nodes()[made].Inputs()) == 0 && p.Graph.Nodes()[made].Is("Constant")
	}
	return false
}

// infer finds the rule and applies it.
func (c *call) infer() {
	op := c.operator(c.pos)
	if op.function != nil {
		c.enterFunction(op.function)
		return
	}
	if op.schema != nil {
		c.schema, c.since = op.schema, op.schema.Since
		c.takeTypes()
	}
	if op.rule != nil {
		op.rule(c)
	}
	if op.domain == onnx && len(c.out) > 0 {
		c.out[0].top = c.counted()
	}
}

// operator is what is known of the operator of a node before its inputs are.
type operator struct {
	known    bool
	domain   string
	function *graphops.Place // of the model; the rest is not set then
	schema   *opschema.Schema
	rule     rule
}

// operator returns the operator of a node of the frame. It is looked up once for all nodes that
// have it.
func (f *frame) operator(node int) operator {
	if f.operators == nil {
		f.operators = make([]operator, len(f.index.Operators()))
	}
	o := &f.operators[f.index.Operator(node)]
	if !o.known {
		*o = f.lookUp(f.index.Operators()[f.index.Operator(node)])
	}
	return *o
}

func (f *frame) lookUp(key graphops.FunctionKey) operator {
	o := operator{known: true, domain: key.Domain, function: f.functions[key]}
	if o.function != nil {
		return o
	}
	version, ok := f.opsets[key.Domain]
	if !ok {
		version = math.MaxInt64 // ONNX Runtime accepts its own domain without an import
	}
	o.schema, _ = opschema.Find(key.Domain, key.Name, version)
	o.rule = f.rules[graphops.Op{Domain: key.Domain, Name: key.Name}]
	return o
}

// has reports whether an input is given.
func (c *call) has(i int) bool { return i < len(c.in) && c.in[i] != nil }

// input returns an input, with nothing known if it is omitted.
func (c *call) input(i int) Value {
	if !c.has(i) {
		return Value{}
	}
	return *c.in[i]
}

// dims returns the sizes of an input, nil if its rank is unknown.
func (c *call) dims(i int) []dim.Dim { return c.input(i).Dims }

// elem returns the element type of an input, undefined if unknown.
func (c *call) elem(i int) tensor.DType { return c.input(i).Elem }

// elems returns the elements of an input, nil if they are not traced.
func (c *call) elems(i int) []elem {
	if !c.has(i) {
		return nil
	}
	if c.in[i].elems == nil {
		id := c.index.Inputs(c.pos)[i]
		if t := c.index.Initializer(id); t != nil && !c.replaceable(id) {
			c.in[i].elems = elementsOf(t)
		}
	}
	return c.in[i].elems
}

// sizes returns the elements of an input as sizes, nil if their number is unknown. If only their
// number is known, all of them are unknown.
func (c *call) sizes(i int) []dim.Dim {
	if elems := c.elems(i); elems != nil {
		return sizesOf(elems)
	}
	if d := c.dims(i); len(d) == 1 {
		if n, ok := d[0].Number(); ok && n >= 0 && n <= maxRank {
			return unknownDims(int(n))
		}
	}
	return nil
}

func sizesOf(elems []elem) []dim.Dim {
	out := make([]dim.Dim, len(elems))
	for k, e := range elems {
		out[k] = e.size()
	}
	return out
}

// positions is like sizes, except that unknown elements may be negative.
func (c *call) positions(i int) []dim.Dim {
	out := c.sizes(i)
	if c.elems(i) == nil {
		for k := range out {
			out[k] = dim.UnknownInteger()
		}
	}
	return out
}

// ints returns the elements of an input if all of them are known numbers.
func (c *call) ints(i int) ([]int64, bool) {
	elems := c.elems(i)
	out := make([]int64, len(elems))
	for k, e := range elems {
		n, ok := e.int()
		if !ok {
			return nil, false
		}
		out[k] = n
	}
	return out, elems != nil
}

// maxRank is the maximum rank of a shape. No runtime has tensors with more axes, and a hostile
// file can contain any number.
const maxRank = 256

// outTensor sets an output to a tensor with the given sizes, nil for an unknown rank.
func (c *call) outTensor(o int, e tensor.DType, dims []dim.Dim) {
	if o >= len(c.out) {
		return
	}
	if len(dims) > maxRank {
		c.problem(-1, fmt.Sprintf("output %q would have rank %d, expected at most %d", c.node.Outputs()[o], len(dims), maxRank))
		dims = nil
	}
	c.out[o].Type = tensorOf(e, dims)
}

// outDims sets the sizes of an output whose element type follows from the schema.
func (c *call) outDims(o int, dims []dim.Dim) {
	if o < len(c.out) {
		c.outTensor(o, c.out[o].Elem, dims)
	}
}

// outElems sets the elements of an output whose sizes are numbers.
func (c *call) outElems(o int, elems []elem) {
	if o < len(c.out) && len(elems) <= MaxElements {
		c.out[o].elems = elems
	}
}

// pass makes the first output equal to the first input, including its traced elements.
func (c *call) pass() {
	if len(c.out) > 0 {
		c.elems(0)
		c.out[0] = c.input(0)
	}
}

// ownAttributes returns the attributes of the node.
func (c *call) ownAttributes() []*graphops.Attribute {
	if !c.asked {
		c.attributes, c.asked = c.node.Attributes(), true
	}
	return c.attributes
}

// attr finds an attribute. In a function it resolves references to attributes of the call.
func (c *call) attr(name string) (*graphops.Attribute, bool) {
	return attribute(c.ownAttributes(), c.frame.attrs, name)
}

// attribute finds an attribute in a list, or the attribute of the call that it refers to.
func attribute(list []*graphops.Attribute, given map[string]*graphops.Attribute, name string) (*graphops.Attribute, bool) {
	for _, a := range list {
		if a.Name() != name {
			continue
		}
		if ref := a.RefName(); ref != "" {
			a, ok := given[ref]
			return a, ok
		}
		return a, true
	}
	return nil, false
}

func (c *call) attrInt(name string, without int64) int64 {
	if a, ok := c.attr(name); ok {
		return a.Int()
	}
	return without
}

func (c *call) attrText(name, without string) string {
	if a, ok := c.attr(name); ok {
		return a.Text()
	}
	return without
}

// attrInts returns the numbers of an attribute. ok is false if there is none.
func (c *call) attrInts(name string) (list []int64, ok bool) {
	a, ok := c.attr(name)
	if !ok {
		return nil, false
	}
	return a.Ints(), true
}

// axis converts an axis to a number from 0. If a tensor of that rank has no such axis, it
// reports a problem and ok is false.
func (c *call) axis(axis int64, rank int) (int, bool) {
	at := axis
	if at < 0 {
		at += int64(rank)
	}
	if at < 0 || at >= int64(rank) {
		c.problem(-1, fmt.Sprintf("there is no axis %d in a tensor of rank %d", axis, rank))
		return 0, false
	}
	return int(at), true
}

// axes converts axes to numbers from 0.
func (c *call) axes(list []int64, rank int) ([]int, bool) {
	out := make([]int, len(list))
	for i, a := range list {
		at, ok := c.axis(a, rank)
		if !ok {
			return nil, false
		}
		out[i] = at
	}
	return out, true
}
