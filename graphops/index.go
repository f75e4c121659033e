package graphops

import (
	"slices"
	"sync"
)

// ValueID is the number of a value in one graph. The values are numbered from 0 without gaps, in
// the order in which the index finds them. -1 means no value.
type ValueID int32

// Index finds the producer and the readers of each value in one graph, and the values of each node.
// A value that a body of a node captures counts as an input of that node.
type Index struct {
	graph    *Graph
	ids      numbering
	is       []definition // by value
	producer []int32      // node by value, -1 for none
	constant []int32      // initializer by value, if definition says that it is a constant
	start    []int32      // index into readers by value; has one more entry than names
	readers  []int32
	reads    edges        // by node: its inputs, with noValue for an omitted one, then what its bodies capture
	outputs  edges        // by node, with noValue for an omitted one
	infos    []*ValueInfo // by value, nil for none
	captured []ValueID
	flowOnce sync.Once
	turned   *flow
	// The operators are numbered on the first question about them.
	operatorsOnce sync.Once
	called        *operators
	// Duplicates are the names that are defined more than once, in the order of their second
	// definition. A graph with duplicates is invalid, and no runtime accepts it. Names in Overruled
	// are not included.
	Duplicates []string
	// Overruled are the names that several constants have, or an input and a Constant node. The
	// last definition is used, where Constant nodes count as later than initializers. The others
	// have no effect. See OverruledNote for how far ONNX Runtime agrees.
	Overruled []string
}

// OverruledNote is for messages about several constants with the same name. It says which of them
// ONNX Runtime reads. It stores constants of at least 128 bytes separately, and of these it does
// not read the last one.
const OverruledNote = "ONNX Runtime 1.30 reads the last one if it has less than 128 bytes, otherwise the one before it"

// Index returns the graph's index. It is built on the first call.
func (g *Graph) Index() *Index {
	g.indexOnce.Do(func() { g.index = newIndex(g) })
	return g.index
}

// noValue is in place of a value that a node omits.
const noValue ValueID = -1

// definition says as what a graph itself defines a value, besides outputs of nodes.
type definition uint8

const (
	isInput definition = 1 << iota
	isOutput
	isConstant
)

func newIndex(g *Graph) *Index {
	room := len(g.nodes) + len(g.initializers) + len(g.sparse) + len(g.inputs)
	x := &Index{graph: g, ids: newNumbering(room), is: make([]definition, 0, room), producer: make([]int32, 0, room), constant: make([]int32, 0, room)}
	for _, v := range g.inputs {
		x.is[x.id(v.name)] |= isInput
	}
	for i, t := range g.initializers {
		x.defineConstant(t.name, i)
	}
	for _, s := range g.sparse {
		x.defineConstant(s.Name(), sparse)
	}
	x.linkProducers()
	x.linkReaders()
	for _, v := range g.outputs {
		x.is[x.id(v.name)] |= isOutput
	}
	for len(x.start) < len(x.ids.names)+1 { // outputs that nothing reads or defines
		x.start = append(x.start, int32(len(x.readers)))
	}
	for v := range x.ids.names {
		if !x.IsDefined(ValueID(v)) {
			x.captured = append(x.captured, ValueID(v))
		}
	}
	x.infos = make([]*ValueInfo, len(x.ids.names))
	for _, list := range [][]*ValueInfo{g.valueInfo, g.outputs, g.inputs} {
		for _, v := range list {
			if id, ok := x.ids.find(v.name); ok {
				x.infos[id] = v
			}
		}
	}
	return x
}

// sparse takes the place of an index into the initializers, for a constant that is not a dense
// initializer.
const sparse = -1

func (x *Index) defineConstant(name string, i int) {
	id := x.id(name)
	if x.is[id]&isConstant != 0 {
		x.Overruled = append(x.Overruled, name)
	}
	x.is[id] |= isConstant
	x.constant[id] = int32(i)
}

// id returns the number of a value, which is new if the value was not seen before.
func (x *Index) id(name string) ValueID {
	id := x.ids.add(name)
	if int(id) == len(x.is) {
		x.is, x.producer, x.constant = append(x.is, 0), append(x.producer, -1), append(x.constant, sparse)
	}
	return ValueID(id)
}

// number returns the number of a value that the graph is known to have.
func (x *Index) number(name string) ValueID {
	id, _ := x.ids.find(name)
	return ValueID(id)
}

func (x *Index) linkProducers() {
	edge := ValueID(len(x.ids.names)) // values from here on are neither inputs nor initializers
	x.outputs = newEdges(x.graph.nodes, func(n *Node) int { return len(n.outputs) })
	for i, n := range x.graph.nodes {
		for _, o := range n.outputs {
			if o == "" {
				x.outputs.values = append(x.outputs.values, noValue)
				continue
			}
			id := x.id(o)
			x.outputs.values = append(x.outputs.values, id)
			if (x.producer[id] >= 0 || id < edge) && !x.overrules(n, id) {
				x.Duplicates = append(x.Duplicates, o)
				if x.producer[id] >= 0 {
					continue
				}
			}
			x.producer[id] = int32(i)
		}
		x.outputs.start = append(x.outputs.start, int32(len(x.outputs.values)))
	}
}

// overrules reports whether n may define a value that is already defined: a Constant node may
// replace inputs and constants. In that case it removes the previous definitions.
func (x *Index) overrules(n *Node, id ValueID) bool {
	before := x.producer[id]
	if !n.IsConstant() || before >= 0 && !x.graph.nodes[before].IsConstant() {
		return false
	}
	x.Overruled = append(x.Overruled, x.ids.names[id])
	x.is[id] &^= isInput | isConstant
	return true
}

