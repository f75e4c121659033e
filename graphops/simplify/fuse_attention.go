package simplify

import (
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// attentionOpset is the first version of the standard with an attention operator.
const attentionOpset = 23

var fuseAttention = &pass{
	name:  "fuse-attention",
	title: "softmax(Q·Kᵀ)·V becomes Attention, or MultiHeadAttention of ONNX Runtime",
	reason: "the operator computes the same in another order, so only rounding differs; it includes caches, masks and the splitting into heads. " +
		"A row of scores that is masked completely gives the same result; a mask that replaces scores by -10000 has the effect of one that " +
		"uses -Inf, unless all kept scores of a row are below -9000",
	graph: func(j *job, g *rewrite.Graph) error {
		b := &biases{}
		for n := range g.Nodes() {
			if j.ctx.Err() != nil {
				return j.ctx.Err()
			}
			if !n.Is("Softmax") || n.Out(0) == nil || n.In(0) == nil {
				continue
			}
			a, why := matchAttention(n)
			if why == "" && a != nil {
				var text string
				if text, why = a.fuse(j, b); text != "" {
					j.did(text)
					forget(j, n)
				}
			}
			if why != "" {
				j.refuse(n, why)
			}
		}
		return nil
	},
	optional: true,
}

// forget removes the reasons that earlier rounds have recorded for a node.
func forget(j *job, n *rewrite.Node) {
	from, ok := n.From().First()
	j.now.Refused = slices.DeleteFunc(j.now.Refused, func(r Refusal) bool { return ok && r.Site == from })
}

// target is the operator that attention becomes.
type target struct {
	standard bool
	floor    float64 // of the bias
	// guarded is set if rows of NaN are replaced by zeros after the operator.
	guarded bool
}

// fuse replaces an attention. It returns the replacement, or the reason why not.
func (a *attended) fuse(j *job, b *biases) (text, why string) {
	if why := a.countHeads(j.o); why != "" {
		return "", why
	}
	if why := a.maskFits(); len(a.masks) > 0 && why != "" {
		return "", why
	}
	to, why := a.choose()
	if why != "" {
		return "", why
	}
	a.narrow(to)
	e := &fusion{attended: a, to: to, end: a.findEnd()}
	if e.added()+b.cost(a, to.floor) >= e.removed() {
		return "", "the operator, with the nodes that convert its inputs and outputs, would be as many nodes as it replaces"
	}
	if !to.standard {
		a.product.Graph().Model().Import(microsoft, 1)
	}
	return e.replace(b), ""
}

// countHeads checks the number of heads and the hidden size against the options, and uses the
// options for what is unknown.
func (a *attended) countHeads(o Options) string {
	heads, ok := a.q.dims[1].Number()
	switch {
	case !ok && o.Heads == 0:
		return "the number of heads is unknown; specify it as an option"
	case !ok:
		heads = o.Heads
	case o.Heads != 0 && heads != o.Heads:
		return fmt.Sprintf("it has %s, but the option specifies %d", counted(int(heads), "head", "heads"), o.Heads)
	}
	size, ok := a.q.dims[3].Number()
	if !ok && o.Hidden != 0 && o.Hidden%heads == 0 {
		size, ok = o.Hidden/heads, true
	}
	switch {
	case !ok:
		return "the size of a head is unknown; specify the hidden size as an option"
	case o.Hidden != 0 && heads*size != o.Hidden:
		return fmt.Sprintf("its hidden size is %d, but the option specifies %d", heads*size, o.Hidden)
	}
	for _, p := range []*operand{&a.q, &a.k, &a.v} {
		p.dims = slices.Clone(p.dims)
		p.dims[1] = dim.Number(heads)
	}
	a.q.dims[3], a.k.dims[3] = dim.Number(size), dim.Number(size)
	return ""
}

// choose selects the operator that gives the same result as the graph. The operators differ in
// rows that are masked completely: the standard one returns zeros for rows that are all -Inf or all
// the lowest number, while ONNX Runtime's own one returns NaN for -Inf, as a softmax does.
func (a *attended) choose() (target, string) {
	t := target{floor: math.Inf(-1)}
	s, known := a.span()
	elem := a.v.headed.Type().Elem
	lowest := -largestOf(a.v.headed) / 2
	g := a.product.Graph()
	standard := g.Offers("", "Attention", 0) != nil && g.Opset("") >= attentionOpset && a.scale > 0 && (elem == tensor.F32 || elem == tensor.F16)
	switch {
	case !standard || !known || s.inf && !a.guarded || s.inf && s.low <= lowest:
	case s.low <= lowest:
		return target{standard: true, floor: lowest}, ""
	default:
		t.standard = true
		return t, ""
	}
	switch {
	case elem != tensor.F32:
		return t, "ONNX Runtime has no MultiHeadAttention on the CPU for " + elem.String()
	case g.Offers(microsoft, "MultiHeadAttention", 1) == nil:
		return t, notOffered(g, elem, offer{microsoft, "MultiHeadAttention"})
	case !a.parts() && !a.k.dims[3].Equal(a.v.dims[3]):
		return t, "keys and values have heads of different sizes, which MultiHeadAttention does not support"
	}
	t.guarded = a.guarded && (!known || s.inf)
	return t, ""
}

// parts reports whether keys and values are available in flat form.
func (a *attended) parts() bool { return a.k.flat != nil && a.v.flat != nil }

// fusion is an attention that is being replaced.
type fusion struct {
	*attended
	to  target
	end end
}

// flat reports whether the operator reads queries, keys and values in flat form and returns its
// result in flat form.
func (e *fusion) flat() bool {
	return e.q.flat != nil && e.k.flat != nil && e.v.flat != nil && (e.end.flat != nil || e.end.swapped != nil)
}

// added returns the maximum number of new nodes, without those for the bias.
func (e *fusion) added() int {
	n := 1
	if e.to.guarded {
		n += 2
	}
	if e.flat() {
		return n
	}
	if e.k.headed == nil {
		n++
	}
	if e.to.standard {
		return n
	}
	if e.q.flat == nil {
		n += 2
	}
	if e.end.flat == nil && e.end.swapped == nil {
		n += 2
	}
	return n
}

// removed returns an estimate of the number of removed nodes.
func (e *fusion) removed() int {
	n := 3 + len(e.between)
	if e.guarded {
		n += 2
	}
	if e.keys.Reader() != nil && !e.keysSized() && e.keys.Producer().Is("Transpose", "Reshape") {
		n++
	}
	for _, o := range []operand{e.q, e.k, e.v} {
		switch {
		case o.flat == nil || !e.flat():
		case o.dims[2].Is(1):
			n++
		default:
			n += 2
		}
	}
	for _, c := range e.cached {
		if c.whole != nil {
			n++
		}
	}
	if e.end.flat != nil || e.end.swapped != nil && e.end.swapped != e.end.result {
		n += 2
	}
	return n
}

// replace replaces the attention by the operator.
func (e *fusion) replace(b *biases) string {
	bias := b.of(e.attended, e.to.floor)
	var made *rewrite.Node
	if e.to.standard {
		made = e.standard(bias)
	} else {
		made = e.multiHead(bias)
	}
	for _, s := range e.end.shapes {
		s.node.SetInput(0, s.same)
	}
	e.takeSizes()
	e.connect(e.unmarred(made.Out(0)))
	e.renew(made)
	prune(e.product)
	heads, _ := e.q.dims[1].Number()
	return fmt.Sprintf("%s of %s", made.Op(), counted(int(heads), "head", "heads"))
}

// unmarred returns the result with NaN replaced by zeros, if the original nodes do this.
func (e *fusion) unmarred(y *rewrite.Value) *rewrite.Value {
	if !e.to.guarded {
		return y
	}
	at, t := e.product, y.Type()
	t.Elem = tensor.Bool
	test := insertOne(at, "IsNaN", t, []*rewrite.Value{y})
	return insertOne(at, "Where", y.Type(), []*rewrite.Value{test, scalarOf(at, y, 0), y})
}

// connect replaces the old result by the new one.
func (e *fusion) connect(y *rewrite.Value) {
	switch {
	case len(y.Type().Dims) == 4:
		e.end.result.ReplaceWith(y)
	case e.end.flat != nil:
		e.end.flat.ReplaceWith(y)
		prune(e.end.reshape)
	case e.end.swapped != nil:
		e.end.reshape.SetInput(0, y)
		prune(e.end.swapped.Producer())
	default:
		d := e.v.dims
		heads, _ := d[1].Number()
		size, ok := d[3].Number()
		if !ok {
			size = -1
		}
		parted := shapedAs(e.product, y, []int64{0, 0, heads, size}, d[0], e.q.dims[2], d[1], d[3])
		e.end.result.ReplaceWith(transposed(e.product, parted, permHeads))
	}
	prune(e.end.result.Producer())
}

// insertOne inserts a node with one output before another node. In the report, the new node stands
// for that node.
func insertOne(at *rewrite.Node, op string, t shape.Type, in []*rewrite.Value, list ...*graphops.Attribute) *rewrite.Value {
	return at.Graph().Insert(at, rewrite.Spec{Op: op, Inputs: in, Attributes: list, Types: []shape.Type{t}, For: []*rewrite.Node{at}}).Out(0)
}

func intsType(n int64) shape.Type {
	return shape.Type{Kind: graphops.TypeTensor, Elem: tensor.I64, Dims: []dim.Dim{dim.Number(n)}}
}

// prune removes a node that is no longer used, and then the nodes that only it read.
func prune(n *rewrite.Node) {
	list := []*rewrite.Node{n}
	for len(list) > 0 {
		n := list[len(list)-1]
		list = list[:len(list)-1]
		if n == nil || n.Gone() || n.IsUsed() {
			continue
		}
		for _, v := range n.Inputs() {
			if v != nil && v.Graph() == n.Graph() {
				list = append(list, v.Producer())
			}
		}
		n.Remove()
	}
}
