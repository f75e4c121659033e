package diff

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
)

// meaning is what an attribute of a node means, as text and as a key: two meanings are the same if
// their keys are equal.
type meaning struct{ text, key string }

// meaningOf returns what an attribute of a node means in a version of its operator, including when
// the node leaves it out.
type meaningOf func(n versioned) meaning

// versioned is a node with the version of its operator that the model imports.
type versioned struct {
	node   *graphops.Node
	schema *opschema.Schema
	first  shape.Type // inferred type of its first input, if known
}

// shift is a version of an operator from which an attribute has another meaning or default.
type shift struct {
	op, attribute string
	since         int64
	before, after meaningOf
}

// shifts has those that do not follow from the defaults in the schemas: an attribute that was added
// or removed while the behaviour without it changed, and an attribute whose meaning changed.
// Changes that ONNX Runtime computes in the same way in all versions, such as the windows of
// AveragePool, are not included.
var shifts = []shift{
	{"Softmax", "axis", 13, flattened, alone},
	{"LogSoftmax", "axis", 13, flattened, alone},
	{"Hardmax", "axis", 13, flattened, alone},
	{"GridSample", "mode", 20, renamed("mode", "bilinear", map[string]string{"bilinear": "linear", "bicubic": "cubic"}), renamed("mode", "linear", nil)},
	{"Resize", "coordinate_transformation_mode", 11, fixed("asymmetric"), renamed("coordinate_transformation_mode", "half_pixel", nil)},
	{"Resize", "nearest_mode", 11, nearest("floor"), nearest("")},
	{"RoiAlign", "coordinate_transformation_mode", 16, fixed("output_half_pixel"), renamed("coordinate_transformation_mode", "half_pixel", nil)},
	{"Dropout", "is_test", 7, tests, fixed("1")},
	{"BatchNormalization", "is_test", 7, tests, fixed("1")},
	{"BatchNormalization", "training_mode", 14, trainsByOutputs, trains},
	{"DFT", "axis", 20, transformed, transformedByInput},
	{"GRU", "direction", 3, renamed("direction", "forward", nil), renamed("direction", "forward", nil)},
}

// compareShifts compares the attributes of two nodes whose meaning depends on the version, and
// returns their names.
func (c *comparer) compareShifts(p *PlaceMatch, i, j int, change *NodeChange) (done []string) {
	a, b, ok := c.versions(p, i, j)
	if !ok {
		return nil
	}
	for _, s := range shifts {
		inA, inB := a.schema.Since < s.since, b.schema.Since < s.since
		if s.op != a.node.OpType() || inA == inB || isRef(a.node, s.attribute) || isRef(b.node, s.attribute) {
			continue
		}
		a.first, b.first = c.m.la.firstInput(c.ctx, p.A, a.node), c.m.lb.firstInput(c.ctx, p.B, b.node)
		x, y := s.at(a), s.at(b)
		if done = append(done, s.attribute); x.key != y.key {
			change.add(Part{What: WhatAttribute, Name: s.attribute, Old: x.text, New: y.text})
		} else if x.text != y.text {
			c.d.Notes.Defaults++
		}
	}
	return append(done, c.compareDefaults(a, b, done, change)...)
}

// at returns what the attribute means for a node.
func (s shift) at(n versioned) meaning {
	if n.schema.Since < s.since {
		return s.before(n)
	}
	return s.after(n)
}

// compareDefaults reports attributes that both nodes leave out and whose defaults differ between
// the versions.
func (c *comparer) compareDefaults(a, b versioned, done []string, change *NodeChange) (more []string) {
	for _, d := range a.schema.Attributes {
		e, ok := b.schema.Attribute(d.Name)
		_, inA := a.node.Attribute(d.Name)
		_, inB := b.node.Attribute(d.Name)
		if !ok || inA || inB || !d.HasDefault() || !e.HasDefault() || slices.Contains(done, d.Name) || sameValue(attributeOf(d), attributeOf(e)) {
			continue
		}
		change.add(Part{What: WhatAttribute, Name: d.Name, Old: orDefault(nil, a.schema, d.Name), New: orDefault(nil, b.schema, d.Name)})
		more = append(more, d.Name)
	}
	return more
}

// versions returns two nodes of the same standard operator; false unless their versions differ.
func (c *comparer) versions(p *PlaceMatch, i, j int) (a, b versioned, ok bool) {
	a.node, b.node = p.A.Graph.Nodes()[i], p.B.Graph.Nodes()[j]
	a.schema, b.schema = c.m.la.schemaOf(p.A, a.node), c.m.lb.schemaOf(p.B, b.node)
	ok = a.node.Calls() == b.node.Calls() && a.schema != nil && b.schema != nil && a.schema.Since != b.schema.Since
	return a, b, ok && c.m.la.functions[a.node.Calls()] == nil && c.m.lb.functions[b.node.Calls()] == nil
}

