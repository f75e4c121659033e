package perturb

import (
	"math/rand/v2"
	"strconv"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// lastDrawing is the last opset for which ONNX Runtime has a kernel of RandomUniformLike (1.30 has
// none for version 22). With a later opset the random numbers come from a table.
const lastDrawing = 21

// tableSize is the number of random numbers in the table. The table is repeated for larger values.
// tableSize is a prime, so that the repeats are not aligned with the rows of a value.
const tableSize = 8191

const tableName = "perturb_table"

// writer writes the nodes that multiply values by random factors.
type writer struct {
	names   *graphops.Names
	drawing bool
	offset  string // the input of a model with a table
	draws   int
	out     []*graphops.Node
	// constants has the names of constants in the main graph, by purpose. first are the nodes that
	// define them.
	constants map[string]string
	first     []*graphops.Node
}

func newWriter(m *graphops.Model, opset int64) *writer {
	w := &writer{names: graphops.NamesOf(m), drawing: opset <= lastDrawing, constants: map[string]string{}}
	if !w.drawing {
		w.offset = w.names.Value("perturb_offset")
	}
	return w
}

// nodes returns the nodes of a graph with nodes inserted that perturb the outputs in found, which
// is indexed by node.
func (w *writer) nodes(list []*graphops.Node, found map[int][]touched) []*graphops.Node {
	w.out = nil
	for i, n := range list {
		made := n.Outputs()
		raw := append([]string{}, made...)
		for _, t := range found[i] {
			raw[t.output] = w.names.Value(made[t.output] + "_unperturbed")
		}
		if len(found[i]) > 0 {
			n = n.WithOutputs(raw)
		}
		w.out = append(w.out, n)
		for _, t := range found[i] {
			w.multiply(raw[t.output], made[t.output], t.elem)
		}
	}
	return w.out
}

// multiply writes nodes that compute to = from·(1 + unit·r) with a random r between -1 and 1 for
// each element. Infinities are preserved. The nodes compute in float32, or in float64 if elem is
// float64.
func (w *writer) multiply(from, to string, elem tensor.DType) {
	in := elem
	if elem != tensor.F64 {
		in = tensor.F32
	}
	number := func(what string, x float64) string {
		if in == tensor.F64 {
			return w.constant(what+in.String(), tensor.FromSlice([]float64{x}))
		}
		return w.constant(what+in.String(), tensor.FromSlice([]float32{float32(x)}))
	}
	unit := number("perturb_unit_of_"+elem.String()+"_in_", units[elem])
	v := from
	if in != elem {
		v = w.add("Cast", []string{from}, graphops.IntAttribute("to", int64(in)))
	}
	r := w.draw(v)
	if in == tensor.F64 {
		r = w.add("Cast", []string{r}, graphops.IntAttribute("to", int64(in)))
	}
	factor := w.add("Add", []string{w.add("Mul", []string{r, unit}), number("perturb_one_", 1)})
	if in == elem {
		w.node("Mul", []string{v, factor}, to)
		return
	}
	w.node("Cast", []string{w.add("Mul", []string{v, factor})}, to, graphops.IntAttribute("to", int64(elem)))
}

// draw writes nodes that produce random numbers between -1 and 1 and returns the name of their
// result. It has the type float32 and the same shape as the value like.
func (w *writer) draw(like string) string {
	w.draws++
	if w.drawing {
		return w.add("RandomUniformLike", []string{like}, graphops.IntAttribute("dtype", int64(tensor.F32)),
			graphops.FloatAttribute("low", -1), graphops.FloatAttribute("high", 1), graphops.FloatAttribute("seed", float32(w.draws)))
	}
	whole := func(what string, x int64) string {
		return w.constant("perturb_"+what, tensor.FromSlice([]int64{x}, 1))
	}
	rng := rand.New(rand.NewPCG(uint64(w.draws), tableSize))
	own := w.constant("perturb_begin_"+strconv.Itoa(w.draws), tensor.FromSlice([]int64{rng.Int64N(tableSize)}, 1))
	size := w.add("Reshape", []string{w.add("Size", []string{like}), whole("flat", -1)})
	times := w.add("Add", []string{w.add("Div", []string{size, whole("length", tableSize)}), whole("three", 3)})
	begin := w.add("Add", []string{w.offset, own})
	list := w.add("Slice", []string{w.add("Tile", []string{w.table(), times}), begin, w.add("Add", []string{begin, size})})
	return w.add("Reshape", []string{list, w.add("Shape", []string{like})}, graphops.IntAttribute("allowzero", 1))
}

// table returns the name of the constant with the random numbers.
func (w *writer) table() string {
	if name, ok := w.constants[tableName]; ok {
		return name
	}
	rng := rand.New(rand.NewPCG(tableSize, 0))
	list := make([]float32, tableSize)
	for i := range list {
		list[i] = 2*rng.Float32() - 1
	}
	return w.constant(tableName, tensor.FromSlice(list, tableSize))
}

// constant returns the name of a constant of the main graph for a purpose. The first call for the
// purpose adds the constant. Bodies can read it too.
func (w *writer) constant(what string, t tensor.Tensor) string {
	if name, ok := w.constants[what]; ok {
		return name
	}
	name := w.names.Value(what)
	w.constants[what] = name
	w.first = append(w.first, graphops.NewNode(graphops.NodeSpec{
		Op: "Constant", Outputs: []string{name},
		Attributes: []*graphops.Attribute{graphops.TensorAttribute("value", graphops.NewTensorOf("", t))},
	}))
	return name
}

// add writes a node and returns the name of its output.
func (w *writer) add(op string, in []string, attributes ...*graphops.Attribute) string {
	to := w.names.Value("perturb_" + op)
	w.node(op, in, to, attributes...)
	return to
}

func (w *writer) node(op string, in []string, to string, attributes ...*graphops.Attribute) {
	w.out = append(w.out, graphops.NewNode(graphops.NodeSpec{Op: op, Inputs: in, Outputs: []string{to}, Attributes: attributes}))
}

// shared returns the model with the constants, and the input, that the inserted nodes of all places
// use.
func (w *writer) shared(m *graphops.Model) *graphops.Model {
	e := graphops.Edit(m)
	e.Nodes = append(w.first, e.Nodes...)
	if w.offset != "" {
		i64 := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.I64, Shape: graphops.FixedShape([]int64{1})}
		e.Inputs = append(e.Inputs, graphops.NewValueInfo(w.offset, i64))
	}
	return e.Model()
}
