package graphops

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/tensor"
)

const (
	// inlineNode is the size up to which a node is read whole. A larger one holds
	// a tensor or a body, and is walked through.
	inlineNode = 64 << 10
	// inlineTensor is the size up to which a tensor is read whole.
	inlineTensor = 1 << 10
	// maxGraphDepth bounds how deep bodies nest. Protobuf's own parsers give up
	// at 100 messages, which is 33 bodies.
	maxGraphDepth = 64
)

// decoder turns serialized messages into the structures of this package.
type decoder struct {
	files *externalFiles
	depth int
	slab  []string // where the names of inputs and outputs are cut from
}

// each calls f for every field of the current message, with the length of
// delimited ones. f consumes such a field; for any other, and where it returns
// keep, the field's bytes are appended to head.
func each(c *cursor, head *[]byte, f func(num protowire.Number, n int64) (taken bool, err error)) error {
	for c.more() {
		num, typ, err := c.tag()
		if err != nil {
			return err
		}
		if typ != protowire.BytesType {
			v, err := c.scalar(typ)
			if err != nil {
				return err
			}
			*head = append(protowire.AppendTag(*head, num, typ), v...)
			continue
		}
		n, err := c.length()
		if err != nil {
			return err
		}
		taken, err := f(num, n)
		if err != nil {
			return err
		}
		if !taken {
			v, err := c.take(n)
			if err != nil {
				return err
			}
			*head = appendBytes(*head, num, v)
		}
	}
	return nil
}

func (d *decoder) model(c *cursor) (*Model, error) {
	m := &Model{graph: &Graph{}, files: d.files}
	err := each(c, &m.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case modelGraph:
			m.hasGraph = true
			return true, wrap("graph", c.within(n, func() error { return d.graph(c, m.graph) }))
		case modelFunction:
			f := &Function{}
			m.functions = append(m.functions, f)
			return true, wrap("function", c.within(n, func() error { return d.function(c, f) }))
		case modelTraining:
			m.training = append(m.training, c.payload(n))
			return true, nil
		case modelOpsetImport, modelMetadata:
			return false, c.check(n)
		}
		return false, nil
	})
	return m, err
}

// check makes sure that the next n bytes are a well-formed message, without
// consuming them.
func (c *cursor) check(n int64) error {
	if err := c.fill(int(n)); err != nil {
		return err
	}
	return checkFields(c.buf[c.pos : c.pos+int(n)])
}

// errTooDeep is told without the path that leads there: every level of it
// says the same.
var errTooDeep = fmt.Errorf("graphs nest deeper than %d", maxGraphDepth)

func wrap(what string, err error) error {
	if err == nil || errors.Is(err, errTooDeep) {
		return err
	}
	return fmt.Errorf("%s: %w", what, err)
}

func (d *decoder) graph(c *cursor, g *Graph) error {
	if d.depth++; d.depth > maxGraphDepth {
		return errTooDeep
	}
	defer func() { d.depth-- }()
	return each(c, &g.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case graphNode:
			node, err := d.node(c, n)
			g.nodes = append(g.nodes, node)
			return true, wrapAt("node", len(g.nodes)-1, err)
		case graphInitializer:
			t := &Tensor{}
			g.initializers = append(g.initializers, t)
			return true, wrapAt("initializer", len(g.initializers)-1, d.tensorOf(c, n, t))
		case graphSparseInitializer:
			s := &SparseTensor{}
			g.sparse = append(g.sparse, s)
			return true, wrapAt("sparse initializer", len(g.sparse)-1, c.within(n, func() error { return d.sparse(c, s) }))
		case graphInput:
			return true, d.value(c, n, &g.inputs, "input")
		case graphOutput:
			return true, d.value(c, n, &g.outputs, "output")
		case graphValueInfo:
			return true, d.value(c, n, &g.valueInfo, "value_info")
		case graphName:
			b, err := c.take(n)
			g.name = text(b)
			return true, err
		case graphMetadata:
			return false, c.check(n)
		}
		return false, nil
	})
}

func wrapAt(what string, i int, err error) error {
	if err == nil {
		return nil
	}
	return wrap(fmt.Sprintf("%s %d", what, i), err)
}

func (d *decoder) value(c *cursor, n int64, list *[]*ValueInfo, what string) error {
	b, err := c.take(n)
	if err == nil {
		err = eachMessage(b, func(num protowire.Number, v []byte) error {
			if num != valueType {
				return nil
			}
			return checkType(v, 0)
		})
	}
	*list = append(*list, &ValueInfo{name: lastString(b, valueName), head: b})
	return wrapAt(what, len(*list)-1, err)
}

