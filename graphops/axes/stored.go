package axes

import (
	"bytes"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// maxStored is the maximum number of bytes of a stored tensor that is read to find out whether its
// rows are equal.
const maxStored = 1 << 24

// plannedAxis plans to expand a stored tensor along an axis to the size of the freed axis. This is
// possible if the tensor has one row or all its rows are equal. Rows that differ are data, which
// cannot be continued.
func (c *changer) plannedAxis(m *mend, v *shape.Value) {
	m.how = "the stored tensor is expanded to the size of the axis"
	for _, g := range m.tags {
		if !stacks(c.node(m.edge), m.edge.Input) {
			m.why = fmt.Sprintf("weight %q has that size along axis %d", m.name, g.elem)
			return
		}
		if g.was == 1 {
			continue
		}
		if t := constantOf(m.edge.Place.Graph, m.name); t == nil || !equalRows(t, g.elem) {
			m.why = fmt.Sprintf("the %[2]d stored rows of %[1]q along axis %[3]d differ", m.name, g.was, g.elem)
			return
		}
		m.first = append(m.first, int64(g.elem))
		m.how = "the stored rows are equal, and the first is expanded to the size of the axis"
	}
	m.dims = v.Dims
	if m.why = c.cannotCompute(m.dims, m.edge.Place); len(m.first) > 0 && c.builder().opset < opsetSliceInputs {
		m.why = fmt.Sprintf("the operators of opset %d cannot select the first row of %q", c.builder().opset, m.name)
	}
}

// equalRows reports whether all rows along an axis of a stored tensor have the same bytes. It is
// false if the tensor is larger than maxStored.
func equalRows(t *graphops.Tensor, axis int) bool {
	dims := t.Dims()
	data, err := t.Data()
	if err != nil || data.Len() > maxStored || axis >= len(dims) || dims[axis] <= 0 {
		return false
	}
	b, err := data.Bytes()
	if err != nil {
		return false
	}
	groups := int64(1)
	for _, n := range dims[:axis] {
		groups *= n
	}
	if groups <= 0 || int64(len(b))%(groups*dims[axis]) != 0 {
		return false // types with less than a byte share a byte
	}
	row := int64(len(b)) / groups / dims[axis]
	if row == 0 {
		return true
	}
	for group := range slices.Chunk(b, int(row*dims[axis])) {
		for r := range slices.Chunk(group, int(row)) {
			if !bytes.Equal(r, group[:row]) {
				return false
			}
		}
	}
	return true
}

// expanded creates the nodes that expand a stored tensor to more rows, and returns the result's
// name.
func (b *builder) expanded(m *mend) string {
	name := m.name
	if len(m.first) > 0 {
		zeros, ones := make([]int64, len(m.first)), slices.Repeat([]int64{1}, len(m.first))
		name = b.node("Slice", m.name+"_row", []string{name, b.constant(zeros, "start"), b.constant(ones, "end"), b.constant(m.first, "axes")})
	}
	return b.node("Expand", m.name+"_expanded", []string{name, b.vector(m.dims, m.name+"_sizes")})
}

// opsetSliceInputs is the first opset in which a Slice has its range as inputs.
const opsetSliceInputs = 10
