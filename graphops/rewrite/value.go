package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Value is a tensor, or something else, that nodes read: an input of a graph, a constant, or an
// output of a node.
type Value struct {
	name     string
	graph    *Graph
	producer *Node
	constant *graphops.Tensor
	sparse   *graphops.SparseTensor
	// overridable reports that the constant is the default of an input.
	overridable bool
	input       bool
	known       shape.Value

	readers []*Node // including outdated and repeated ones; cleaned when needed
	reads   int     // number of node inputs that are the value
	outputs int     // number of graph outputs that are the value
}

// Name returns the current name of the value.
func (v *Value) Name() string { return v.name }

// Graph returns the graph that defines the value.
func (v *Value) Graph() *Graph { return v.graph }

// Producer returns the node that produces the value, nil for an input or a constant. v may be nil,
// for an omitted input.
func (v *Value) Producer() *Node {
	if v == nil {
		return nil
	}
	return v.producer
}

// IsInput reports whether the value is an input of a graph, with or without a default.
func (v *Value) IsInput() bool { return v.input }

// IsOutput reports whether the value is an output of its graph.
func (v *Value) IsOutput() bool { return v.outputs > 0 }

// Constant returns the tensor that the value is in each run, nil if there is none. It is the tensor
// of an initializer or of a Constant node, but not of an initializer that callers of the model can
// replace, nor a sparse one.
func (v *Value) Constant() *graphops.Tensor {
	if v == nil || v.overridable {
		return nil
	}
	return v.constant
}

// Type returns what is known about the value's type. The zero Type means nothing.
func (v *Value) Type() shape.Type {
	if v == nil {
		return shape.Type{}
	}
	return v.known.Type
}

// Known returns what is known about the value: type, and the elements of small integer tensors.
func (v *Value) Known() shape.Value {
	if v == nil {
		return shape.Value{}
	}
	return v.known
}

// Ints returns the elements of a small integer tensor that is the same in each run: a constant, or
// a value that follows from shapes.
func (v *Value) Ints() ([]int64, bool) {
	if v == nil {
		return nil, false
	}
	if t, ok := v.known.Constant(); ok && t.DType.Kind() != tensor.KindFloat {
		ints, err := t.Int64s()
		return ints, err == nil
	}
	t, ok := v.Small(shape.MaxElements)
	if !ok {
		return nil, false
	}
	ints, err := t.Int64s()
	return ints, err == nil
}

// Floats returns the elements of a small float constant.
func (v *Value) Floats() ([]float64, bool) {
	t, ok := v.Small(shape.MaxElements)
	if !ok || t.DType.Kind() != tensor.KindFloat {
		return nil, false
	}
	floats, err := t.Float64s()
	return floats, err == nil
}

// Float returns the only element of a float constant of any rank.
func (v *Value) Float() (float64, bool) {
	floats, ok := v.Floats()
	if !ok || len(floats) != 1 {
		return 0, false
	}
	return floats[0], true
}

// Small reads and returns the constant, if it has at most the given number of elements.
func (v *Value) Small(elements int64) (tensor.Tensor, bool) {
	c := v.Constant()
	if c == nil {
		return tensor.Tensor{}, false
	}
	if n, err := c.Elements(); err != nil || n > elements {
		return tensor.Tensor{}, false
	}
	t, err := c.Read()
	return t, err == nil
}

// Uses returns the number of node inputs and graph outputs that are the value.
func (v *Value) Uses() int { return v.reads + v.outputs }

// Reader returns the only node that reads the value, by one input; nil if there are other uses.
func (v *Value) Reader() *Node {
	if v.reads != 1 || v.outputs > 0 {
		return nil
	}
	return v.Readers()[0]
}

// Readers returns the nodes that read the value, each once, including those in bodies.
func (v *Value) Readers() []*Node {
	seen := make(map[*Node]bool, min(len(v.readers), v.reads))
	live := v.readers[:0]
	for _, n := range v.readers {
		if !seen[n] && !n.gone && n.takes(v) {
			seen[n] = true
			live = append(live, n)
		}
	}
	clear(v.readers[len(live):])
	v.readers = live
	return slices.Clone(live)
}

func (v *Value) addReader(n *Node) {
	if v != nil {
		v.readers = append(v.readers, n)
		v.reads++
	}
}

func (v *Value) dropReader() {
	if v != nil {
		v.reads--
	}
}

// SetType sets the type of a value, after its producer changed.
func (v *Value) SetType(t shape.Type) { v.known = shape.Value{Type: t} }

// canStandFor reports whether v can be read wherever the other value is, ignoring outputs: it is
// defined in the same graph or around it.
func (v *Value) canStandFor(old *Value) bool { return old.graph.within(v.graph) }

// ReplaceWith lets all readers of the value read another one, which must be defined before the
// first of these readers in the same graph or one around it. An output keeps its name, including
// that of a body, because some operators identify it by name. If an output cannot be the other
// value, it returns false and changes nothing, because inputs, constants and outputs keep their
// names.
func (v *Value) ReplaceWith(with *Value) bool {
	if v == with || !with.canStandFor(v) || !v.outputCanBe(with) {
		return false
	}
	m := v.graph.model
	for _, n := range v.Readers() {
		for i, in := range n.in {
			if in == v {
				n.SetInput(i, with)
			}
		}
	}
	if v.outputs == 0 {
		return true
	}
	v.name, with.name = with.name, v.name
	for i, o := range v.graph.outputs {
		if o == v {
			v.graph.outputs[i] = with
			v.outputs--
			with.outputs++
		}
	}
	m.touch(with.producer)
	return true
}

// outputCanBe reports whether graph outputs that are v can be another value: one that a node of the
// same graph produces and that is not an output yet. This also excludes captured values as outputs
// of a body, because runtimes require a body to produce its outputs.
func (v *Value) outputCanBe(with *Value) bool {
	return v.outputs == 0 || with.graph == v.graph && with.producer != nil && with.outputs == 0 && v.outputs == 1
}
