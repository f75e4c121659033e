package values

import (
	"fmt"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
)

// RowTensor is one of the tensors that the pane can show for a row: an initializer that the row
// reads, a tensor in an attribute, or a value from a run. All texts are safe to print.
type RowTensor struct {
	TensorSource
	Run   *Run   // the run that computes or computed it; nil for a constant
	Role  string // what it is to the row, such as "input 1"
	Name  string
	Short string // type, shape, size
	Facts string
	Bytes int64
}

// Title implements shell.Dialog.
func (c *RowTensor) Title(several bool) string {
	switch {
	case c.Name == "":
		return c.Role
	case several:
		return c.Role + "  " + c.Name
	default:
		return c.Name + "  " + c.Role
	}
}

// NewRowTensor describes a constant without reading it.
func NewRowTensor(t *graphops.Tensor, role, name string) RowTensor {
	return describeTensor(Stored{t}, role, name)
}

func describeTensor(t TensorSource, role, name string) RowTensor {
	c := RowTensor{TensorSource: t, Role: role, Name: cells.Label(name)}
	c.Short = t.DType().String() + " " + tensor.FormatShape(t.Dims())
	c.Facts = c.Short
	if n, err := t.Elements(); err == nil && len(t.Dims()) != 0 {
		c.Facts += ", " + text.Count(n) + " element"
		if n != 1 {
			c.Facts += "s"
		}
	}
	if n, err := t.ByteLen(); err == nil {
		c.Bytes = n
		c.Short += "  " + text.Bytes(n)
		c.Facts += ", " + text.Bytes(n)
	}
	c.Facts += ", " + t.Where()
	return c
}

// whereStored says where the elements of a tensor are stored, safe to print.
func whereStored(t *graphops.Tensor) string {
	if t.IsExternal() {
		r, err := t.ExternalRange()
		if err != nil {
			return "in another file"
		}
		return cells.Label(r.Location) + " at " + text.Count(r.Offset)
	}
	if path, offset, ok := t.Stored(); ok {
		return cells.Label(filepath.Base(path)) + " at " + text.Count(offset)
	}
	return "in memory"
}

// gatherer collects the constants of a row. It may have to build an index of the graph, so it works
// in the background.
type gatherer struct {
	outline *graph.Outline
	found   []RowTensor
	seen    map[*graphops.Tensor]bool
}

// ConstantsOf returns the constants of a row: those it reads, then those in its attributes.
func ConstantsOf(o *graph.Outline, row int) []RowTensor {
	g := &gatherer{outline: o, seen: map[*graphops.Tensor]bool{}}
	n := o.Node(row)
	if n == nil {
		if p := o.Port(row); p.What != "" {
			g.value(p.What, p.Name)
		}
		return g.found
	}
	for i, name := range n.Inputs() {
		if name != "" {
			g.value(fmt.Sprintf("input %d", i), name)
		}
	}
	for _, name := range n.Captured() {
		g.value("read by its bodies", name)
	}
	g.attributes(n, "", n.IsConstant())
	return g.found
}

// value adds the constant with a name: an initializer, or the output of a Constant node. It looks
// in this place and then in the places around it. If the value is computed, nothing is added.
func (g *gatherer) value(role, name string) {
	for p := g.outline.Place; p != nil; p = p.Parent {
		x := p.Graph.Index()
		id, ok := x.Value(name)
		if !ok || !x.IsDefined(id) {
			continue
		}
		switch t, maker := x.Initializer(id), x.Producer(id); {
		case maker >= 0:
			if n := p.Graph.Nodes()[maker]; n.IsConstant() {
				g.attributes(n, role+", a Constant", true)
			}
		case t != nil:
			g.add(t, role, name)
		case x.IsInitializer(id):
			g.sparseOf(p.Graph, role, name)
		}
		return
	}
}

func (g *gatherer) sparseOf(in *graphops.Graph, role, name string) {
	for _, s := range in.SparseInitializers() {
		if s.Name() == name {
			g.sparse(s, role, name)
			return
		}
	}
}

// attributes adds the tensors in a node's attributes. If all is set, as for a Constant node, it
// adds numbers and lists as tensors too.
func (g *gatherer) attributes(n *graphops.Node, role string, all bool) {
	for _, a := range n.Attributes() {
		as, name := role, ""
		if as == "" {
			as = "attribute " + cells.Label(a.Name())
		} else if outs := n.Outputs(); len(outs) > 0 {
			name = outs[0]
		}
		switch s := a.Sparse(); {
		case s != nil:
			g.sparse(s, as, name)
		case len(a.Tensors()) > 0:
			for _, t := range a.Tensors() {
				g.add(t, as, name)
			}
		case all:
			if t, err := a.Dense(name); err == nil {
				g.add(t, as, name)
			}
		}
	}
}

func (g *gatherer) sparse(s *graphops.SparseTensor, role, name string) {
	much := "sparse"
	if of, err := weights.SparsityOf(s); err == nil {
		much = fmt.Sprintf("sparse %s, %s of %s elements stored", tensor.FormatShape(s.Dims()), text.Count(of.Stored), text.Count(of.Elements))
	}
	for _, half := range []struct {
		word string
		t    *graphops.Tensor
	}{{", its values", s.Values()}, {", their indices", s.Indices()}} {
		if half.t == nil {
			continue
		}
		if g.add(half.t, role+half.word, name) {
			c := &g.found[len(g.found)-1]
			c.Facts = much + "; " + c.Facts
		}
	}
}

func (g *gatherer) add(t *graphops.Tensor, role, name string) bool {
	if g.seen[t] {
		return false
	}
	g.seen[t] = true
	g.found = append(g.found, NewRowTensor(t, role, name))
	return true
}
