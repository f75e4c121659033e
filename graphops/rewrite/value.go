package rewrite

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// Value is a value that nodes read, usually a tensor. It is an input of a graph, a constant, or an
// output of a node.
type Value struct {
	id       int
	name     string
	graph    *Graph
	producer *Node
	constant *graphops.Tensor
	sparse   *graphops.SparseTensor
	// overridable is set if the constant is the default of an input, so that callers of the model
	// can replace it.
	overridable bool
	input       bool
	known       shape.Value

	readers []*Node // including outdated and repeated ones; cleaned when needed
	reads   int     // number of node inputs that are the value
	outputs int     // number of graph outputs that are the value
}

// Name returns the current name of the value. It is "" if v is nil, which means an omitted input or
// output.
func (v *Value) Name() string {
	if v == nil {
		return ""
	}
	return v.name
}

// Graph returns the graph that defines the value.
func (v *Value) Graph() *Graph { return v.graph }

// Producer returns the node that produces the value. It is nil for an input, for a constant, and if
// v is nil, which means an omitted input.
func (v *Value) Producer() *Node {
	if v == nil {
		return nil
	}
	return v.producer
}

// IsInput reports whether the value is an input of a graph, with or without a default.
func (v *Value) IsInput() bool { return v.input }

// IsInitializer reports whether the value is an initializer, which can be the default of an input.
func (v *Value) IsInitializer() bool { return v.constant != nil || v.sparse != nil }

// IsOutput reports whether the value is an output of its graph.
func (v *Value) IsOutput() bool { return v.outputs > 0 }

// Constant returns the tensor that the value has in every run. It is that of an initializer or of a
// Constant node. It is nil if the value is not a constant, if callers of the model can replace it,
// and if it is sparse.
func (v *Value) Constant() *graphops.Tensor {
	switch {
	case v == nil || v.overridable:
		return nil
	case v.producer != nil:
		return v.graph.model.dense(v.producer.spec, v.name)
	}
	return v.constant
}

// isStored reports whether Store writes the value. An unused constant is left out, except where it
// is the default of an input or LoadAsIs loaded the model.
func (v *Value) isStored() bool {
	return !v.IsInitializer() || v.Uses() > 0 || v.overridable || v.graph.model.asIs
}

// Type returns the type of the value as far as it is known. The zero Type means that nothing is
// known.
func (v *Value) Type() shape.Type {
	if v == nil {
		return shape.Type{}
	}
	return v.known.Type
}

// Known returns what is known about the value: its type and, for a small integer tensor, its
// elements.
func (v *Value) Known() shape.Value {
	if v == nil {
		return shape.Value{}
	}
	return v.known
}

// Ints returns the elements of a small integer tensor that are the same in every run. The value is
// a constant, or its elements follow from known shapes.
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

// Float returns the element of a float constant that has only one element. Its rank does not
// matter.
func (v *Value) Float() (float64, bool) {
	floats, ok := v.Floats()
	if !ok || len(floats) != 1 {
		return 0, false
	}
	return floats[0], true
}

// Small returns the elements of the constant. ok is false if the value is not a constant or has
// more than the given number of elements.
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

// Uses returns how many inputs of nodes and outputs of graphs are the value.
func (v *Value) Uses() int { return v.reads + v.outputs }

// IsUsed reports whether a node reads the value or a graph has it as an output. It is false if v is
// nil, which means an omitted output.
func (v *Value) IsUsed() bool { return v != nil && v.Uses() > 0 }

// Reader returns the node that reads the value, if it is the only use of the value. It returns nil
// if there are other uses, or if the node reads the value by several inputs.
func (v *Value) Reader() *Node {
	if v.reads != 1 || v.outputs > 0 {
		return nil
	}
	return v.Readers()[0]
}

// Readers returns the nodes that read the value, including those in bodies, without duplicates.
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

// SetType sets the type of a value. Elements that were known are forgotten. It is called when the
// value's producer has changed.
func (v *Value) SetType(t shape.Type) { v.known = shape.Value{Type: t} }

// canStandFor reports whether the nodes that read old could read v: v must be defined in the graph
// of old or around it. It does not consider outputs of graphs.
func (v *Value) canStandFor(old *Value) bool { return old.graph.within(v.graph) }

// ReplaceWith makes all readers of the value read another value, with, instead. That one must be
// defined in the same graph or around it, before the first of these readers. If the value is an
// output of a graph, the other value becomes that output and gets its name, because callers and some
// operators identify outputs by name. If that is not possible, ReplaceWith returns false and changes
// nothing. An input, a constant or another output cannot take over a name, because it must keep its
// own.
func (v *Value) ReplaceWith(with *Value) bool {
	if !v.CanBecome(with) {
		return false
	}
	for _, n := range v.Readers() {
		for i, in := range n.in {
			if in == v {
				n.SetInput(i, with)
			}
		}
	}
	if i := slices.Index(v.graph.outputs, v); i >= 0 {
		v.graph.ReplaceOutput(i, with)
	}
	return true
}

// outputCanBe reports whether with can take the place of v as an output of the graph. It can if a
// node of the same graph produces it and it is not an output yet. A captured value cannot be an
// output of a body, because runtimes require that a node in the body produces it.
func (v *Value) outputCanBe(with *Value) bool {
	return v.outputs == 0 || with.graph == v.graph && with.producer != nil && with.outputs == 0 && v.outputs == 1
}

// CanBecome reports whether ReplaceWith(with) would succeed.
func (v *Value) CanBecome(with *Value) bool {
	return v != with && with.canStandFor(v) && v.outputCanBe(with)
}
