package graphops

import (
	"slices"
	"sync"
)

// ValueID is the number of a value in one graph. The values are numbered from 0 without gaps, in
// the order in which the index finds them. -1 means no value.
type ValueID int32

// Index finds the producer and the readers of each value in one graph. A value that a body of a
// node captures counts as an input of that node.
type Index struct {
	graph     *Graph
	ids       map[string]ValueID
	names     []string
	producer  []int32 // node by value, -1 for none
	start     []int32 // index into readers by value; has one more entry than names
	readers   []int32
	inputs    map[ValueID]int
	outputs   map[ValueID]int
	constants map[ValueID]int // initializer by value
	infos     []*ValueInfo    // by value, nil for none
	captured  []ValueID
	flowOnce  sync.Once
	turned    *flow
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

func newIndex(g *Graph) *Index {
	x := &Index{
		graph:     g,
		ids:       make(map[string]ValueID, len(g.nodes)+len(g.initializers)+len(g.inputs)),
		inputs:    make(map[ValueID]int, len(g.inputs)),
		outputs:   make(map[ValueID]int, len(g.outputs)),
		constants: make(map[ValueID]int, len(g.initializers)),
	}
	for i, v := range g.inputs {
		x.inputs[x.id(v.name)] = i
	}
	for i, t := range g.initializers {
		x.defineConstant(t.name, i)
	}
	for _, s := range g.sparse {
		x.defineConstant(s.Name(), sparse)
	}
	x.linkProducers()
	x.linkReaders()
	for i, v := range g.outputs {
		x.outputs[x.id(v.name)] = i
	}
	x.growTables()
	for v := range x.names {
		if !x.IsDefined(ValueID(v)) {
			x.captured = append(x.captured, ValueID(v))
		}
	}
	x.infos = make([]*ValueInfo, len(x.names))
	for _, list := range [][]*ValueInfo{g.valueInfo, g.outputs, g.inputs} {
		for _, v := range list {
			if id, ok := x.ids[v.name]; ok {
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
	if _, again := x.constants[id]; again {
		x.Overruled = append(x.Overruled, name)
	}
	x.constants[id] = i
}

func (x *Index) id(name string) ValueID {
	id, ok := x.ids[name]
	if !ok {
		id = ValueID(len(x.names))
		x.ids[name] = id
		x.names = append(x.names, name)
	}
	return id
}

func (x *Index) growTables() {
	for len(x.producer) < len(x.names) {
		x.producer = append(x.producer, -1)
	}
	for len(x.start) < len(x.names)+1 {
		x.start = append(x.start, int32(len(x.readers)))
	}
}

func (x *Index) linkProducers() {
	edge := ValueID(len(x.names)) // values from here on are neither inputs nor initializers
	for i, n := range x.graph.nodes {
		for _, o := range n.outputs {
			if o == "" {
				continue
			}
			id := x.id(o)
			x.growTables()
			if (x.producer[id] >= 0 || id < edge) && !x.overrules(n, id) {
				x.Duplicates = append(x.Duplicates, o)
				if x.producer[id] >= 0 {
					continue
				}
			}
			x.producer[id] = int32(i)
		}
	}
}

// overrules reports whether n may define a value that is already defined: a Constant node may
// replace inputs and constants. In that case it removes the previous definitions.
func (x *Index) overrules(n *Node, id ValueID) bool {
	before := x.producer[id]
	if !n.IsConstant() || before >= 0 && !x.graph.nodes[before].IsConstant() {
		return false
	}
	x.Overruled = append(x.Overruled, x.names[id])
	delete(x.inputs, id)
	delete(x.constants, id)
	return true
}

// linkReaders builds the lists of readers. All lists share one slice, so it counts the readers
// first.
func (x *Index) linkReaders() {
	reads := x.reads()
	x.start = make([]int32, len(x.names)+1)
	for _, r := range reads {
		x.start[r.value+1]++
	}
	for v := range x.names {
		x.start[v+1] += x.start[v]
	}
	x.readers = make([]int32, len(reads))
	next := slices.Clone(x.start)
	for _, r := range reads {
		x.readers[next[r.value]] = r.node
		next[r.value]++
	}
}

// read says that a node reads a value, as an input or because one of its bodies captures it.
type read struct {
	value ValueID
	node  int32
}

// reads lists what the nodes read, in node order, and gives every value a number.
func (x *Index) reads() []read {
	n := 0
	for _, node := range x.graph.nodes {
		n += len(node.inputs)
	}
	out := make([]read, 0, n)
	for i, node := range x.graph.nodes {
		for _, in := range node.inputs {
			if in != "" {
				out = append(out, read{x.id(in), int32(i)})
			}
		}
		for _, in := range node.Captured() {
			out = append(out, read{x.id(in), int32(i)})
		}
	}
	return out
}

// Values returns the number of values in the graph.
func (x *Index) Values() int { return len(x.names) }

// Value returns the number of the value with a name. ok is false if the graph has no such value.
func (x *Index) Value(name string) (ValueID, bool) {
	id, ok := x.ids[name]
	return id, ok
}

// Name returns the name of a value.
func (x *Index) Name(v ValueID) string { return x.names[v] }

// Captured returns the values that the graph uses but does not define, in the order of first
// use. A body captures them from the graphs around it.
func (x *Index) Captured() []ValueID { return x.captured }

// Producer returns the index of the node that produces the value. It is -1 for an input, an
// initializer, a captured value, or an undefined name.
func (x *Index) Producer(v ValueID) int { return int(x.producer[v]) }

// Readers returns the indices of the nodes that read the value, in node order, once for each
// input that reads it.
func (x *Index) Readers(v ValueID) []int32 { return x.readers[x.start[v]:x.start[v+1]] }

// IsInput reports whether the value is an input of the graph.
func (x *Index) IsInput(v ValueID) bool { _, ok := x.inputs[v]; return ok }

// IsOutput reports whether the value is an output of the graph.
func (x *Index) IsOutput(v ValueID) bool { _, ok := x.outputs[v]; return ok }

// IsInitializer reports whether the value is a constant of the graph.
func (x *Index) IsInitializer(v ValueID) bool { _, ok := x.constants[v]; return ok }

// Initializer returns the dense initializer with the value's name, or nil if there is none that is
// used.
func (x *Index) Initializer(v ValueID) *Tensor {
	if i, ok := x.constants[v]; ok && i >= 0 {
		return x.graph.initializers[i]
	}
	return nil
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
