package roles

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// origin says from what a value comes unchanged.
type origin struct {
	from from
	port int32 // the input of the model, or -1
	node int32 // the node that made or joined it
	slot int   // the output of the node that made it
	// sliced is set if positions were left out.
	sliced bool
	// axes are the axes of the port that the axes of the value are, or nil if not known.
	axes []int
	axis int // the axis of the port along which it was joined or written, or -1
}

type from uint8

const (
	fromPort    from = iota + 1
	fromSlot         // the output of an operator that is a cache
	fromJoin         // a port joined with something new
	fromScatter      // a port with some elements replaced
	fromUpdate       // a port changed by elements
	fromLoop         // the final state of a loop
)

// origins finds the origin of each value, in one pass over the nodes.
type origins struct {
	*flat
	list []origin // the first one is not used
	of   []int32  // by value: the index in list, or 0
	elem []tensor.DType
}

func (f *flat) origins(ports []value, types []graphops.Type) *origins {
	o := &origins{flat: f, list: make([]origin, 1, len(ports)+1), of: make([]int32, len(f.homes))}
	for i, v := range ports {
		axes := make([]int, len(types[i].Shape))
		for k := range axes {
			axes[k] = k
		}
		o.set(v, origin{from: fromPort, port: int32(i), node: -1, axes: axes, axis: -1})
		o.elem = append(o.elem, types[i].Elem)
	}
	for i := range f.nodes {
		o.visit(int32(i), &f.nodes[i])
	}
	return o
}

func (o *origins) set(v value, x origin) {
	if v != nothing {
		o.list = append(o.list, x)
		o.of[v] = int32(len(o.list) - 1)
	}
}

// at returns the origin of a value, or nil.
func (o *origins) at(v value) *origin {
	if v == nothing || o.of[v] == 0 {
		return nil
	}
	return &o.list[o.of[v]]
}

// isPort reports whether a value is an input of the model, unchanged.
func (o *origins) isPort(v value) bool {
	x := o.at(v)
	return x != nil && x.from == fromPort
}

func (o *origins) visit(i int32, n *node) {
	if n.op == nil {
		o.merge(n)
		return
	}
	if form := operators()[n.op.Op()]; form != nil {
		for _, s := range form.operator(n.op.Op()).caches {
			o.set(at(n.out, s.present), origin{from: fromSlot, port: -1, node: i, slot: s.present, axis: -1})
		}
		return
	}
	if n.op.Is("Loop") || n.op.Is("Scan") {
		o.loopEnds(i, n)
		return
	}
	switch classes()[n.op.Op()] {
	case passing, looking:
		o.pass(n)
	case joining:
		o.join(i, n)
	case scattering:
		o.change(i, n, fromScatter, n.in[:min(1, len(n.in))])
	case elementary:
		kind, in := fromUpdate, n.in
		if n.op.Is("Where") {
			kind, in = fromScatter, n.in[min(1, len(n.in)):]
		}
		if !n.op.Is("Range") && !n.op.Is("Div") {
			o.change(i, n, kind, in)
		}
	default:
	}
}

// merge gives the result of branches the origin that says most: a branch without a past computes
// what the other one takes from it.
func (o *origins) merge(n *node) {
	var best int32
	for _, v := range n.in {
		if at := o.of[v]; at != 0 && (best == 0 || o.list[at].from > o.list[best].from) {
			best = at
		}
	}
	o.of[n.out[0]] = best
}

// pass passes the origin of the first input on to the outputs.
func (o *origins) pass(n *node) {
	x := o.at(at(n.in, 0))
	if x == nil {
		return
	}
	index := o.of[n.in[0]]
	if moved, differs := o.moved(*x, n.op); differs {
		o.list = append(o.list, moved)
		index = int32(len(o.list) - 1)
	}
	for _, v := range n.out {
		if v != nothing && o.of[v] == 0 {
			o.of[v] = index
		}
	}
}

