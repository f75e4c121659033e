package diff

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
)

// meaning is what an attribute of a node says, for people and for comparing: two meanings are the
// same if their keys are.
type meaning struct{ text, key string }

// meaningOf tells what an attribute of a node means in a version of its operator, also where the
// node leaves it out.
type meaningOf func(n versioned) meaning

// versioned is a node in the version of its operator that a model imports.
type versioned struct {
	node   *graphops.Node
	schema *opschema.Schema
	first  shape.Type // of its first input, as far as it can be inferred
}

// shift is a version of an operator from which on an attribute means something else, or another
// value holds without it.
type shift struct {
	op, attribute string
	since         int64
	before, after meaningOf
}

// shifts are those that the defaults in the schemas do not tell: an attribute that came or went
// while the behaviour without it changed, and one that means something else. What ONNX Runtime
// computes alike in all versions, as the windows of AveragePool, is none.
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

// compareShifts tells the attributes of two nodes apart whose meaning depends on the version, and
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

// at is what the attribute means to a node.
func (s shift) at(n versioned) meaning {
	if n.schema.Since < s.since {
		return s.before(n)
	}
	return s.after(n)
}

// compareDefaults tells of attributes that both nodes leave out and for which another value holds
// in each version.
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

// versions are two nodes of one standard operator, false unless their versions differ.
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

// integer is an attribute, or what holds without it; said is how that is written.
func (n versioned) integer(name string, without int64) (value int64, said string) {
	if a, ok := n.node.Attribute(name); ok && a.Kind() == graphops.AttrInt {
		return a.Int(), fmt.Sprint(a.Int())
	}
	return without, fmt.Sprintf("%d (default)", without)
}

// text is integer of an attribute that is a text.
func (n versioned) text(name, without string) (value, said string) {
	if a, ok := n.node.Attribute(name); ok && a.Kind() == graphops.AttrString {
		return a.Text(), fmt.Sprintf("%q", a.Text())
	}
	return without, fmt.Sprintf("%q (default)", without)
}

// flattened is the axis of a Softmax up to version 12, which works on all axes from that one on
// as if they were one.
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

// alone is the axis of a Softmax from version 13 on.
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

// axes is a key of those of some axes that can have more than one element.
func (n versioned) axes(from, to int64) string {
	var list []int64
	for axis := max(from, 0); axis < min(to, int64(len(n.first.Dims))); axis++ {
		if size, known := n.first.Dims[axis].Number(); !known || size != 1 {
			list = append(list, axis)
		}
	}
	return fmt.Sprint("axes ", list)
}

// renamed reads a text, some values of which have another name in other versions.
func renamed(name, without string, names map[string]string) meaningOf {
	return func(n versioned) meaning {
		value, said := n.text(name, without)
		if other, ok := names[value]; ok {
			value = other
		}
		return meaning{said, value}
	}
}

// fixed is what a version does that has no such attribute.
func fixed(value string) meaningOf {
	return func(versioned) meaning { return meaning{value + " (always)", value} }
}

// nearest is how a Resize rounds, which matters to its mode "nearest" alone. Where the version
// has no attribute it is always so.
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

// tests is whether a node works as in inference, which up to version 6 it had to be told.
func tests(n versioned) meaning {
	value, said := n.integer("is_test", 0)
	return meaning{said, fmt.Sprint(min(value, 1))}
}

// trainsByOutputs is whether a BatchNormalization works as in training before an attribute said so.
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

// axisKey is an axis counted from the first one, if the rank is known.
func (n versioned) axisKey(axis int64) string {
	if axis < 0 && n.first.Dims != nil {
		axis += int64(len(n.first.Dims))
	}
	return fmt.Sprint(axis)
}
