package graphops

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// limits are the sizes in bytes up to which parts of a file are read completely into memory.
type limits struct {
	// A node above this size contains a tensor or a body. It is read field by field.
	node int64
	// The elements of a tensor above this size may stay in the file.
	tensor int64
	// The numbers and strings of an attribute above this size stay in the file, such as decision
	// trees, vocabularies and compiled engines.
	attribute int64
	// The size of the first window of a cursor, and of the window after a skipped payload.
	window int
}

var fileLimits = limits{node: 64 << 10, tensor: 1 << 10, attribute: 64 << 10, window: 4 << 10}

// maxGraphDepth is the maximum nesting of bodies. Protobuf's own parsers stop at 100 nested
// messages, which is 33 bodies.
const maxGraphDepth = 64

// decoder decodes serialized messages into the structures of this package.
type decoder struct {
	files *externalFiles
	whole limits // used for files; data in memory is complete anyway
	depth int
	nodeSlab
}

// each calls f for every length-delimited field of the current message, with the field's number and
// length. f either consumes the field and returns true, or leaves it and returns false. All fields
// that f does not consume, including those that are not length-delimited, are appended to head.
func each(c *cursor, head *[]byte, f func(num protowire.Number, n int64) (taken bool, err error)) error {
	for c.more() {
		c.from = c.at()
		num, typ, err := c.tag()
		if err != nil {
			return err
		}
		if typ != protowire.BytesType {
			v, err := c.scalar(num, typ, 0)
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
	m := &Model{graph: &Graph{}, files: d.files, places: &places{}, imports: &imports{}, callees: &callees{}}
	err := each(c, &m.head, func(num protowire.Number, n int64) (bool, error) {
		switch num {
		case fieldnum.ModelGraph:
			m.hasGraph = true
			return true, wrap("graph", c.within(n, func() error { return d.graph(c, m.graph) }))
		case fieldnum.ModelFunction:
			f := &Function{graph: &Graph{}}
			m.functions = append(m.functions, f)
			return true, wrap("function", c.within(n, func() error { return d.function(c, f) }))
		case fieldnum.ModelTraining:
			m.training = append(m.training, c.payload(n))
			return true, nil
		case fieldnum.ModelOpsetImport, fieldnum.ModelMetadata:
			return false, c.check(n)
		}
		return false, nil
	})
	return m, err
}

// check verifies that the next n bytes are a well-formed message. The cursor stays in front of
// them.
func (c *cursor) check(n int64) error {
	if err := c.fill(int(n)); err != nil {
		return err
	}
	return checkFields(c.buf[c.pos : c.pos+int(n)])
}

// errTooDeep is the error for bodies that are nested too deep. It is reported without the path to
// the graph, because the path would have an entry for every level.
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
		case fieldnum.GraphNode:
			node, err := d.node(c, n)
			g.nodes = append(g.nodes, node)
			return true, wrapAt("node", len(g.nodes)-1, err)
		case fieldnum.GraphInitializer:
			t := &Tensor{}
			g.initializers = append(g.initializers, t)
			return true, wrapAt("initializer", len(g.initializers)-1, d.tensorOf(c, n, t))
		case fieldnum.GraphSparseInitializer:
			s := &SparseTensor{}
			g.sparse = append(g.sparse, s)
			return true, wrapAt("sparse initializer", len(g.sparse)-1, c.within(n, func() error { return d.sparse(c, s) }))
		case fieldnum.GraphInput:
			return true, d.value(c, n, &g.inputs, "input")
		case fieldnum.GraphOutput:
			return true, d.value(c, n, &g.outputs, "output")
		case fieldnum.GraphValueInfo:
			return true, d.value(c, n, &g.valueInfo, "value_info")
		case fieldnum.GraphMetadata:
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
			if num != fieldnum.ValueType {
				return nil
			}
			return checkType(v, 0)
		})
	}
	*list = append(*list, &ValueInfo{name: lastString(b, fieldnum.ValueName), head: b})
	return wrapAt(what, len(*list)-1, err)
}