func isRef(n *graphops.Node, name string) bool {
	a, ok := n.Attribute(name)
	return ok && a.RefName() != ""
}

// integer returns the value of an attribute or its default; said is its text.
func (n versioned) integer(name string, without int64) (value int64, said string) {
	if a, ok := n.node.Attribute(name); ok && a.Kind() == graphops.AttrInt {
		return a.Int(), fmt.Sprint(a.Int())
	}
	return without, fmt.Sprintf("%d (default)", without)
}

// text is like integer, for a text attribute.
func (n versioned) text(name, without string) (value, said string) {
	if a, ok := n.node.Attribute(name); ok && a.Kind() == graphops.AttrString {
		return a.Text(), fmt.Sprintf("%q", a.Text())
	}
	return without, fmt.Sprintf("%q (default)", without)
}

// flattened is the meaning of a Softmax axis up to version 12: it works on all axes from the given
// one on together.
func flattened(n versioned) meaning {
	axis, said := n.integer("axis", 1)
	m := meaning{said + ", flattened with all axes behind it", fmt.Sprintf("from %d", axis)}
	if rank := int64(len(n.first.Dims)); n.first.Dims != nil {
		from := axis
		if from < 0 {
			from += rank
		}
		m.key = n.axes(from, rank)
	} else if axis == -1 {
		m.key = "axis -1"
	}
	return m
}

// alone is the meaning of a Softmax axis from version 13 on.
func alone(n versioned) meaning {
	axis, said := n.integer("axis", -1)
	m := meaning{said + ", that axis alone", fmt.Sprintf("axis %d", axis)}
	if rank := int64(len(n.first.Dims)); n.first.Dims != nil {
		if axis < 0 {
			axis += rank
		}
		m.key = n.axes(axis, axis+1)
	}
	return m
}

// axes returns a key of those of some axes that can have more than one element.
func (n versioned) axes(from, to int64) string {
	var list []int64
	for axis := max(from, 0); axis < min(to, int64(len(n.first.Dims))); axis++ {
		if size, known := n.first.Dims[axis].Number(); !known || size != 1 {
			list = append(list, axis)
		}
	}
	return fmt.Sprint("axes ", list)
}

// renamed returns the meaning of a text attribute some of whose values have other names in other
// versions.
func renamed(name, without string, names map[string]string) meaningOf {
	return func(n versioned) meaning {
		value, said := n.text(name, without)
		if other, ok := names[value]; ok {
			value = other
		}
		return meaning{said, value}
	}
}

// fixed returns the behaviour of a version without the attribute.
func fixed(value string) meaningOf {
	return func(versioned) meaning { return meaning{value + " (always)", value} }
}

// nearest is the meaning of how a Resize rounds, which matters only in mode "nearest". always is
// the behaviour of a version without the attribute.
func nearest(always string) meaningOf {
	return func(n versioned) meaning {
		if mode, _ := n.text("mode", "nearest"); mode != "nearest" {
			return meaning{}
		}
		if always != "" {
			return fixed(always)(n)
		}
		return renamed("nearest_mode", "round_prefer_floor", nil)(n)
	}
}

// tests says whether a node works in inference mode, which up to version 6 had to be stated.
func tests(n versioned) meaning {
	value, said := n.integer("is_test", 0)
	return meaning{said, fmt.Sprint(min(value, 1))}
}

// trainsByOutputs says whether a BatchNormalization works in training mode, before there was an
// attribute for it.
func trainsByOutputs(n versioned) meaning {
	if len(n.node.Outputs()) > 1 {
		return meaning{"1 (as it has several outputs)", "1"}
	}
	return meaning{"0 (as it has one output)", "0"}
}

func trains(n versioned) meaning {
	value, said := n.integer("training_mode", 0)
	return meaning{said, fmt.Sprint(value)}
}

// transformed is the axis of a DFT before it became an input.
func transformed(n versioned) meaning {
	axis, said := n.integer("axis", 1)
	return meaning{said, n.axisKey(axis)}
}

func transformedByInput(n versioned) meaning {
	if inputs := n.node.Inputs(); len(inputs) > 2 && inputs[2] != "" {
		return meaning{"an input", "an input"}
	}
	return meaning{"-2 (default)", n.axisKey(-2)}
}

// axisKey returns an axis counted from the first one if the rank is known.
func (n versioned) axisKey(axis int64) string {
	if axis < 0 && n.first.Dims != nil {
		axis += int64(len(n.first.Dims))
	}
	return fmt.Sprint(axis)
}
