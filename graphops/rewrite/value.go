package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Value is a tensor, or something else, that nodes read: an input of a graph, a
// constant, or an output of a node.
type Value struct {
	name     string
	graph    *Graph
	producer *Node
	constant *graphops.Tensor
	sparse   *graphops.SparseTensor
	// overridable is the constant that an input has where nothing is fed.
	overridable bool
	input       bool
	known       shape.Value

	readers []*Node // with stale and repeated ones; compacted when they are asked for
	reads   int     // inputs of nodes that are the value
	outputs int     // outputs of graphs that are the value
}

// Name is what the value is called now.
func (v *Value) Name() string { return v.name }

// Graph is where the value is defined.
func (v *Value) Graph() *Graph { return v.graph }

// Producer is the node that makes the value, nil of an input or a constant, and of no
// value at all, which is what a node reads that leaves an input out.
func (v *Value) Producer() *Node {
	if v == nil {
		return nil
	}
	return v.producer
}

// IsInput reports whether the value is an input of a graph, also one that has a
// constant for the case that nothing is fed.
func (v *Value) IsInput() bool { return v.input }

// IsOutput reports whether the value is an output of its graph.
func (v *Value) IsOutput() bool { return v.outputs > 0 }

// Constant is the tensor that the value is in every run, nil where there is none:
// that of an initializer or of a Constant node, but not of an initializer that
// the caller of the model can replace, nor a sparse one.
func (v *Value) Constant() *graphops.Tensor {
	if v == nil || v.overridable {
		return nil
	}
	return v.constant
}

// Type is what is known of the value's type. The zero Type is nothing.
func (v *Value) Type() shape.Type {
	if v == nil {
		return shape.Type{}
	}
	return v.known.Type
}

// Known is what is known of the value: type, and the elements of small integers.
func (v *Value) Known() shape.Value {
	if v == nil {
		return shape.Value{}
	}
	return v.known
}

// Ints are the elements of a small tensor of integers that is the same in every
// run: a constant, or what shapes say that it is.
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

// Floats are the elements of a small constant of floats.
func (v *Value) Floats() ([]float64, bool) {
	t, ok := v.Small(shape.MaxElements)
	if !ok || t.DType.Kind() != tensor.KindFloat {
		return nil, false
	}
	floats, err := t.Float64s()
	return floats, err == nil
}

// Float is the only element of a constant of floats, of any rank.
func (v *Value) Float() (float64, bool) {
	floats, ok := v.Floats()
	if !ok || len(floats) != 1 {
		return 0, false
	}
	return floats[0], true
}

// Small is the constant, read, if it has at most so many elements.
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

// Uses counts the inputs of nodes and the outputs of graphs that are the value.
func (v *Value) Uses() int { return v.reads + v.outputs }

// Reader is the node that alone reads the value, by one input; nil where another
// input or an output of a graph is the value, too.
func (v *Value) Reader() *Node {
	if v.reads != 1 || v.outputs > 0 {
		return nil
	}
	return v.Readers()[0]
}

// Readers are the nodes that read the value, each once, those in bodies included.
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

// SetType says what the type of a value is, after a change of what makes it.
func (v *Value) SetType(t shape.Type) { v.known = shape.Value{Type: t} }

// canStandFor reports whether v can be read wherever the other value is, without
// looking at outputs: it is defined in the same graph or around it.
func (v *Value) canStandFor(old *Value) bool { return old.graph.within(v.graph) }

// ReplaceWith has everything that reads the value read another one, of the same
// graph or one around it, that is defined before the first of these readers. An
// output keeps its name, that of a body too: some operators look for it. It reports false and changes nothing where an
// output cannot be the other value: inputs, constants and outputs keep their names.
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

// outputCanBe reports whether the outputs of graphs that are v can be another
// value: one that a node of the same graph makes and that is no output already. A
// body has no other, since runtimes want it to make what it gives.
func (v *Value) outputCanBe(with *Value) bool {
	return v.outputs == 0 || with.graph == v.graph && with.producer != nil && with.outputs == 0 && v.outputs == 1
}