// node reads a node of n bytes.
func (d *decoder) node(c *cursor, n int64) (*Node, error) {
	if n > inlineNode && c.src != nil {
		node := &Node{}
		err := c.within(n, func() error { return d.wideNode(c, node) })
		return node, err
	}
	b, err := c.take(n)
	if err != nil {
		return nil, err
	}
	node := &Node{head: b}
	deep, err := d.scanNode(b, node)
	if err == nil && deep {
		wide := &Node{}
		return wide, d.wideNode(memoryCursor(b), wide)
	}
	return node, err
}

// wideNode reads a node attribute by attribute, so that bodies become graphs
// and large tensors stay in the file.
func (d *decoder) wideNode(c *cursor, node *Node) error {
	err := each(c, &node.head, func(num protowire.Number, n int64) (bool, error) {
		if num != nodeAttribute {
			return false, nil
		}
		a := &Attribute{}
		node.attrs = append(node.attrs, a)
		return true, wrapAt("attribute", len(node.attrs)-1, c.within(n, func() error { return d.attribute(c, a) }))
	})
	if err != nil {
		return err
	}
	_, err = d.scanNode(node.head, node)
	return err
}

// scanNode reads the names of a node and checks its attributes; deep tells
// that one of them holds a graph.
func (d *decoder) scanNode(b []byte, node *Node) (deep bool, err error) {
	in, out := 0, 0
	for rest := b; len(rest) > 0; {
		f, n := nextField(rest)
		if n < 0 {
			return false, checkFields(rest)
		}
		rest = rest[n:]
		if f.typ != protowire.BytesType {
			continue
		}
		switch f.num {
		case nodeInput:
			in++
		case nodeOutput:
			out++
		case nodeName:
			node.name = text(f.value)
		case nodeOpType:
			node.opType = text(f.value)
		case nodeDomain:
			node.domain = text(f.value)
		case nodeOverload:
			node.overload = text(f.value)
		case nodeAttribute:
			holds, err := scanAttribute(f.value)
			if err != nil {
				return false, err
			}
			deep = deep || holds
		case nodeMetadata:
			if err := checkFields(f.value); err != nil {
				return false, err
			}
		}
	}
	node.inputs, node.outputs = d.cut(in), d.cut(out)
	in, out = 0, 0
	for f := range fieldsOf(b) {
		switch {
		case f.num == nodeInput && f.typ == protowire.BytesType:
			node.inputs[in] = text(f.value)
			in++
		case f.num == nodeOutput && f.typ == protowire.BytesType:
			node.outputs[out] = text(f.value)
			out++
		}
	}
	return deep, nil
}

// cut takes n names from the slab: one allocation for thousands of nodes.
func (d *decoder) cut(n int) []string {
	if n == 0 {
		return nil
	}
	if len(d.slab) < n {
		d.slab = make([]string, max(n, 4096))
	}
	s := d.slab[:n:n]
	d.slab = d.slab[n:]
	return s
}

// scanAttribute checks an attribute and reports whether it holds a graph.
func scanAttribute(b []byte) (bool, error) {
	holds := false
	for len(b) > 0 {
		f, n := nextField(b)
		if n < 0 {
			return false, checkFields(b)
		}
		b = b[n:]
		switch f.num {
		case attrG, attrGraphs:
			holds = true
		case attrT, attrTensors:
			if err := checkFields(f.value); err != nil {
				return false, fmt.Errorf("tensor: %w", err)
			}
		}
	}
	return holds, nil
}

func (d *decoder) attribute(c *cursor, a *Attribute) error {
	err := each(c, &a.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case attrT:
			if a.tensor == nil {
				a.tensor = &Tensor{}
			}
			return true, d.tensorOf(c, n, a.tensor)
		case attrTensors:
			a.tensors = append(a.tensors, &Tensor{})
			return true, d.tensorOf(c, n, a.tensors[len(a.tensors)-1])
		case attrG:
			if a.graph == nil {
				a.graph = &Graph{}
			}
			return true, c.within(n, func() error { return d.graph(c, a.graph) })
		case attrGraphs:
			a.graphs = append(a.graphs, &Graph{})
			return true, c.within(n, func() error { return d.graph(c, a.graphs[len(a.graphs)-1]) })
		case attrSparseTensor:
			if a.sparse == nil {
				a.sparse = &SparseTensor{}
			}
			return true, c.within(n, func() error { return d.sparse(c, a.sparse) })
		case attrSparseTensors:
			a.sparses = append(a.sparses, &SparseTensor{})
			return true, c.within(n, func() error { return d.sparse(c, a.sparses[len(a.sparses)-1]) })
		}
		return false, nil
	})
	a.name = lastString(a.head, attrName)
	if err != nil {
		return wrap(fmt.Sprintf("%q", a.name), err)
	}
	return nil
}

