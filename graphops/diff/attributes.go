package diff

import (
	"cmp"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

const (
	// maxItems is the maximum number of items of a list or tensor in the text of a difference.
	maxItems = 16
	// maxText is the maximum number of bytes of a string in the text of a difference.
	maxText = 200
)

// attributePair is the attribute with one name on both nodes of a pair. One side is nil if that
// node does not have it.
type attributePair struct{ a, b *graphops.Attribute }

// attributePairs pairs the attributes of two nodes by name, in the order of n. In an invalid model
// several attributes may have the same name; these are paired in order.
func attributePairs(n, m *graphops.Node) []attributePair {
	as, bs := n.Attributes(), m.Attributes()
	keys := func(list []*graphops.Attribute) []keyed {
		out := make([]keyed, len(list))
		for i, a := range list {
			out[i] = keyed{int32(i), hashText(a.Name())}
		}
		return out
	}
	out, paired := make([]attributePair, len(as)), make([]bool, len(bs))
	for i, a := range as {
		out[i].a = a
	}
	alike(keys(as), keys(bs), false, func(i, j int32) { out[i].b, paired[j] = bs[j], true })
	for j, b := range bs {
		if !paired[j] {
			out = append(out, attributePair{b: b})
		}
	}
	return out
}

// compareAttributes adds the differences between the attributes of two nodes to change. An
// attribute counts as absent if it states its default, or what follows from the shape of a weight.
// This is counted in Notes.Defaults.
func (c *comparer) compareAttributes(p *PlaceMatch, i, j int, change *NodeChange) {
	n, m := p.A.Graph.Nodes()[i], p.B.Graph.Nodes()[j]
	done := c.compareShifts(p, i, j, change)
	for _, pair := range attributePairs(n, m) {
		a, b := pair.a, pair.b
		switch {
		case slices.Contains(done, cmp.Or(a, b).Name()):
			continue
		case a == nil || b == nil:
			c.compareAbsent(p, i, j, pair, change)
			continue
		case c.sameAttribute(p, i, j, pair):
		case c.saysNothing(p, i, j, pair):
			c.d.Notes.Defaults++
		default:
			change.add(Part{What: WhatAttribute, Name: a.Name(), Old: a.String(), New: b.String()})
		}
		if len(a.Graphs()) != len(b.Graphs()) {
			change.add(Part{What: WhatBody, Name: a.Name(), Old: graphCount(a), New: graphCount(b)})
		}
	}
}

// compareAbsent compares an attribute that only one node has with the default that applies to the
// other.
func (c *comparer) compareAbsent(p *PlaceMatch, i, j int, pair attributePair, change *NodeChange) {
	a, b := pair.a, pair.b
	n, m := p.A.Graph.Nodes()[i], p.B.Graph.Nodes()[j]
	inA, inB := c.m.la.schemaOf(p.A, n), c.m.lb.schemaOf(p.B, m)
	written, schema := a, inB // the schema of the node that leaves it out
	if a == nil {
		written, schema = b, inA
	}
	missing := schema
	if n.Calls() != m.Calls() { // that schema says nothing about it if the operators differ
		if schema, missing = inA, nil; a == nil {
			schema = inB
		}
	}
	implied := a != nil && p.a.isImplied(i, a) || b != nil && p.b.isImplied(j, b)
	if implied || isDefault(schema, written) || n.Calls() == m.Calls() && isNew(written, inA, inB) {
		c.d.Notes.Defaults++
		return
	}
	change.add(Part{
		What: WhatAttribute, Name: written.Name(),
		Old: orDefault(a, missing, written.Name()), New: orDefault(b, missing, written.Name()),
	})
}

// saysNothing reports whether each of two attributes equals the default in the other model's
// version of the operator. Both nodes then behave alike, although the values differ.
func (c *comparer) saysNothing(p *PlaceMatch, i, j int, pair attributePair) bool {
	n, m := p.A.Graph.Nodes()[i], p.B.Graph.Nodes()[j]
	if n.Calls() != m.Calls() {
		return false
	}
	return (p.a.isImplied(i, pair.a) || isDefault(c.m.lb.schemaOf(p.B, m), pair.a)) &&
		(p.b.isImplied(j, pair.b) || isDefault(c.m.la.schemaOf(p.A, n), pair.b))
}

// isNew reports whether an attribute equals its default in one version of the operator, and does
// not exist in the other version, which always behaves according to that default.
func isNew(written *graphops.Attribute, versions ...*opschema.Schema) bool {
	known, without := false, false
	for _, s := range versions {
		if s == nil {
			return false
		}
		if _, ok := s.Attribute(written.Name()); !ok {
			without = true
			continue
		}
		if known = isDefault(s, written); !known {
			return false
		}
	}
	return known && without
}

// orDefault returns an attribute as text. If a is nil, it returns the default that applies, or ""
// if there is no default.
func orDefault(a *graphops.Attribute, schema *opschema.Schema, name string) string {
	if a != nil {
		return a.String()
	}
	if schema != nil {
		if d, ok := schema.Attribute(name); ok && d.HasDefault() {
			return attributeOf(d).String() + " (default)"
		}
	}
	return ""
}

// sameAttribute reports whether two attributes are equal. If two tensors differ in their elements
// only, it reports true, and the difference becomes a Weight.
func (c *comparer) sameAttribute(p *PlaceMatch, i, j int, pair attributePair) bool {
	a, errA := pair.a.Load()
	b, errB := pair.b.Load()
	if errA != nil || errB != nil {
		c.unread(errA)
		c.unread(errB)
		return true
	}
	if !a.SameValue(b) {
		return false
	}
	if !slices.EqualFunc(a.SparseTensors(), b.SparseTensors(), sameForm) {
		return false
	}
	as, bs := attributeTensors(a), attributeTensors(b)
	if len(as) != len(bs) {
		return false
	}
	for k := range as {
		x, y := c.heads.dense(as[k], i), c.heads.dense(bs[k], j)
		if x.dtype != y.dtype || !slices.Equal(x.dims, y.dims) {
			return false
		}
		if x.full != y.full && x.isShort() && y.isShort() {
			return false
		}
		c.tensors(pairOfTensors{place: p, v: -1, w: -1, nodeA: i, nodeB: j, attribute: a.Name(), a: x, b: y})
	}
	return slices.EqualFunc(a.Types(), b.Types(), sameType)
}

// isShort reports whether the constant is small enough to show all its elements in a difference.
func (c *constant) isShort() bool {
	n, err := tensor.Elements(c.dims)
	return err == nil && n <= maxItems && c.whole && c.err == nil && c.dense != nil && c.bytes <= maxItems*maxText
}

// sameForm reports whether two sparse tensors have the same shape, and both or neither have values
// and indices.
func sameForm(x, y *graphops.SparseTensor) bool {
	return slices.Equal(x.Dims(), y.Dims()) && (x.Values() == nil) == (y.Values() == nil) && (x.Indices() == nil) == (y.Indices() == nil)
}

func attributeTensors(a *graphops.Attribute) []*graphops.Tensor {
	out := slices.Clone(a.Tensors())
	for _, s := range a.SparseTensors() {
		for _, t := range []*graphops.Tensor{s.Values(), s.Indices()} {
			if t != nil {
				out = append(out, t)
			}
		}
	}
	return out
}

func graphCount(a *graphops.Attribute) string {
	if n := len(a.Graphs()); n != 1 {
		return fmt.Sprintf("%d graphs", n)
	}
	return "1 graph"
}
