package graphops

import (
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// encoder writes messages, or only counts their size. Both modes run the same code, so that a
// length prefix always agrees with the content.
type encoder struct {
	w   io.Writer // nil: count only
	n   int64
	buf []byte
	err error
}

func (e *encoder) bytes(b []byte) {
	e.n += int64(len(b))
	if e.w != nil && e.err == nil {
		_, e.err = e.w.Write(b)
	}
}

func (e *encoder) prefix(num protowire.Number, n int64) {
	e.buf = protowire.AppendTag(e.buf[:0], num, protowire.BytesType)
	e.buf = protowire.AppendVarint(e.buf, uint64(n))
	e.bytes(e.buf)
}

func (e *encoder) field(num protowire.Number, b []byte) {
	e.prefix(num, int64(len(b)))
	e.bytes(b)
}

func (e *encoder) payload(num protowire.Number, p Payload) {
	e.prefix(num, p.Len())
	e.raw(p)
}

// raw writes a payload without a tag and length. It consists of complete fields, or it is the
// content of a field whose tag and length were written before.
func (e *encoder) raw(p Payload) {
	if e.w == nil {
		e.n += p.Len()
		return
	}
	if e.err != nil {
		return
	}
	var n int64
	n, e.err = p.WriteTo(e.w)
	e.n += n
}

// message writes a length-delimited field. f writes the content of the field.
func (e *encoder) message(num protowire.Number, f func(*encoder)) {
	if e.err != nil {
		return
	}
	size := encoder{}
	f(&size)
	e.prefix(num, size.n)
	if e.w == nil {
		e.n += size.n
		return
	}
	f(e)
}

func (e *encoder) model(m *Model) {
	e.bytes(m.head)
	if m.hasGraph {
		e.message(fieldnum.ModelGraph, func(e *encoder) { e.graph(m.graph) })
	}
	for _, p := range m.training {
		e.payload(fieldnum.ModelTraining, p)
	}
	for _, f := range m.functions {
		e.message(fieldnum.ModelFunction, func(e *encoder) { e.function(f) })
	}
}

func (e *encoder) graph(g *Graph) {
	for _, n := range g.nodes {
		e.node(fieldnum.GraphNode, n)
	}
	for _, t := range g.initializers {
		e.message(fieldnum.GraphInitializer, func(e *encoder) { e.tensor(t) })
	}
	for _, s := range g.sparse {
		e.message(fieldnum.GraphSparseInitializer, func(e *encoder) { e.sparse(s) })
	}
	e.values(fieldnum.GraphInput, g.inputs)
	e.values(fieldnum.GraphOutput, g.outputs)
	e.values(fieldnum.GraphValueInfo, g.valueInfo)
	e.bytes(g.head)
}

func (e *encoder) values(num protowire.Number, list []*ValueInfo) {
	for _, v := range list {
		e.field(num, v.head)
	}
}

func (e *encoder) node(num protowire.Number, n *Node) {
	if n.attrs == nil {
		e.field(num, n.head)
		return
	}
	e.message(num, func(e *encoder) {
		e.bytes(n.head)
		for _, a := range n.attrs {
			e.attribute(fieldnum.NodeAttribute, a)
		}
	})
}

func (e *encoder) attribute(num protowire.Number, a *Attribute) {
	switch {
	case a.deferred:
		e.payload(num, a.whole)
		return
	case !a.holdsMore():
		e.field(num, a.head)
		return
	}
	e.message(num, func(e *encoder) {
		e.bytes(a.head)
		if a.tensor != nil {
			e.message(fieldnum.AttrT, func(e *encoder) { e.tensor(a.tensor) })
		}
		if a.graph != nil {
			e.message(fieldnum.AttrG, func(e *encoder) { e.graph(a.graph) })
		}
		for _, t := range a.tensors {
			e.message(fieldnum.AttrTensors, func(e *encoder) { e.tensor(t) })
		}
		for _, g := range a.graphs {
			e.message(fieldnum.AttrGraphs, func(e *encoder) { e.graph(g) })
		}
		if a.sparse != nil {
			e.message(fieldnum.AttrSparseTensor, func(e *encoder) { e.sparse(a.sparse) })
		}
		for _, s := range a.sparses {
			e.message(fieldnum.AttrSparseTensors, func(e *encoder) { e.sparse(s) })
		}
	})
}

func (e *encoder) tensor(t *Tensor) {
	e.bytes(t.head)
	e.elements(elementField{t.stored, t.data})
	for _, f := range t.unread {
		e.elements(f)
	}
	if e.err != nil {
		e.err = fmt.Errorf("tensor %q: %w", t.name, e.err)
	}
}

func (e *encoder) elements(f elementField) {
	switch f.num {
	case 0:
	case fieldnum.TensorStringData:
		e.raw(f.data)
	default:
		e.payload(f.num, f.data)
	}
}

func (e *encoder) sparse(s *SparseTensor) {
	if s.values != nil {
		e.message(fieldnum.SparseValues, func(e *encoder) { e.tensor(s.values) })
	}
	if s.indices != nil {
		e.message(fieldnum.SparseIndices, func(e *encoder) { e.tensor(s.indices) })
	}
	e.bytes(s.head)
}

func (e *encoder) function(f *Function) {
	e.bytes(f.head)
	for _, n := range f.graph.nodes {
		e.node(fieldnum.FunctionNode, n)
	}
	e.values(fieldnum.FunctionValueInfo, f.graph.valueInfo)
}

// encodedSize returns the size in bytes that the model file would have, including embedded weights.
func encodedSize(m *Model) int64 {
	e := encoder{}
	e.model(m)
	return e.n
}
