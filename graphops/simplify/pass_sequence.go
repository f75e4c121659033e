package simplify

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

var sequences = &pass{
	name:   "sequences",
	title:  "a value that is put into a sequence or optional and taken out again is used directly",
	reason: "positions and lengths are known, and a sequence does not change its tensors",
	ops: []string{
		"SequenceAt", "SequenceLength", "ConcatFromSequence", "OptionalGetElement", "OptionalHasElement",
	},
	node: func(j *job, n *rewrite.Node) string {
		if !n.Is(n.Op()) || n.In(0) == nil || !n.Out(0).IsUsed() {
			return ""
		}
		switch n.Op() {
		case "SequenceAt":
			return sequenceAt(n)
		case "SequenceLength":
			if list, ok := elementsOf(n.In(0)); ok {
				return becomes(n, tensor.FromSlice([]int64{int64(len(list))}))
			}
		case "ConcatFromSequence":
			return concatFromSequence(j, n)
		case "OptionalGetElement":
			if with := content(n.In(0)); with != nil && n.Out(0).ReplaceWith(with) {
				n.Remove()
				return "the tensor in the optional is read directly"
			}
		case "OptionalHasElement":
			if content(n.In(0)) != nil {
				return becomes(n, tensor.FromSlice([]bool{true}))
			}
		}
		return ""
	},
}

// becomes makes the output of a node a constant.
func becomes(n *rewrite.Node, t tensor.Tensor) string {
	if !n.Out(0).Become(graphops.NewTensorOf(n.Out(0).Name(), t)) {
		return ""
	}
	return madeConstant(n, 1)
}

// content returns the content of an optional that is certainly not empty, or a tensor that is
// used as one.
func content(v *rewrite.Value) *rewrite.Value {
	if p := v.Producer(); p.Is("Optional") {
		return p.In(0)
	}
	if v.Type().Kind == graphops.TypeTensor {
		return v
	}
	return nil
}

// maxSequence is the maximum number of elements of a sequence, and of nodes that create it.
const maxSequence = 256

// elementsOf returns the elements of a sequence that nodes create one by one.
func elementsOf(v *rewrite.Value) ([]*rewrite.Value, bool) {
	var changes []*rewrite.Node // the last one first
	for v != nil && v.Producer().Is("SequenceInsert", "SequenceErase") && len(changes) < maxSequence {
		changes = append(changes, v.Producer())
		v = v.Producer().In(0)
	}
	if v == nil || !v.Producer().Is("SequenceConstruct", "SequenceEmpty") {
		return nil, false
	}
	list := v.Producer().Inputs()
	if len(list) > maxSequence || slices.Contains(list, nil) {
		return nil, false
	}
	for _, n := range slices.Backward(changes) {
		var ok bool
		if list, ok = changed(list, n); !ok {
			return nil, false
		}
	}
	return list, true
}

// changed returns the elements of a sequence after node n has inserted or erased one. list has the
// elements before.
func changed(list []*rewrite.Value, n *rewrite.Node) ([]*rewrite.Value, bool) {
	if n.Is("SequenceErase") {
		i, ok := position(n.In(1), len(list), len(list)-1)
		if !ok || i >= len(list) {
			return nil, false
		}
		return slices.Delete(slices.Clone(list), i, i+1), true
	}
	i, ok := position(n.In(2), len(list), len(list))
	if !ok || n.In(1) == nil {
		return nil, false
	}
	return slices.Insert(slices.Clone(list), i, n.In(1)), true
}

// position returns a constant position in a list, from 0 to its length. If it is not given, it
// is otherwise.
func position(v *rewrite.Value, length, otherwise int) (int, bool) {
	if v == nil {
		return otherwise, otherwise >= 0
	}
	at, ok := v.Ints()
	if !ok || len(at) != 1 {
		return 0, false
	}
	i := at[0]
	if i < 0 {
		i += int64(length)
	}
	return int(i), i >= 0 && i <= int64(length)
}

func sequenceAt(n *rewrite.Node) string {
	if n.In(1) == nil {
		return ""
	}
	if list, ok := elementsOf(n.In(0)); ok {
		i, ok := position(n.In(1), len(list), 0)
		if !ok || i >= len(list) || !n.Out(0).ReplaceWith(list[i]) {
			return ""
		}
		n.Remove()
		return "the tensor at that position of the sequence is read directly"
	}
	if split := n.In(0).Producer(); split.Is("SplitToSequence") {
		return splitAt(n, split)
	}
	return ""
}

// splitAt makes the nodes that take parts of a split tensor from a sequence read the outputs of
// a Split, or of one Gather each if the split axis is dropped.
func splitAt(n, split *rewrite.Node) string {
	x, parts := split.In(0), split.In(1)
	axis := split.Int("axis", 0)
	dims := x.Type().Dims
	if x == nil || dims == nil || axis < -int64(len(dims)) || axis >= int64(len(dims)) {
		return ""
	}
	size, known := dims[(axis+int64(len(dims)))%int64(len(dims))].Number()
	if parts == nil && split.Int("keepdims", 1) == 0 {
		i, ok := position(n.In(1), int(min(max(size, 0), maxSequence)), 0)
		if !ok || !known || size > maxSequence || int64(i) >= size {
			return ""
		}
		return gatherAt(n, x, axis, int64(i))
	}
	sizes, ok := partSizes(parts, size, known)
	if !ok || n.Graph() != split.Graph() {
		return ""
	}
	return splitParts(split, x, axis, sizes)
}

