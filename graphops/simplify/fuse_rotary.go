package simplify

import (
	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

var fuseRotary = &pass{
	name:  "fuse-rotary",
	title: "rotary embeddings x·cos + (-x₂,x₁)·sin become RotaryEmbedding",
	reason: "the operator computes the same products and sums, so only rounding differs; the graph has the cosines and sines twice, one copy after the other, " +
		"and the operator reads only one copy",
	graph: func(j *job, g *rewrite.Graph) error {
		var found []*rotation
		groups := map[*rewrite.Value]int{}
		for n := range g.Nodes() {
			if !n.Is("Add") {
				continue
			}
			r, why := matchRotation(n)
			if why != "" {
				j.refuse(n, why)
			}
			if r != nil {
				found = append(found, r)
				groups[r.cos.key()]++
			}
		}
		f := &rotations{halves: map[*rewrite.Value]*rewrite.Value{}, caches: map[*rewrite.Value]*rewrite.Value{}, ids: map[*rewrite.Value]*rewrite.Value{}}
		for _, r := range found {
			same := groups[r.cos.key()]
			if r.sum.Gone() {
				continue
			}
			if r, _ = matchRotation(r.sum); r == nil { // its input may be another rotation
				continue
			}
			if why := f.fuse(r, same); why != "" {
				j.refuse(r.sum, why)
				continue
			}
			j.did("RotaryEmbedding")
		}
		return j.ctx.Err()
	},
	optional: true,
}

// rotation is a rotary embedding that is written as several nodes.
type rotation struct {
	sum      *rewrite.Node
	x        *rewrite.Value // batch × heads × steps × size
	cos, sin angles
}

// matchRotation returns the rotation that a sum computes, or the reason why it almost does.
func matchRotation(n *rewrite.Node) (*rotation, string) {
	for i := range 2 {
		straight, turned := n.In(i).Producer(), n.In(1-i).Producer()
		if !straight.Is("Mul") || !turned.Is("Mul") {
			return nil, ""
		}
		for k := range 2 {
			x, whole := turnedHalves(turned.In(k))
			if x == nil || !whole {
				continue
			}
			if r, why := rotated(n, x, straight, turned.In(1-k)); r != nil || why != "" {
				return r, why
			}
		}
	}
	return nil, ""
}

// rotated returns the rotation of x. straight is the product of x and the cosines, and sin the
// sines.
func rotated(n *rewrite.Node, x *rewrite.Value, straight *rewrite.Node, sin *rewrite.Value) (*rotation, string) {
	cos := straight.In(1)
	if cos == x {
		cos = straight.In(0)
	} else if straight.In(0) != x {
		return nil, ""
	}
	r := &rotation{sum: n, x: x}
	d := x.Type().Dims
	if len(d) != 4 || !sameDims(n.Out(0), x) {
		return nil, "it is not certain that the rotated value has the axes batch, heads, sequence and size, and that the angles match it"
	}
	why := ""
	if r.cos, why = anglesOf(cos); why == "" {
		r.sin, why = anglesOf(sin)
	}
	if why != "" {
		return nil, why
	}
	for _, a := range []angles{r.cos, r.sin} {
		c := a.full.Type().Dims
		if !c[1].Is(1) || !c[2].Equal(d[2]) || !c[3].Equal(d[3]) || !c[0].Equal(d[0]) && !c[0].Is(1) || !c[0].Equal(r.cos.full.Type().Dims[0]) {
			return nil, "it is not certain that there are angles for each position of the rotated value"
		}
	}
	return r, ""
}

// turnedHalves returns x if a value consists of the two halves of x in reverse order, with the
// second one negated.
func turnedHalves(v *rewrite.Value) (x *rewrite.Value, ok bool) {
	n := v.Producer()
	if !n.Is("Concat") || len(n.Inputs()) != 2 || !isLast(n.Int("axis", 0), v) || v.Reader() == nil {
		return nil, false
	}
	negated := n.In(0).Producer()
	if !negated.Is("Neg") {
		return nil, false
	}
	size, known := lastSize(v)
	first, from0, to0 := lastPart(n.In(1))
	second, from1, to1 := lastPart(negated.In(0))
	half := size / 2
	ok = known && size%2 == 0 && first == second && from0 == 0 && to0 == half && from1 == half && to1 == size
	return first, ok
}

func lastSize(v *rewrite.Value) (int64, bool) {
	d := v.Type().Dims
	if len(d) == 0 {
		return 0, false
	}
	return d[len(d)-1].Number()
}

func isLast(axis int64, v *rewrite.Value) bool {
	rank := int64(len(v.Type().Dims))
	return rank > 0 && (axis == -1 || axis == rank-1)
}

// lastPart returns the tensor of which a value is a part along the last axis, and the range of
// that part.
func lastPart(v *rewrite.Value) (whole *rewrite.Value, from, to int64) {
	n := v.Producer()
	switch {
	case n.Is("Slice"):
		return sliced(n)
	case n.Is("Split"):
		return splitPart(n, v)
	}
	return nil, 0, 0
}

func sliced(n *rewrite.Node) (*rewrite.Value, int64, int64) {
	size, ok := lastSize(n.In(0))
	starts, okStarts := n.In(1).Ints()
	ends, okEnds := n.In(2).Ints()
	axes, okAxes := n.In(3).Ints()
	if !ok || !okStarts || !okEnds || !okAxes || len(starts) != 1 || len(ends) != 1 || len(axes) != 1 || !isLast(axes[0], n.In(0)) {
		return nil, 0, 0
	}
	if steps, ok := n.In(4).Ints(); n.In(4) != nil && (!ok || len(steps) != 1 || steps[0] != 1) {
		return nil, 0, 0
	}
	from, to := starts[0], min(ends[0], size)
	if from < 0 && from >= -size {
		from += size
	}
	if to < 0 && to >= -size {
		to += size
	}
	return n.In(0), from, to
}

func splitPart(n *rewrite.Node, v *rewrite.Value) (*rewrite.Value, int64, int64) {
	if !isLast(n.Int("axis", 0), n.In(0)) {
		return nil, 0, 0
	}
	at := int64(0)
	for _, o := range n.Outputs() {
		if o == nil {
			return nil, 0, 0
		}
		size, ok := lastSize(o)
		if !ok {
			return nil, 0, 0
		}
		if o == v {
			return n.In(0), at, at + size
		}
		at += size
	}
	return nil, 0, 0
}

// whole returns the complete tensor if only its first part is rotated, and the Concat that joins
// the result with the rest. Both are nil if all of it is rotated.
func (r *rotation) whole() (x *rewrite.Value, join *rewrite.Node) {
	join = r.sum.Out(0).Reader()
	if !join.Is("Concat") || join.Graph() != r.sum.Graph() || len(join.Inputs()) != 2 || join.In(0) != r.sum.Out(0) || !isLast(join.Int("axis", 0), join.Out(0)) {
		return nil, nil
	}
	turned, from0, to0 := lastPart(r.x)
	rest, from1, to1 := lastPart(join.In(1))
	if turned == nil || turned != rest || from0 != 0 || to0 != from1 || !sameDims(turned, join.Out(0)) {
		return nil, nil
	}
	if size, ok := lastSize(turned); !ok || to1 != size {
		return nil, nil
	}
	return turned, join
}

// rotations are the values that the rotations of a graph share.
type rotations struct {
	halves, caches, ids map[*rewrite.Value]*rewrite.Value
}

// spared is the number of nodes that replacing a rotation by its operator saves.
const spared = 6

// fuse replaces a rotation. same is the number of rotations with the same angles.
func (f *rotations) fuse(r *rotation, same int) string {
	at := r.sum
	g := at.Graph()
	elem := r.x.Type().Elem
	standard := g.Opset("") >= attentionOpset && (elem == tensor.F32 || elem == tensor.F16 || elem == tensor.BF16)
	switch {
	case !standard && elem != tensor.F32:
		return "ONNX Runtime has no RotaryEmbedding on the CPU for " + elem.String()
	case standard && g.Offers("", "RotaryEmbedding", 0) == nil || !standard && g.Offers(microsoft, "RotaryEmbedding", 1) == nil:
		return notOffered(g, elem, offer{microsoft, "RotaryEmbedding"})
	case f.cost(r, standard) > spared*same:
		return "the inputs of the operator would need more nodes than it replaces"
	}
	x, end := r.x, r.sum
	var list []*graphops.Attribute
	if whole, join := r.whole(); whole != nil {
		size, _ := lastSize(r.x)
		x, end = whole, join
		list = append(list, graphops.IntAttribute("rotary_embedding_dim", size))
	}
	in := headedOperand(x)
	heads, known := in.dims[1].Number()
	if size, ok := in.dims[3].Number(); in.flat != nil && (!known || !ok || size == 0) {
		in.flat = nil
	}
	if !known && len(list) > 0 {
		return "the number of heads is not known"
	}
	if known {
		list = append(list, graphops.IntAttribute("num_heads", heads))
	}
	if !standard {
		g.Model().Import(microsoft, 1)
	}
	f.emit(r, in, standard, list, end)
	return ""
}

// emit replaces a rotation by the operator. If its input is available in flat form, it rotates
// that, and splits it into heads afterwards.
func (f *rotations) emit(r *rotation, in operand, standard bool, list []*graphops.Attribute, end *rewrite.Node) {
	at := r.sum
	x := in.headed
	if in.flat != nil {
		x = in.flat
	}
	domain, inputs := "", []*rewrite.Value{x, f.spread(at, r.cos, in), f.spread(at, r.sin, in)}
	if !standard {
		domain = microsoft
		inputs = []*rewrite.Value{x, f.positions(at, r.cos), f.cache(at, r.cos), f.cache(at, r.sin)}
	}
	y := at.Graph().Insert(at, rewrite.Spec{
		Op: "RotaryEmbedding", Domain: domain, Inputs: inputs, Attributes: list, Types: []shape.Type{x.Type()},
		For: []*rewrite.Node{at, at.In(0).Producer(), at.In(1).Producer()},
	}).Out(0)
	if in.flat != nil {
		heads, _ := in.dims[1].Number()
		size, _ := in.dims[3].Number()
		parted := shapedAs(at, y, []int64{0, 0, heads, size}, in.dims[0], in.dims[2], in.dims[1], in.dims[3])
		y = transposed(at, parted, permHeads)
	}
	end.Out(0).ReplaceWith(y)
	prune(end)
}

// cost returns the number of new nodes that several rotations share.
func (f *rotations) cost(r *rotation, standard bool) int {
	if f.halves[r.cos.key()] != nil {
		return 0
	}
	batched := !r.cos.full.Type().Dims[0].Is(1)
	n := len(r.cos.steps) + len(r.sin.steps)
	switch {
	case !standard && batched:
		n += 6
	case !standard:
		n += 2
	case !batched:
		n += 6
	}
	return n
}

// half returns one half of the cosines or sines as batch × steps × half of the head size.
func (f *rotations) half(at *rewrite.Node, a angles) *rewrite.Value {
	if f.halves[a.key()] == nil {
		f.halves[a.key()] = a.half(at)
	}
	return f.halves[a.key()]
}

// spread returns one half of the cosines or sines, repeated for each item of the batch. It returns
// nil in opsets without the standard's operator.
func (f *rotations) spread(at *rewrite.Node, a angles, x operand) *rewrite.Value {
	if at.Graph().Opset("") < attentionOpset {
		return nil
	}
	h := f.half(at, a)
	d := h.Type().Dims
	if d[0].Equal(x.dims[0]) {
		return h
	}
	if f.caches[a.key()] == nil {
		ones := at.Graph().NewConstant(h.Name()+"_ones", tensor.FromSlice([]int64{1, 1}, 2))
		v := x.headed
		if x.flat != nil {
			v = x.flat
		}
		batch := insertOne(at, "Shape", intsType(1), []*rewrite.Value{v}, graphops.IntAttribute("start", 0), graphops.IntAttribute("end", 1))
		to := insertOne(at, "Concat", intsType(3), []*rewrite.Value{batch, ones}, graphops.IntAttribute("axis", 0))
		f.caches[a.key()] = insertOne(at, "Expand", tensorType(h, x.dims[0], d[1], d[2]), []*rewrite.Value{h, to})
	}
	return f.caches[a.key()]
}

// cache returns one half of the cosines or sines as a table with one row for each sequence position
// of each item.
func (f *rotations) cache(at *rewrite.Node, a angles) *rewrite.Value {
	if f.caches[a.key()] == nil {
		h := f.half(at, a)
		d := h.Type().Dims
		size, _ := d[2].Number()
		f.caches[a.key()] = shapedAs(at, h, []int64{-1, size}, d[0].Mul(d[1]), d[2])
	}
	return f.caches[a.key()]
}

// positions returns the table's row for each step. If all items have the same angles, it is 0,
// the first row; otherwise the rows are numbered in order.
func (f *rotations) positions(at *rewrite.Node, a angles) *rewrite.Value {
	g := at.Graph()
	if f.ids[a.key()] != nil {
		return f.ids[a.key()]
	}
	h := f.half(at, a)
	d := h.Type().Dims
	if d[0].Is(1) {
		f.ids[a.key()] = g.NewConstant(h.Name()+"_position", tensor.FromSlice([]int64{0}, 1))
		return f.ids[a.key()]
	}
	scalarType := shape.Type{Kind: graphops.TypeTensor, Elem: tensor.I64, Dims: []dim.Dim{}}
	cut := g.NewConstant(h.Name()+"_two", tensor.FromSlice([]int64{0, 1}, 2))
	whole := insertOne(at, "Shape", intsType(3), []*rewrite.Value{h})
	sizes := insertOne(at, "Gather", intsType(2), []*rewrite.Value{whole, cut}, graphops.IntAttribute("axis", 0))
	count := insertOne(at, "ReduceProd", scalarType, []*rewrite.Value{sizes}, graphops.IntAttribute("keepdims", 0))
	zero, one := g.NewConstant(h.Name()+"_zero", tensor.FromSlice([]int64{0})), g.NewConstant(h.Name()+"_one", tensor.FromSlice([]int64{1}))
	rangeType := intsType(0)
	rangeType.Dims = []dim.Dim{d[0].Mul(d[1])}
	all := insertOne(at, "Range", rangeType, []*rewrite.Value{zero, count, one})
	t := scalarType
	t.Dims = []dim.Dim{d[0], d[1]}
	f.ids[a.key()] = insertOne(at, "Reshape", t, []*rewrite.Value{all, sizes})
	return f.ids[a.key()]
}
