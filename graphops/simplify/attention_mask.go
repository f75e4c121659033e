package simplify

import (
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// bias is the sum of all masks of an attention, in the form that an attention operator reads.
type bias struct {
	masks         []mask
	steps, length dim.Dim // of queries and keys
	floor         float64
	value         *rewrite.Value
}

// biases are the biases that were created so far in a graph, because several layers may share
// masks.
type biases struct{ made []bias }

// of returns one tensor for all masks of an attention, with one row for each query. Its nodes are
// inserted before the product of queries and keys. No element is below floor.
func (b *biases) of(a *attended, floor float64) *rewrite.Value {
	if len(a.masks) == 0 {
		return nil
	}
	next := bias{masks: a.masks, steps: a.scores[2], length: a.scores[3], floor: floor}
	for _, old := range b.made {
		if old.same(next) {
			return old.value
		}
	}
	next.value = a.build(floor)
	b.made = append(b.made, next)
	return next.value
}

// cost returns the number of nodes that of would create.
func (b *biases) cost(a *attended, floor float64) int {
	next := bias{masks: a.masks, steps: a.scores[2], length: a.scores[3], floor: floor}
	if len(a.masks) == 0 || slices.ContainsFunc(b.made, next.same) {
		return 0
	}
	n := len(a.masks) - 1
	if !math.IsInf(floor, -1) {
		n++
	}
	full, axes := a.masked()
	for _, m := range a.masks {
		if m.added == nil {
			n++
		}
	}
	w := a.widening(full)
	if axes < 4 || w.any() {
		n++
	}
	computed := 0
	for i, wide := range w {
		if _, fixed := a.scores[2+i].Number(); wide && !fixed {
			computed = max(1, computed) + 2
		}
	}
	return n + computed
}

// masked returns the broadcast shape of all masks, and the number of axes that they have.
func (a *attended) masked() (full []dim.Dim, axes int) {
	full = []dim.Dim{dim.Number(1), dim.Number(1), dim.Number(1), dim.Number(1)}
	for _, m := range a.masks {
		full = broadcastDims(full, m.dims())
		axes = max(axes, len(m.dims()))
	}
	return full, axes
}

// widensColumns reports whether a mask must be expanded to the length of the keys.
func (a *attended) widensColumns() bool {
	full, _ := a.masked()
	return len(a.masks) > 0 && a.widening(full)[1]
}

func (b bias) same(c bias) bool {
	if len(b.masks) != len(c.masks) || b.floor != c.floor || !b.steps.Equal(c.steps) || !b.length.Equal(c.length) {
		return false
	}
	for i, m := range b.masks {
		if m != c.masks[i] {
			return false
		}
	}
	return true
}

// maskFits returns the reason why the masks cannot become a bias, or an empty string. A bias has
// the shape batch × heads × steps × length, where the first two may be 1.
func (a *attended) maskFits() string {
	for _, m := range a.masks {
		if m.hidden && len(a.masks) > 1 {
			return "masked scores are replaced by a number that is not small enough; if another mask hides the rest of a row, the result would differ"
		}
		d := m.dims()
		if d == nil || len(d) > 4 {
			return "the shape of the mask is not known"
		}
		for i, size := range d {
			if axis := 4 - len(d) + i; !size.Is(1) && !a.forced(size, axis) && !a.spreads(axis) && !a.cut(d, axis) {
				return "it is not certain that the mask is for these scores: " + m.source().Type().String()
			}
		}
	}
	return ""
}

// cut reports whether a mask always has as many rows as the scores, because it is cut from a table:
// its columns are those up to the length of the keys, and its rows are the last ones before that
// position.
func (a *attended) cut(d []dim.Dim, axis int) bool {
	if axis != 2 || len(d) < 2 {
		return false
	}
	length, columns, rows := a.scores[3], d[len(d)-1], d[len(d)-2]
	_, table := columns.Bounds()
	whole := dim.Number(table)
	return table >= 2 && columns.Equal(length.Min(whole)) &&
		rows.Equal(length.Min(whole).Sub(length.Sub(a.scores[2]).Min(whole)))
}

// spreads reports whether an unknown size is always 1 or that of the scores. This holds on the
// last axis, where the sum must have the length of the values.
func (a *attended) spreads(axis int) bool {
	return axis == 3 && a.scores[3].Equal(a.length)
}

// forced reports whether a size of a mask is always that of the scores. A size other than 1 must
// be equal, because the mask could not be added otherwise. And on the last axis the sum must have
// the length of the values.
func (a *attended) forced(size dim.Dim, axis int) bool {
	want := a.scores[axis]
	low, high := size.Bounds()
	least, _ := want.Bounds()
	switch {
	case size.Equal(want):
		return true
	case low >= 2 && least >= 2:
		return true
	case high >= 2 && size.Equal(want.Min(dim.Number(high))):
		return true // both are 1, or neither is
	}
	return axis == 3 && want.Equal(a.length) && covers(size, want)
}

// covers reports whether broadcasting a size with another one always results in the first.
func covers(size, with dim.Dim) bool {
	both, ok := size.Broadcast(with)
	return ok && both.Equal(size)
}

// source returns the tensor that a mask is made from.
func (m mask) source() *rewrite.Value {
	if m.added != nil {
		return m.added
	}
	return m.condition
}

func (m mask) dims() []dim.Dim { return m.source().Type().Dims }

func (a *attended) build(floor float64) *rewrite.Value {
	at := a.product
	var sum *rewrite.Value
	for i := len(a.masks) - 1; i >= 0; i-- { // the one nearest to the product first
		v := a.masks[i].addend(at, a.q)
		if sum == nil {
			sum = v
			continue
		}
		d := broadcastDims(sum.Type().Dims, v.Type().Dims)
		sum = insertOne(at, "Add", tensorType(v, d...), []*rewrite.Value{sum, v})
	}
	if !math.IsInf(floor, -1) {
		least := scalarOf(at, sum, floor)
		sum = insertOne(at, "Max", sum.Type(), []*rewrite.Value{sum, least})
	}
	return a.spread(sum)
}

func broadcastDims(a, b []dim.Dim) []dim.Dim {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := append([]dim.Dim{}, a...)
	for i, d := range b {
		if at := len(a) - len(b) + i; out[at].Is(1) {
			out[at] = d
		}
	}
	return out
}

// addend returns a mask in a form that can be added to the scores.
func (m mask) addend(at *rewrite.Node, q operand) *rewrite.Value {
	if m.added != nil {
		return m.added
	}
	like := q.headed
	stays, value := scalarOf(at, like, 0), scalarOf(at, like, m.value)
	if !m.keep {
		stays, value = value, stays
	}
	return insertOne(at, "Where", tensorType(like, m.condition.Type().Dims...), []*rewrite.Value{m.condition, stays, value})
}

// scalarOf returns a constant with the element type of another value.
func scalarOf(at *rewrite.Node, like *rewrite.Value, f float64) *rewrite.Value {
	t, err := tensor.FromFloat64s(like.Type().Elem, []float64{f})
	if err != nil {
		panic(err) // not reachable, as the type is a float type
	}
	return at.Graph().NewConstant(at.Name()+"_mask", t)
}

// spread gives a bias four axes, with one row for each query and one column for each key.
func (a *attended) spread(v *rewrite.Value) *rewrite.Value {
	at, d := a.product, v.Type().Dims
	full := []dim.Dim{dim.Number(1), dim.Number(1), dim.Number(1), dim.Number(1)}
	copy(full[4-len(d):], d)
	w := a.widening(full)
	if !w.any() && len(d) == 4 {
		return v
	}
	g := at.Graph()
	parts := []*rewrite.Value{g.NewConstant(v.Name()+"_ones", tensor.FromSlice([]int64{1, 1}, 2))}
	target := []int64{1, 1}
	fixed := true
	for i, o := range []*operand{&a.q, &a.k} {
		part, size := (*rewrite.Value)(nil), int64(1)
		if w[i] {
			n, ok := a.scores[2+i].Number()
			fixed, size = fixed && ok, n
			full[2+i] = a.scores[2+i]
			if !ok {
				part = o.steps(at)
			}
		}
		if part == nil {
			part = g.NewConstant(v.Name()+"_one", tensor.FromSlice([]int64{size}, 1))
		}
		parts, target = append(parts, part), append(target, size)
	}
	to := g.NewConstant(v.Name()+"_shape", tensor.FromSlice(target, 4))
	if !fixed {
		to = insertOne(at, "Concat", intsType(4), parts, graphops.IntAttribute("axis", 0))
	}
	return insertOne(at, "Expand", tensorType(v, full...), []*rewrite.Value{v, to})
}

// widening says whether a bias must be expanded to the rows and columns of the scores.
type widening [2]bool

func (w widening) any() bool { return w[0] || w[1] }

func (a *attended) widening(full []dim.Dim) widening {
	return widening{full[2].Is(1) && !a.scores[2].Is(1), !full[3].Equal(a.scores[3]) && !a.forced(full[3], 3)}
}

// upstream returns the value from which v is projected. It has the same batch and sequence sizes.
// If nodes read the shape of this value instead, the projection can become part of an operator.
func upstream(v *rewrite.Value) *rewrite.Value {
	for range numberSteps {
		n := v.Producer()
		if !n.Is("Split", "Add", "MatMul", "Mul", "Div", "Reshape") {
			break
		}
		if gemm := n.In(0).Producer(); n.Is("Reshape") && gemm.Is("Gemm") && gemm.In(0).Producer().Is("Reshape") {
			n = gemm.In(0).Producer()
		}
		up := v
		for _, in := range n.Inputs() {
			if in.Type().Elem == v.Type().Elem && len(in.Type().Dims) == 3 && equalDims(in.Type().Dims[:2], v.Type().Dims[:2]) {
				up = in
			}
		}
		if up == v {
			break
		}
		v = up
	}
	return v
}

// steps returns the length of the sequence as a list with one element. Nodes that compute it are
// inserted before at.
func (o *operand) steps(at *rewrite.Node) *rewrite.Value {
	v, axis := o.headed, int64(2)
	switch {
	case o.flat != nil:
		v, axis = upstream(o.flat), 1
	case v == nil:
		v, axis = o.swapped, o.perm[2]
	}
	if at.Graph().Opset("") >= 15 {
		return insertOne(at, "Shape", intsType(1), []*rewrite.Value{v}, graphops.IntAttribute("start", axis), graphops.IntAttribute("end", axis+1))
	}
	whole := insertOne(at, "Shape", intsType(int64(len(v.Type().Dims))), []*rewrite.Value{v})
	index := at.Graph().NewConstant(v.Name()+"_axis", tensor.FromSlice([]int64{axis}, 1))
	return insertOne(at, "Gather", intsType(1), []*rewrite.Value{whole, index}, graphops.IntAttribute("axis", 0))
}