// gatherAt replaces a node by a Gather that takes one element of an axis and drops the axis.
func gatherAt(n *rewrite.Node, x *rewrite.Value, axis, i int64) string {
	g := n.Graph()
	at := g.NewConstant(n.Out(0).Name()+"_index", tensor.FromSlice([]int64{i}))
	return replaceBy(n, rewrite.Spec{
		Op: "Gather", Inputs: []*rewrite.Value{x, at}, Attributes: []*graphops.Attribute{graphops.IntAttribute("axis", axis)},
		For: []*rewrite.Node{n},
	})
}

// partSizes returns the sizes of the parts into which SplitToSequence splits an axis.
func partSizes(parts *rewrite.Value, size int64, known bool) ([]int64, bool) {
	each := int64(1)
	if parts != nil {
		list, ok := parts.Ints()
		if !ok || parts.Type().Dims == nil {
			return nil, false
		}
		if len(parts.Type().Dims) == 1 {
			return list, len(list) > 0 && len(list) <= maxSequence
		}
		if len(list) != 1 {
			return nil, false
		}
		each = list[0]
	}
	if !known || each <= 0 || size <= 0 || (size-1)/each >= maxSequence {
		return nil, false
	}
	var out []int64
	for at := int64(0); at < size; at += each {
		out = append(out, min(each, size-at))
	}
	return out, true
}

// maxTaken is the maximum number of nodes that take parts of a split, as each of them examines
// all.
const maxTaken = 4 * maxSequence

// splitParts replaces a split into a sequence by a Split if all its elements are taken at known
// positions.
func splitParts(split *rewrite.Node, x *rewrite.Value, axis int64, sizes []int64) string {
	g := split.Graph()
	if split.Out(0).IsOutput() || split.Out(0).Uses() > maxTaken {
		return ""
	}
	at := map[*rewrite.Node]int{}
	given := map[int]bool{}
	for _, r := range split.Out(0).Readers() {
		if !r.Is("SequenceAt") || r.Graph() != g || r.Out(0) == nil || r.In(0) != split.Out(0) {
			return ""
		}
		i, ok := position(r.In(1), len(sizes), -1)
		if !ok || i >= len(sizes) || r.Out(0).IsOutput() && given[i] {
			return "" // two outputs of the graph cannot be the same value
		}
		given[i] = given[i] || r.Out(0).IsOutput()
		at[r] = i
	}
	node := insertSplit(split, x, axis, sizes, at)
	for _, r := range split.Out(0).Readers() {
		if r.Out(0).ReplaceWith(node.Out(at[r])) {
			r.Remove()
		}
	}
	if !node.IsUsed() {
		node.Remove()
		return ""
	}
	if !split.IsUsed() {
		split.Remove()
	}
	return "became a Split"
}

func insertSplit(split *rewrite.Node, x *rewrite.Value, axis int64, sizes []int64, at map[*rewrite.Node]int) *rewrite.Node {
	g := split.Graph()
	s := rewrite.Spec{
		Op: "Split", Inputs: []*rewrite.Value{x}, Attributes: []*graphops.Attribute{graphops.IntAttribute("axis", axis)},
		For: []*rewrite.Node{split},
	}
	if g.Opset(graphops.DefaultDomain) >= 13 {
		list := g.NewConstant(split.Out(0).Name()+"_sizes", tensor.FromSlice(sizes, int64(len(sizes))))
		s.Inputs = append(s.Inputs, list)
	} else {
		s.Attributes = append(s.Attributes, graphops.IntsAttribute("split", sizes))
	}
	s.Types = make([]shape.Type, len(sizes))
	for _, r := range split.Out(0).Readers() {
		s.Types[at[r]] = r.Out(0).Type()
		s.For = append(s.For, r)
	}
	return g.Insert(split, s)
}

func concatFromSequence(j *job, n *rewrite.Node) string {
	list, ok := elementsOf(n.In(0))
	if !ok || len(list) == 0 {
		return ""
	}
	if n.Int("new_axis", 0) != 0 {
		j.refuse(n, "the tensors are stacked along a new axis, which would need a node for each of them")
		return ""
	}
	axis, ok := n.Attribute("axis")
	if !ok {
		return ""
	}
	from := []*rewrite.Node{n}
	if p := n.In(0).Producer(); n.In(0).Reader() == n {
		from = append(from, p)
	}
	return replaceBy(n, rewrite.Spec{Op: "Concat", Inputs: list, Attributes: []*graphops.Attribute{axis}, For: from})
}

// replaceBy replaces a node with one output by another node.
func replaceBy(n *rewrite.Node, s rewrite.Spec) string {
	s.Types = []shape.Type{n.Out(0).Type()}
	by := n.Graph().Insert(n, s)
	if !n.Out(0).ReplaceWith(by.Out(0)) {
		by.Remove()
		return ""
	}
	n.Remove()
	return "became a " + s.Op
}