// moved returns the origin of what a node makes of a value.
func (o *origins) moved(x origin, n *graphops.Node) (_ origin, differs bool) {
	switch n.StandardOp() {
	case "Slice", "GatherElements", "GatherND":
		was := x.sliced
		x.sliced = true
		return x, !was
	case "Transpose":
		a, ok := n.Attribute("perm")
		perm := []int64{}
		if ok {
			perm = a.Ints()
		}
		x.axes = permuted(x.axes, perm, !ok)
		return x, true
	case "Unsqueeze", "Squeeze", "Reshape", "Flatten", "Tile", "Expand", "Pad", "Gather":
		if x.axes == nil {
			return x, false
		}
		x.axes = nil
		return x, true
	default:
		return x, false
	}
}

// permuted applies the permutation of a Transpose, which by default reverses the axes.
func permuted(axes []int, perm []int64, reverse bool) []int {
	if axes == nil {
		return nil
	}
	out := slices.Clone(axes)
	if reverse {
		slices.Reverse(out)
		return out
	}
	if len(perm) != len(axes) {
		return nil
	}
	for i, p := range perm {
		if p < 0 || p >= int64(len(axes)) {
			return nil
		}
		out[i] = axes[p]
	}
	return out
}

// join finds a Concat of a past with something new, or of the keys and values of one.
func (o *origins) join(i int32, n *node) {
	var past *origin
	joined, news := 0, 0
	for _, v := range n.in {
		x := o.at(v)
		switch {
		case x == nil || x.port < 0:
			news++
		case past != nil && past.port != x.port:
			return
		case x.from == fromJoin:
			joined++
			past = x
		case x.from == fromPort && past == nil:
			past = x
		default:
			return
		}
	}
	switch {
	case past == nil:
	case joined == 0 && news > 0:
		x := *past
		x.from, x.node, x.axis = fromJoin, i, x.along(n.op, 0)
		o.set(at(n.out, 0), x)
	case joined == 2 && news == 0:
		o.set(at(n.out, 0), *past)
	}
}

// along returns the axis of the port that the attribute axis of a node means, or -1.
func (x *origin) along(n *graphops.Node, otherwise int64) int {
	axis, known := integer(n, "axis", otherwise)
	if axis < 0 {
		axis += int64(len(x.axes))
	}
	if !known || axis < 0 || axis >= int64(len(x.axes)) {
		return -1
	}
	return x.axes[axis]
}

// written returns the axis of the port along which a node may write, or -1. ScatterND writes along the
// first axis if each of its indices is one number.
func written(x origin, n *graphops.Node) int {
	switch n.StandardOp() {
	case "TensorScatter":
		return x.along(n, -2)
	case "ScatterElements", "ScatterND":
		return x.along(n, 0)
	default:
		return -1
	}
}

// change finds a node that changes some elements of a past.
func (o *origins) change(i int32, n *node, kind from, in []value) {
	var past *origin
	for _, v := range in {
		x := o.at(v)
		if x == nil || x.port < 0 || x.from == fromJoin || o.elem[x.port].Kind() != tensor.KindFloat && kind == fromUpdate {
			continue
		}
		if past != nil && past.port != x.port {
			return
		}
		past = x
	}
	if past != nil {
		x := *past
		x.from, x.node, x.axis = max(kind, x.from), i, written(x, n.op)
		o.set(at(n.out, 0), x)
	}
}

// loopEnds gives the final states of a loop the inputs with their initial values.
func (o *origins) loopEnds(i int32, n *node) {
	graphs := n.op.Graphs()
	if len(graphs) != 1 {
		return
	}
	first, states := 2, len(n.in)-2
	if n.op.Is("Scan") {
		scanned, _ := integer(n.op, "num_scan_inputs", 0)
		states = len(graphs[0].Inputs()) - int(min(max(scanned, 0), int64(len(graphs[0].Inputs()))))
		first = len(n.in) - len(graphs[0].Inputs())
	}
	for k := range max(0, states) {
		x := o.at(at(n.in, first+k))
		if x != nil && x.from == fromPort {
			o.set(at(n.out, k), origin{from: fromLoop, port: x.port, node: i, slot: k, axis: -1})
		}
	}
}
