package axes

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
)

// builder creates nodes that compute sizes from the shapes of the model's inputs while the model
// runs. A computed size is a vector of i64 with one element.
type builder struct {
	change    *changer
	names     *graphops.Names
	opset     int64
	nodes     []*graphops.Node
	constants []*graphops.Tensor
	made      map[string]string // names of values that were computed already, by expression
}

func (c *changer) builder() *builder {
	if c.build == nil {
		v, _ := c.original.Opset(graphops.DefaultDomain)
		c.build = &builder{change: c, names: graphops.NamesOf(c.original), opset: v, made: map[string]string{}}
	}
	return c.build
}

// opsetMinMax is the first opset in which Min and Max accept integers.
const opsetMinMax = 12

// cannot returns why the model cannot compute the expression, or "" if it can.
func (b *builder) cannot(d dim.Dim) string {
	why := ""
	d.Symbols(func(s string) {
		if input, _ := b.source(s); input == "" && why == "" {
			why = fmt.Sprintf("no input has an axis of size %q, from which %s could be computed", s, d)
		}
	})
	if why != "" {
		return why
	}
	return dim.Calculate(d, dim.Algebra[string]{
		Number: func(int64) string { return "" },
		Symbol: func(string) string { return "" },
		Apply: func(operation, a, c string) string {
			if operations[operation] == "" || b.opset < opsetMinMax && (operation == "max" || operation == "min") {
				return fmt.Sprintf("the operators of opset %d cannot compute %s", b.opset, d)
			}
			return a + c
		},
	})
}

// source returns an input of the model and its axis whose size is the symbol; "" if no input has
// it.
func (b *builder) source(symbol string) (input string, axis int) {
	for _, v := range b.change.model.Graph().FeedInputs() {
		for i, d := range v.Type().Shape {
			if d.Symbol == symbol {
				return v.Name(), i
			}
		}
	}
	return "", 0
}

// mended creates the value that a node reads in place of the constant, and returns the name of the
// value.
func (b *builder) mended(m *mend) string {
	if m.dims != nil {
		return b.expanded(m)
	}
	name := b.vector(m.sizes, m.name+"_free")
	if m.dtype != tensor.I64 {
		name = b.node("Cast", name+"_cast", []string{name}, graphops.IntAttribute("to", int64(m.dtype)))
	}
	if m.scalar {
		name = b.node("Reshape", name+"_scalar", []string{name, b.constant(nil, "scalar")})
	}
	return name
}

// vector returns the name of a vector with the given sizes: an initializer if all of them are
// numbers, otherwise a value that nodes compute.
func (b *builder) vector(sizes []dim.Dim, base string) string {
	var parts []string
	var run []int64
	flush := func() {
		if len(run) > 0 {
			parts = append(parts, b.constant(run, base))
			run = nil
		}
	}
	for _, d := range sizes {
		if n, ok := d.Number(); ok {
			run = append(run, n)
			continue
		}
		flush()
		parts = append(parts, b.size(d))
	}
	flush()
	switch len(parts) {
	case 0:
		return b.constant(nil, base)
	case 1:
		return parts[0]
	default:
		return b.node("Concat", base, parts, graphops.IntAttribute("axis", 0))
	}
}

// constant returns the name of an initializer with the given numbers. Equal lists share one.
func (b *builder) constant(list []int64, base string) string {
	key := fmt.Sprint(list)
	if name, ok := b.made[key]; ok {
		return name
	}
	name := b.names.Value(base)
	b.constants = append(b.constants, graphops.NewTensorOf(name, tensor.FromSlice(slices.Clone(list), int64(len(list)))))
	b.made[key] = name
	return name
}

// node adds a node with one output, and returns the name of the output. base is the name of both,
// unless it is taken.
func (b *builder) node(op, base string, inputs []string, attrs ...*graphops.Attribute) string {
	out := b.names.Value(base)
	b.nodes = append(b.nodes, graphops.NewNode(graphops.NodeSpec{
		Op: op, Name: b.names.Node(base), Inputs: inputs, Outputs: []string{out}, Attributes: attrs,
	}))
	return out
}

// size returns the name of a vector with one element, the value of the expression.
func (b *builder) size(d dim.Dim) string {
	if n, ok := d.Number(); ok {
		return b.constant([]int64{n}, "size")
	}
	key := d.String()
	if name, ok := b.made[key]; ok {
		return name
	}
	name := dim.Calculate(d, dim.Algebra[string]{
		Number: func(n int64) string { return b.constant([]int64{n}, "size") },
		Symbol: b.symbol,
		// The operator Div rounds towards zero. This equals floor, because sizes are not negative.
		Apply: func(operation, x, y string) string { return b.node(operations[operation], "size", []string{x, y}) },
	})
	b.made[key] = name
	return name
}

// symbol returns the name of a vector with one element, the size of an axis that the symbol names.
func (b *builder) symbol(name string) string {
	if made, ok := b.made[name]; ok {
		return made
	}
	input, axis := b.source(name)
	key := "shape of " + input
	shape, ok := b.made[key]
	if !ok {
		shape = b.node("Shape", input+"_shape", []string{input})
		b.made[key] = shape
	}
	b.made[name] = b.node("Gather", name+"_size", []string{shape, b.constant([]int64{int64(axis)}, "axis")}, graphops.IntAttribute("axis", 0))
	return b.made[name]
}

// operations maps the operations of package dim to the operators that compute them.
var operations = map[string]string{"+": "Add", "*": "Mul", "floor": "Div", "max": "Max", "min": "Min"}