func (d *decoder) sparse(c *cursor, s *SparseTensor) error {
	return each(c, &s.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case sparseValues:
			s.values = &Tensor{}
			return true, d.tensorOf(c, n, s.values)
		case sparseIndices:
			s.indices = &Tensor{}
			return true, d.tensorOf(c, n, s.indices)
		}
		return false, nil
	})
}

func (d *decoder) function(c *cursor, f *Function) error {
	err := each(c, &f.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case functionNode:
			node, err := d.node(c, n)
			f.nodes = append(f.nodes, node)
			return true, wrapAt("node", len(f.nodes)-1, err)
		case functionValueInfo:
			return true, d.value(c, n, &f.valueInfo, "value_info")
		case functionOpset:
			return false, c.check(n)
		}
		return false, nil
	})
	f.name, f.domain, f.overload = lastString(f.head, functionName), lastString(f.head, functionDomain), lastString(f.head, functionOverload)
	for fd := range fieldsOf(f.head) {
		switch {
		case fd.num == functionInput && fd.typ == protowire.BytesType:
			f.inputs = append(f.inputs, text(fd.value))
		case fd.num == functionOutput && fd.typ == protowire.BytesType:
			f.outputs = append(f.outputs, text(fd.value))
		}
	}
	if err != nil {
		return wrap(fmt.Sprintf("%q", f.name), err)
	}
	return nil
}

// tensorOf reads a tensor of n bytes. Its head and names are copied, so that a
// window that passed over weights is not kept alive by them.
func (d *decoder) tensorOf(c *cursor, n int64, t *Tensor) error {
	if n <= inlineTensor || c.src == nil {
		b, err := c.take(n)
		if err != nil {
			return err
		}
		return d.tensor(memoryCursor(b), t)
	}
	return c.within(n, func() error { return d.tensor(c, t) })
}

func (d *decoder) tensor(c *cursor, t *Tensor) error {
	err := each(c, &t.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case tensorRawData:
			t.stored, t.data = num, c.payload(n)
			return true, nil
		case tensorFloatData, tensorInt32Data, tensorInt64Data, tensorDoubleData, tensorUint64Data:
			if n == 0 {
				return true, nil
			}
			return true, d.packed(c, t, num, n)
		case tensorExternal:
			return false, c.check(n)
		}
		return false, nil
	})
	if err == nil {
		err = d.finishTensor(t)
	}
	return err
}

// packed reads one piece of a typed data field; pieces of one field add up.
func (d *decoder) packed(c *cursor, t *Tensor, num protowire.Number, n int64) error {
	if t.stored == 0 {
		t.stored, t.data = num, c.payload(n)
		return nil
	}
	if t.stored != num {
		return fmt.Errorf("tensor %q holds its elements twice, in fields %d and %d", lastString(t.head, tensorName), t.stored, num)
	}
	first, err := t.data.Bytes()
	if err != nil {
		return err
	}
	more, err := c.take(n)
	t.data = BytesPayload(append(first[:len(first):len(first)], more...))
	return err
}

// finishTensor reads what the head of a tensor says.
func (d *decoder) finishTensor(t *Tensor) error {
	t.name = lastString(t.head, tensorName)
	elem, _ := lastVarint(t.head, tensorDataType)
	t.dtype = tensor.DType(elem)
	t.dims = repeatedVarints(t.head, tensorDims)
	if err := gatherUnpacked(t); err != nil {
		return err
	}
	if loc, _ := lastVarint(t.head, tensorLocation); loc == locationExternal && d.files != nil {
		t.files = d.files
	}
	return nil
}

// gatherUnpacked takes elements that were written one field each out of the
// head and holds them packed.
func gatherUnpacked(t *Tensor) error {
	for _, num := range []protowire.Number{tensorFloatData, tensorInt32Data, tensorInt64Data, tensorDoubleData, tensorUint64Data} {
		var packed []byte
		for f := range fieldsOf(t.head) {
			if f.num == num {
				packed = append(packed, f.value...)
			}
		}
		if packed == nil {
			continue
		}
		if t.stored != 0 {
			return fmt.Errorf("tensor %q holds its elements twice, in fields %d and %d", t.name, t.stored, num)
		}
		t.stored, t.data = num, BytesPayload(packed)
		t.head = without(t.head, num)
	}
	return nil
}
