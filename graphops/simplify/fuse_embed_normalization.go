package simplify

import (
	"cmp"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

var embedNormalization = &pass{
	name:  "embed-normalization",
	title: "embeddings of tokens, positions and segments, summed and normalized, become ONNX Runtime's EmbedLayerNormalization",
	reason: "the operator looks up the same rows and computes the same sum and normalization, so only rounding differs; but it rejects negative " +
		"indices, which Gather counts from the end of the table",
	after:    []string{"layer-normalization"},
	optional: true,
	ops:      []string{"LayerNormalization"},
	node: func(j *job, n *rewrite.Node) string {
		if !n.Is("LayerNormalization") {
			return ""
		}
		e := embeddingsBefore(n)
		if e == nil {
			return ""
		}
		if r := residualAt(j, n); r != nil {
			return e.fuse(j, r)
		}
		return ""
	},
}

// embedding is a lookup of rows of a table by indices.
type embedding struct {
	gather     *rewrite.Node
	table, ids *rewrite.Value
	rows       int64
}

// embeddings are the summands before a normalization.
type embeddings struct {
	adds []*rewrite.Node // without the last one
	list []*embedding
}

// embeddingsBefore returns the two or three embeddings whose sum is the input of a node, or nil.
func embeddingsBefore(n *rewrite.Node) *embeddings {
	add := made(n.In(0), "Add")
	if add == nil || n.Graph().Opset("") < modern {
		return nil
	}
	e := &embeddings{}
	for i := range 2 {
		if !e.take(add.In(i), add) {
			return nil
		}
	}
	if len(e.list) < 2 || len(e.list) > 3 {
		return nil
	}
	return e
}

// take adds an embedding that is a summand. Only node by may read it. It reports whether v is one.
func (e *embeddings) take(v *rewrite.Value, by *rewrite.Node) bool {
	if v == nil || !onlyShapes(v, by) {
		return false
	}
	if add := made(v, "Add"); add != nil && len(e.adds) == 0 && v.Reader() == by {
		e.adds = append(e.adds, add)
		return e.take(add.In(0), add) && e.take(add.In(1), add)
	}
	gather := made(v, "Gather")
	if gather == nil || gather.Int("axis", 0) != 0 || gather.In(0) == nil || gather.In(1) == nil {
		return false
	}
	dims := gather.In(0).Type().Dims
	if len(dims) != 2 {
		return false
	}
	rows, ok := dims[0].Number()
	e.list = append(e.list, &embedding{gather, gather.In(0), gather.In(1), rows})
	return ok
}

// onlyShapes reports whether a value is read only by one node and by a few Shape nodes. The
// node that makes the value stays in the graph for the Shape nodes, so there must not be many.
func onlyShapes(v *rewrite.Value, by *rewrite.Node) bool {
	if v.IsOutput() || v.Uses() > maxShapes {
		return false
	}
	return !slices.ContainsFunc(v.Readers(), func(n *rewrite.Node) bool { return n != by && !n.Is("Shape") })
}

const maxShapes = 8

// roles assigns the embeddings to the operator's inputs.
type roles struct {
	word, position, segment *embedding // segment may be nil
	counted                 bool       // positions are 0, 1, 2, …
}

// assign determines the role of each embedding. For the operator, tokens and segments differ
// only in their order; the larger table is taken for the tokens.
func (e *embeddings) assign(sum shape.Type) (r roles, why string) {
	if len(sum.Dims) != 3 {
		return r, "its input does not have the axes batch, sequence and size"
	}
	batch := shape.Type{Dims: sum.Dims[:2]}
	var each []*embedding // those with one index for each token of the batch
	for _, m := range e.list {
		switch {
		case !m.table.Type().Dims[1].Equal(sum.Dims[2]):
			return r, "the rows of a table are not known to be as long as the sum"
		case sameSizes(m.ids.Type(), batch):
			each = append(each, m)
		case r.position == nil:
			r.position = m
		default:
			return r, "two of the tables are indexed by numbers that are the same for the whole batch"
		}
	}
	if r.position == nil {
		r.position, each = positions(each, sum.Dims[1])
	}
	if len(each) == 0 {
		return r, "no table is indexed by token numbers"
	}
	r.word = each[0]
	if len(each) == 2 {
		r.segment = each[1]
		if r.segment.rows > r.word.rows {
			r.word, r.segment = r.segment, r.word
		}
	}
	return r, r.check(batch)
}

// positions selects the embedding of positions: one whose indices are 0, 1, 2, …, or else the
// smaller of two tables, or the middle one of three.
func positions(list []*embedding, size dim.Dim) (*embedding, []*embedding) {
	best := slices.IndexFunc(list, func(m *embedding) bool { return counts(m.ids, size) })
	if best < 0 {
		order := slices.SortedFunc(slices.Values(list), func(a, b *embedding) int { return cmp.Compare(b.rows, a.rows) })
		best = slices.Index(list, order[1])
	}
	return list[best], slices.Concat(list[:best], list[best+1:])
}

// check examines the indices of the positions.
func (r *roles) check(batch shape.Type) string {
	at := r.position.ids.Type().Dims
	if r.counted = counts(r.position.ids, batch.Dims[1]); r.counted && (len(at) == 1 || len(at) == 2 && at[0].Is(1)) {
		return ""
	}
	r.counted = false
	if len(at) != 2 || !at[1].Equal(batch.Dims[1]) || !at[0].Is(1) && !at[0].Equal(batch.Dims[0]) {
		return "it is not certain that there are as many positions as tokens"
	}
	return ""
}

// counts reports whether a value is 0, 1, 2, … up to the given length, whenever the two can be
// broadcast at all. It is the start of a constant table of positions, or a Range.
func counts(v *rewrite.Value, size dim.Dim) bool {
	for {
		n := made(v, "Unsqueeze", "Cast", "Identity")
		if n == nil {
			break
		}
		v = n.In(0)
	}
	if n := made(v, "Range"); n != nil {
		return isNumber(n.In(0), 0) && isNumber(n.In(2), 1) && len(v.Type().Dims) == 1 && v.Type().Dims[0].Equal(size)
	}
	if n := made(v, "Slice"); n != nil && n.Graph().Opset("") >= 10 {
		return countsFromStart(n, size)
	}
	last, ok := upTo(v)
	return ok && size.Is(last)
}

// countsFromStart reports whether a Slice takes the first numbers of 0, 1, 2, ….
func countsFromStart(n *rewrite.Node, size dim.Dim) bool {
	total, ok := upTo(n.In(0))
	dims := n.Out(0).Type().Dims
	if !ok || len(dims) == 0 || !isNumber(n.In(1), 0) || n.In(4) != nil && !isNumber(n.In(4), 1) {
		return false
	}
	axes, stated := n.In(3).Ints()
	if n.In(3) != nil && (!stated || len(axes) != 1) || n.In(3) == nil && len(dims) != 1 {
		return false
	}
	if stated && axes[0] != -1 && axes[0] != int64(len(dims)-1) {
		return false
	}
	got := dims[len(dims)-1]
	// If there are fewer positions than tokens, they cannot be added at all.
	return got.Equal(size) || total > 1 && got.Equal(size.Min(dim.Number(total)))
}

// upTo returns n if a constant contains 0, 1, …, n-1 along its last axis, and all other axes
// have size 1.
func upTo(v *rewrite.Value) (int64, bool) {
	t, ok := v.Small(maxPositions)
	if !ok || len(t.Shape) == 0 || t.DType != tensor.I64 && t.DType != tensor.I32 {
		return 0, false
	}
	list, err := t.Int64s()
	if err != nil || int64(len(list)) != t.Shape[len(t.Shape)-1] {
		return 0, false
	}
	for i, p := range list {
		if p != int64(i) {
			return 0, false
		}
	}
	return int64(len(list)), true
}

// maxPositions is the maximum size of a table of positions.
const maxPositions = 1 << 14

// isNumber reports whether a value is one known integer.
func isNumber(v *rewrite.Value, want int64) bool {
	list, ok := v.Ints()
	return ok && len(list) == 1 && list[0] == want
}

// fuse creates the operator.
func (e *embeddings) fuse(j *job, r *residual) string {
	roles, why := e.assign(r.add.Out(0).Type())
	elem := r.add.Out(0).Type().Elem
	o := offer{microsoft, "EmbedLayerNormalization"}
	switch s := r.norm.Graph().Offers(o.domain, o.op, 1); {
	case why != "":
	case r.bias == nil:
		why = "its normalization has no bias"
	case s == nil || !s.Inputs[2].Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: elem}):
		why = notOffered(r.norm.Graph(), elem, o)
	}
	if why != "" {
		j.refuse(r.norm, why)
		return ""
	}
	sum := r.add.Out(0).Type()
	// The kernel computes the mask even if it is not used.
	mask := shape.Type{Kind: graphops.TypeTensor, Elem: tensor.I32, Dims: sum.Dims[:1]}
	count := len(e.adds) + len(e.list) + 2
	n := r.add.Graph().Insert(r.add, rewrite.Spec{
		Op: o.op, Domain: o.domain, Inputs: roles.inputs(r), For: e.nodes(r),
		Types:      []shape.Type{sum, mask, sum},
		Attributes: []*graphops.Attribute{graphops.FloatAttribute("epsilon", r.epsilon)},
	})
	if in := n.Inputs(); !r.replace(n, 2) {
		for _, v := range in {
			if v != nil && v.Producer() != nil && v.Uses() == 0 {
				v.Producer().Remove()
			}
		}
		j.refuse(r.norm, "its result is an output of the graph that cannot be replaced")
		return ""
	}
	(&cluster{root: r.add, inner: e.nodes(r)[2:]}).remove()
	return o.told(count)
}

