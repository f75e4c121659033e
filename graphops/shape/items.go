package shape

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// The maximum length of a list whose elements are traced, and the maximum number of changes of
// it.
const (
	maxItems   = 256
	maxChanges = 64
)

// item is an element of a sequence whose source is known: an input of a node, or a part that a node
// creates from its input.
type item struct {
	node, k int
	part    bool
}

// items returns the elements of the first input, a sequence. ok is false if not all of them are
// known, for example because it comes from outside of the graph.
func (c *call) items() (list []item, ok bool) {
	if !c.has(0) {
		return nil, false
	}
	name := c.node.Input(0)
	var changes []*call
	for range maxChanges {
		m := c.makerOf(name)
		if m == nil {
			return nil, false
		}
		op := m.node.Op()
		if origin := origins[op]; origin != nil {
			if list, ok = origin(m); !ok {
				return nil, false
			}
			return replay(list, changes)
		}
		if listChanges[op] == nil || len(m.in) == 0 {
			return nil, false
		}
		changes = append(changes, m)
		name = m.node.Input(0)
	}
	return nil, false
}

// replay applies changes to a list, in reverse order of changes.
func replay(list []item, changes []*call) (out []item, ok bool) {
	for _, m := range slices.Backward(changes) {
		change := listChanges[m.node.Op()]
		if list, ok = change(m, list); !ok {
			return nil, false
		}
	}
	return list, true
}

// makerOf returns the node of the same place that produces a value as its first output, or nil.
func (c *call) makerOf(value string) *call {
	id, ok := c.index.Value(value)
	if !ok || value == "" || c.index.Producer(id) < 0 {
		return nil
	}
	m := c.at(c.index.Producer(id))
	if m == nil || m.node.Output(0) != value {
		return nil
	}
	return m
}

// at returns another node of the same place, or nil if it calls a function, or has too many
// inputs.
func (c *call) at(node int) *call {
	n := c.place.Graph.Nodes()[node]
	if _, ok := c.functions[n.Calls()]; ok || len(n.Inputs()) > maxItems {
		return nil
	}
	return c.frame.call(node, n)
}

// origins has the elements of sequences that operators create from tensors, and listChanges
// those of sequences that operators create from another sequence.
var (
	origins = map[graphops.Op]func(m *call) ([]item, bool){
		{Domain: onnx, Name: "SequenceEmpty"}:     func(*call) ([]item, bool) { return nil, true },
		{Domain: onnx, Name: "SequenceConstruct"}: constructed,
		{Domain: onnx, Name: "SplitToSequence"}:   splitItems,
	}
	listChanges = map[graphops.Op]func(m *call, list []item) ([]item, bool){
		{Domain: onnx, Name: "SequenceInsert"}: insertItem,
		{Domain: onnx, Name: "SequenceErase"}:  eraseItem,
		{Domain: onnx, Name: "Identity"}:       func(_ *call, list []item) ([]item, bool) { return list, true },
	}
)

func constructed(m *call) ([]item, bool) {
	out := make([]item, len(m.in))
	for k := range out {
		if !m.has(k) {
			return nil, false
		}
		out[k] = item{node: m.pos, k: k}
	}
	return out, true
}

func insertItem(m *call, list []item) ([]item, bool) {
	at, ok := m.placeIn(2, list, len(list))
	if !ok || at > len(list) || len(list) == maxItems || !m.has(1) {
		return nil, false
	}
	return slices.Insert(list, at, item{node: m.pos, k: 1}), true
}

func eraseItem(m *call, list []item) ([]item, bool) {
	at, ok := m.placeIn(1, list, len(list)-1)
	if !ok || at >= len(list) {
		return nil, false
	}
	return slices.Delete(list, at, at+1), true
}

// placeIn returns the position in a list that an input gives, counted from 0.
func (c *call) placeIn(input int, list []item, without int) (int, bool) {
	at := int64(without)
	if c.has(input) {
		given, ok := c.position(input)
		if !ok {
			return 0, false
		}
		if at = given; at < 0 {
			at += int64(len(list))
		}
	}
	return int(at), at >= 0 && at <= maxItems
}

// position returns the value of input i, a position in a list. It returns false if the value is not
// known or is not a single number.
func (c *call) position(i int) (int64, bool) {
	list, ok := c.ints(i)
	if !ok || len(list) != 1 {
		return 0, false
	}
	return list[0], true
}

func splitItems(m *call) ([]item, bool) {
	n, ok := m.splitCount()
	if !ok || n < 0 || n > maxItems {
		return nil, false
	}
	out := make([]item, n)
	for k := range out {
		out[k] = item{m.pos, k, true}
	}
	return out, true
}

// splitCount returns the number of parts into which a SplitToSequence splits its operand.
func (c *call) splitCount() (int64, bool) {
	d := c.dims(0)
	axis, ok := clampedAxis(c.attrInt("axis", 0), len(d))
	if !ok {
		return 0, false
	}
	if c.has(1) && len(c.dims(1)) == 1 {
		return c.dims(1)[0].Number()
	}
	n, size := d[axis], dim.Number(1)
	if c.has(1) {
		list, ok := c.ints(1)
		if !ok || len(list) != 1 || list[0] < 1 {
			return 0, false
		}
		size = dim.Number(list[0])
	}
	return n.CeilDiv(size).Number()
}

// clampedAxis converts an axis to a number from 0, like call.axis, but does not report a
// problem.
func clampedAxis(axis int64, rank int) (int, bool) {
	if axis < 0 {
		axis += int64(rank)
	}
	return int(axis), axis >= 0 && axis < int64(rank)
}

// itemValue returns what is known about an element.
func (c *call) itemValue(x item) Value {
	m := c.at(x.node)
	if !x.part {
		m.elems(x.k)
		return m.input(x.k)
	}
	axis, ok := clampedAxis(m.attrInt("axis", 0), len(m.dims(0)))
	if !ok {
		return Value{}
	}
	out := slices.Clone(m.dims(0))
	switch sizes := m.sizes(1); {
	case !m.has(1) && m.attrInt("keepdims", 1) == 0:
		out = slices.Delete(out, axis, axis+1)
	case !m.has(1):
		out[axis] = dim.Number(1)
	case len(m.dims(1)) == 1 && x.k < len(sizes):
		out[axis] = sizes[x.k]
	default:
		out[axis] = m.chunk(out[axis], x.k)
	}
	return Value{Type: tensorOf(m.elem(0), out)}
}

// chunk returns the size of part k of an axis of size n. All parts except the last have the same
// size.
func (c *call) chunk(n dim.Dim, k int) dim.Dim {
	size, ok := c.position(1)
	if !ok {
		return dim.Unknown()
	}
	return dim.Number(size).Min(n.Sub(dim.Number(int64(k)).Mul(dim.Number(size))))
}
