package diff

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
)

// meaning is what an attribute makes a node do: as text for the report, and as a key. Two meanings
// are the same if their keys are equal.
type meaning struct{ text, key string }

// meaningOf returns what an attribute of a node means in the node's version of the operator. It
// also covers a node without the attribute.
type meaningOf func(n versioned) meaning

// versioned is a node with the schema of the operator's version that applies to it.
type versioned struct {
	node   *graphops.Node
	schema *opschema.Schema
	first  shape.Type // inferred type of its first input, if known
}

// shift is a change of what an attribute means, or of its default, between two versions of an
// operator. before is the meaning in versions before since.
type shift struct {
	op, attribute string
	since         int64
	before, after meaningOf
}

// shifts lists the changes that cannot be derived from the defaults in the schemas. Either an
// attribute was added or removed and the default behaviour changed, or the meaning of its values
// changed. A change that ONNX Runtime ignores, because it computes all versions alike, is not
// included; an example are the windows of AveragePool.
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

// compareShifts compares, for two nodes of different versions, the attributes whose meaning or
// default differs between the versions. It returns the names of these attributes, which need no
// other comparison.
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

// compareDefaults reports the attributes that neither node has and whose defaults differ between
// the versions. It returns their names.
func (c *comparer) compareDefaults(a, b versioned, done []string, change *NodeChange) (more []string) {
	for _, d := range a.schema.Attributes {
		e, ok := b.schema.Attribute(d.Name)
		_, inA := a.node.Attribute(d.Name)
		_, inB := b.node.Attribute(d.Name)
		if !ok || inA || inB || !d.HasDefault() || !e.HasDefault() || slices.Contains(done, d.Name) || attributeOf(d).SameValue(attributeOf(e)) {
			continue
		}
		change.add(Part{What: WhatAttribute, Name: d.Name, Old: orDefault(nil, a.schema, d.Name), New: orDefault(nil, b.schema, d.Name)})
		more = append(more, d.Name)
	}
	return more
}

// versions returns two nodes with their schemas. ok is false unless both have the same standard
// operator in different versions.
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

// integer returns the value of an integer attribute, or the argument without if the node does not
// have it. said is the value as text for the report.
func (n versioned) integer(name string, without int64) (value int64, said string) {
	if a, ok := n.node.Attribute(name); ok && a.Kind() == graphops.AttrInt {
		return a.Int(), fmt.Sprint(a.Int())
	}
	return without, fmt.Sprintf("%d (default)", without)
}

// text is like integer, for a string attribute.
func (n versioned) text(name, without string) (value, said string) {
	if a, ok := n.node.Attribute(name); ok && a.Kind() == graphops.AttrString {
		return a.Text(), fmt.Sprintf("%q", a.Text())
	}
	return without, fmt.Sprintf("%q (default)", without)
}

// flattened is the meaning of axis in a Softmax before version 13: all axes from that one on are
// flattened into one.
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

// alone is the meaning of axis in a Softmax from version 13 on: only that axis counts.
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

// axes returns a key for the axes from up to but not including to, without axes of size 1, which
// make no difference.
func (n versioned) axes(from, to int64) string {
	var list []int64
	for axis := max(from, 0); axis < min(to, int64(len(n.first.Dims))); axis++ {
		if size, known := n.first.Dims[axis].Number(); !known || size != 1 {
			list = append(list, axis)
		}
	}
	return fmt.Sprint("axes ", list)
}

// renamed returns the meaning of a string attribute. names maps values that have another name in
// the newer version to that name.
func renamed(name, without string, names map[string]string) meaningOf {
	return func(n versioned) meaning {
		value, said := n.text(name, without)
		if other, ok := names[value]; ok {
			value = other
		}
		return meaning{said, value}
	}
}

// fixed returns the meaning of an attribute in a version that does not have it and always behaves
// as with the given value.
func fixed(value string) meaningOf {
	return func(versioned) meaning { return meaning{value + " (always)", value} }
}

// nearest returns the meaning of nearest_mode in a Resize, which only matters if mode is "nearest".
// If always is not "", the version does not have the attribute and always behaves in that way.
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

// tests is the meaning of is_test before version 7, where the default is training mode.
func tests(n versioned) meaning {
	value, said := n.integer("is_test", 0)
	return meaning{said, fmt.Sprint(min(value, 1))}
}

// trainsByOutputs is the meaning of training_mode in a BatchNormalization before version 14, in
// which the number of outputs determines whether the node is in training mode.
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

// transformed is the meaning of axis in a DFT before version 20, in which it became an input.
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

// axisKey returns a key for an axis. If the rank is known, a negative axis has the same key as the
// equivalent positive one.
func (n versioned) axisKey(axis int64) string {
	if axis < 0 && n.first.Dims != nil {
		axis += int64(len(n.first.Dims))
	}
	return fmt.Sprint(axis)
}