func (e *embeddings) nodes(r *residual) []*rewrite.Node {
	out := append([]*rewrite.Node{r.norm, r.add}, e.adds...)
	for _, m := range e.list {
		out = append(out, m.gather)
	}
	return out
}

// inputs returns the inputs of the operator.
func (r *roles) inputs(s *residual) []*rewrite.Value {
	in := []*rewrite.Value{
		short(r.word.ids, s.add), nil, r.word.table, r.position.table, nil, s.scale, s.bias,
	}
	if r.segment != nil {
		in[1], in[4] = short(r.segment.ids, s.add), r.segment.table
	}
	if !r.counted {
		in = append(in, nil, short(r.position.ids, s.add))
	}
	return in
}

// short returns a value cast to 32-bit integers, which the operator requires. If a Cast is
// necessary, it is inserted before a node.
func short(v *rewrite.Value, before *rewrite.Node) *rewrite.Value {
	if v.Type().Elem == tensor.I32 {
		return v
	}
	if n := made(v, "Cast"); n != nil && n.In(0).Type().Elem == tensor.I32 {
		return n.In(0)
	}
	t := v.Type()
	t.Elem = tensor.I32
	n := before.Graph().Insert(before, rewrite.Spec{
		Op: "Cast", Inputs: []*rewrite.Value{v}, Types: []shape.Type{t}, For: []*rewrite.Node{before},
		Attributes: []*graphops.Attribute{graphops.IntAttribute("to", int64(tensor.I32))},
	})
	return n.Out(0)
}
