package quant

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// The opsets between which operators can be carried over. Before the first, sizes of
// factors were broadcast in another way; between those two defaults and meanings changed
// that no definition shows, as of Softmax; nothing is known of what comes after the last.
const (
	lowestRaised  = 6
	highestRaised = 11
	lowestLate    = 13
	highestLate   = 21
)

// RaiseOpset is a model that imports a later version of the standard operators, in
// which every node means the same: its operator has not changed, or takes what the
// node has and gives the same types, or has an attribute as an input. Where one has
// changed otherwise, the error names it. Content of functions, which have imports of
// their own, is left. added tells whether attributes became constants.
func RaiseOpset(ctx context.Context, m *graphops.Model, to int64) (raised *graphops.Model, added bool, err error) {
	from, ok := m.Opset(graphops.DefaultDomain)
	if !ok {
		return nil, false, fmt.Errorf("the model imports no version of the standard operators; opset_import must name one")
	}
	if from >= to {
		return m, false, nil
	}
	if early, late := from >= lowestRaised && to <= highestRaised, from >= lowestLate && to <= highestLate; !early && !late {
		return nil, false, fmt.Errorf("the model uses opset %d, expected %d; export it again with a later opset", from, to)
	}
	c := carrier{from: from, to: to, names: graphops.NamesOf(m), types: &typeSource{ctx: ctx, model: m}}
	m = m.EditPlaces(c.carry)
	if len(c.changed) > 0 {
		return nil, false, fmt.Errorf("the model uses opset %d, expected %d, and cannot be raised: between them the meaning of %s changed; export it again with a later opset",
			from, to, strings.Join(c.changed, ", "))
	}
	e := graphops.Edit(m)
	e.SetOpset(graphops.DefaultDomain, to)
	if len(c.added) > 0 {
		e.Initializers = append(e.Initializers, c.added...)
		e.SetIRVersion(max(m.IRVersion(), irInitializersAlone))
	}
	return e.Model(), len(c.added) > 0, nil
}

// carrier writes nodes anew for a later opset.
type carrier struct {
	from, to int64
	names    *graphops.Names
	types    *typeSource
	added    []*graphops.Tensor
	changed  []string // operators that cannot be carried over
}

func (c *carrier) carry(p *graphops.Place, e *graphops.GraphEditor) bool {
	if p.Function != nil {
		return false
	}
	any := false
	for i, n := range e.Nodes {
		if n.Domain() != graphops.DefaultDomain {
			continue
		}
		next, ok := c.node(p, n)
		if !ok && !slices.Contains(c.changed, n.OpType()) {
			c.changed = append(c.changed, n.OpType())
		}
		if ok && next != n {
			e.Nodes[i], any = next, true
		}
	}
	return any
}

// node is a node that means in the later opset what n means in the earlier one.
func (c *carrier) node(p *graphops.Place, n *graphops.Node) (*graphops.Node, bool) {
	before, known := opschema.Find(graphops.DefaultDomain, n.OpType(), c.from)
	after, ok := opschema.Find(graphops.DefaultDomain, n.OpType(), c.to)
	switch {
	case known && c.isResize(n):
		return c.resized(p, n)
	case !known || !ok:
		return nil, false
	case before.Since == after.Since:
		return n, true
	case after.Deprecated:
		return nil, false
	}
	if move, ok := movedAttributes[n.OpType()]; ok && len(n.Inputs()) == 1 {
		if n, ok = move(c, p, n); !ok {
			return nil, false
		}
	}
	if c.to > highestRaised {
		if n, ok = c.late(p, n, after); !ok {
			return nil, false
		}
	}
	if n, ok = withoutSettled(n, before, after); !ok {
		return nil, false
	}
	return n, takes(after, n) && sameTypes(p, before, after, n)
}

// settled are attributes that are gone, with the value of them that has become the
// only meaning.
var settled = map[string]int64{"is_test": 1, "spatial": 1}

// withoutSettled is the node without such attributes. One that is left out must have
// had that value by default.
func withoutSettled(n *graphops.Node, before, after *opschema.Schema) (*graphops.Node, bool) {
	attrs := slices.Clone(n.Attributes())
	for name, only := range settled {
		old, had := before.Attribute(name)
		if _, has := after.Attribute(name); has || !had {
			continue
		}
		value := old.Int()
		if a, ok := n.Attribute(name); ok {
			value = a.Int()
		}
		if value != only {
			return nil, false
		}
		attrs = slices.DeleteFunc(attrs, func(a *graphops.Attribute) bool { return a.Name() == name })
	}
	if n.OpType() == "Gemm" { // whose third factor is broadcast without being told
		attrs = slices.DeleteFunc(attrs, func(a *graphops.Attribute) bool { return a.Name() == "broadcast" })
	}
	if len(attrs) == len(n.Attributes()) {
		return n, true
	}
	return n.WithAttributes(attrs), true
}

// takes reports whether an operator has what the node has.
func takes(s *opschema.Schema, n *graphops.Node) bool {
	if len(n.Inputs()) < s.MinInputs || len(n.Inputs()) > s.MaxInputs {
		return false
	}
	return !slices.ContainsFunc(n.Attributes(), func(a *graphops.Attribute) bool {
		_, has := s.Attribute(a.Name())
		return !has
	})
}

// sameTypes reports whether inputs, and outputs that are wanted, may be of all types
// that they could be of.
func sameTypes(p *graphops.Place, before, after *opschema.Schema, n *graphops.Node) bool {
	for i, name := range n.Inputs() {
		old, known := before.Input(i)
		param, ok := after.Input(i)
		if name != "" && known && !(ok && allowsAll(param, old)) {
			return false
		}
	}
	for i, name := range n.Outputs() {
		old, known := before.Output(i)
		param, ok := after.Output(i)
		if wanted(p, name) && !(known && ok && allowsAll(param, old)) {
			return false
		}
	}
	return true
}

// wanted reports whether anything reads a value.
func wanted(p *graphops.Place, name string) bool {
	id, ok := p.Graph.Index().Value(name)
	return name != "" && ok && (p.Graph.Index().IsOutput(id) || len(p.Graph.Index().Readers(id)) > 0)
}

func allowsAll(p, old opschema.Param) bool {
	return !slices.ContainsFunc(old.Types(), func(t graphops.Type) bool { return !p.Allows(t) })
}