// linkReaders finds what the nodes read, in node order, and turns this into the lists of readers.
// All lists share one slice, so it counts the readers first.
func (x *Index) linkReaders() {
	x.findReads()
	x.start = make([]int32, len(x.ids.names)+1, len(x.ids.names)+1+len(x.graph.outputs))
	given := 0
	for _, v := range x.reads.values {
		if v != noValue {
			x.start[v+1]++
			given++
		}
	}
	for v := range x.ids.names {
		x.start[v+1] += x.start[v]
	}
	x.readers = make([]int32, given)
	next := slices.Clone(x.start)
	for i := range x.graph.nodes {
		for _, v := range x.reads.of(int32(i)) {
			if v != noValue {
				x.readers[next[v]] = int32(i)
				next[v]++
			}
		}
	}
}

// findReads lists what each node reads, and gives every value a number.
func (x *Index) findReads() {
	x.reads = newEdges(x.graph.nodes, func(n *Node) int { return len(n.inputs) })
	before := noValue // the first output of the node before, which most nodes read
	for i, node := range x.graph.nodes {
		for _, in := range node.inputs {
			id := noValue
			switch {
			case in == "":
			case before >= 0 && in == x.ids.names[before]:
				id = before
			default:
				id = x.id(in)
			}
			x.reads.values = append(x.reads.values, id)
		}
		for _, in := range node.Captured() {
			x.reads.values = append(x.reads.values, x.id(in))
		}
		x.reads.start = append(x.reads.start, int32(len(x.reads.values)))
		if before = noValue; len(node.outputs) > 0 {
			before = x.outputs.of(int32(i))[0]
		}
	}
}

// Values returns the number of values in the graph.
func (x *Index) Values() int { return len(x.ids.names) }

// Value returns the number of the value with a name. ok is false if the graph has no such value.
func (x *Index) Value(name string) (ValueID, bool) {
	id, ok := x.ids.find(name)
	return ValueID(id), ok
}

// Name returns the name of a value.
func (x *Index) Name(v ValueID) string { return x.ids.names[v] }

// Captured returns the values that the graph uses but does not define, in the order of first
// use. A body captures them from the graphs around it.
func (x *Index) Captured() []ValueID { return x.captured }

// Producer returns the index of the node that produces the value. It is -1 for an input, an
// initializer, a captured value, or an undefined name.
func (x *Index) Producer(v ValueID) int { return int(x.producer[v]) }

// Inputs returns the values that a node reads, by position, with -1 for an omitted input.
func (x *Index) Inputs(node int) []ValueID {
	return x.reads.of(int32(node))[:len(x.graph.nodes[node].inputs)]
}

// Outputs returns the values that a node names as its outputs, by position, with -1 for an omitted
// one. An output that another definition overrides is listed too; see Producer.
func (x *Index) Outputs(node int) []ValueID { return x.outputs.of(int32(node)) }

// Captures returns the values that the bodies of a node capture, in the order of Node.Captured.
func (x *Index) Captures(node int) []ValueID {
	return x.reads.of(int32(node))[len(x.graph.nodes[node].inputs):]
}

// Readers returns the indices of the nodes that read the value, in node order, once for each
// input that reads it.
func (x *Index) Readers(v ValueID) []int32 { return x.readers[x.start[v]:x.start[v+1]] }

// IsInput reports whether the value is an input of the graph.
func (x *Index) IsInput(v ValueID) bool { return x.is[v]&isInput != 0 }

// IsOutput reports whether the value is an output of the graph.
func (x *Index) IsOutput(v ValueID) bool { return x.is[v]&isOutput != 0 }

// IsInitializer reports whether the value is a constant of the graph.
func (x *Index) IsInitializer(v ValueID) bool { return x.is[v]&isConstant != 0 }

// Initializer returns the dense initializer with the value's name, or nil if there is none that is
// used.
func (x *Index) Initializer(v ValueID) *Tensor {
	if i := x.constant[v]; x.IsInitializer(v) && i >= 0 {
		return x.graph.initializers[i]
	}
	return nil
}

// isConstantAt reports whether the value is the dense initializer with this index.
func (x *Index) isConstantAt(v ValueID, i int) bool {
	return x.IsInitializer(v) && int(x.constant[v]) == i
}

// IsDefined reports whether the graph itself defines the value, as an input, an initializer or an
// output of a node.
func (x *Index) IsDefined(v ValueID) bool {
	return x.producer[v] >= 0 || x.IsInput(v) || x.IsInitializer(v)
}

// Type returns the type that the graph declares for a value as an input, output or entry of
// value_info. If it declares none, it is the type of the initializer. It is unknown if there is no
// initializer either.
func (x *Index) Type(v ValueID) Type {
	if vi := x.infos[v]; vi != nil {
		if t := vi.Type(); t.Kind != TypeUnknown {
			return t
		}
	}
	if t := x.Initializer(v); t != nil {
		return Type{Kind: TypeTensor, Elem: t.dtype, Shape: FixedShape(t.dims)}
	}
	return Type{}
}

// Info returns the value info of a value, or nil. An input has priority over an output, and an
// output over an entry of value_info.
func (x *Index) Info(v ValueID) *ValueInfo { return x.infos[v] }
