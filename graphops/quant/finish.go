package quant

import (
	"slices"

	"lathe/graphops"
)

// finish puts the emitted nodes in order and drops what nothing reads any more.
func (d *dynamic) finish() (*graphops.Model, error) {
	e := graphops.Edit(d.model)
	read := d.readNames()
	e.Nodes = slices.DeleteFunc(d.nodes, func(n *graphops.Node) bool { return d.replaced(n, read) })
	e.Initializers = slices.DeleteFunc(e.Initializers, func(t *graphops.Tensor) bool {
		return !read[t.Name()] || d.dequantized[t.Name()]
	})
	kept := map[string]bool{}
	for _, t := range e.Initializers {
		kept[t.Name()] = true
	}
	e.Inputs = slices.DeleteFunc(e.Inputs, func(v *graphops.ValueInfo) bool {
		return d.initializer(v.Name()) != nil && !kept[v.Name()]
	})
	d.warnAboutSources(e)
	if len(d.added) > 0 && d.model.IRVersion() < irInitializersAlone {
		d.report.depart(RaisedIRVersion)
		e.SetIRVersion(irInitializersAlone)
	}
	e.Initializers = append(e.Initializers, d.added...)
	e.ValueInfo = d.describing(e)
	if d.names.Collided() {
		d.report.depart(NameCollision)
	}
	return ordered(e.Model())
}

// warnAboutSources tells of constants that are larger than before, and of those
// that can no longer be replaced from outside.
func (d *dynamic) warnAboutSources(e *graphops.Editor) {
	for _, t := range e.Initializers {
		if size, ok := d.sources[t.Name()]; ok {
			d.warn("weight %q stays in float32 besides, %d bytes: a body or another node reads it", t.Name(), size)
		}
	}
	if d.model.IRVersion() < irInitializersAlone {
		return // every initializer has to be an input there
	}
	for _, v := range d.graph.Inputs() {
		if _, ok := d.sources[v.Name()]; ok && !slices.Contains(e.Inputs, v) {
			d.warn("input %q is gone: its default is a weight that is quantized now", v.Name())
		}
	}
}

// readNames are the names that emitted nodes, their bodies and the outputs read.
func (d *dynamic) readNames() map[string]bool {
	read := map[string]bool{}
	for _, n := range d.nodes {
		for _, list := range [][]string{n.Inputs(), n.Captured()} {
			for _, name := range list {
				read[name] = true
			}
		}
	}
	for _, v := range d.graph.Outputs() {
		read[v.Name()] = true
	}
	return read
}

// replaced reports whether a node is a Constant whose value was quantized and
// is not needed as it was.
func (d *dynamic) replaced(n *graphops.Node, read map[string]bool) bool {
	if constantOf(n) == nil {
		return false
	}
	name := n.Outputs()[0]
	_, quantized := d.values[name]
	_, transposed := d.transposes[name]
	return d.dequantized[name] || (quantized || transposed) && !read[name]
}

// describing are the entries of value_info for values that are still there.
func (d *dynamic) describing(e *graphops.Editor) []*graphops.ValueInfo {
	there := map[string]bool{}
	for _, n := range e.Nodes {
		for _, name := range n.Outputs() {
			there[name] = true
		}
	}
	for _, t := range e.Initializers {
		there[t.Name()] = true
	}
	for _, s := range e.Sparse {
		there[s.Name()] = true
	}
	for _, v := range e.Inputs {
		there[v.Name()] = true
	}
	return slices.DeleteFunc(e.ValueInfo, func(v *graphops.ValueInfo) bool { return !there[v.Name()] })
}

// ordered is the model with the nodes of its main graph in order: what
// dequantizes a constant stands before its first reader, but was emitted before
// the first one after the constant was quantized.
func ordered(m *graphops.Model) (*graphops.Model, error) {
	order, err := m.Graph().Order()
	if err != nil || slices.IsSorted(order) {
		return m, err
	}
	e := graphops.Edit(m)
	for at, i := range order {
		e.Nodes[at] = m.Graph().Nodes()[i]
	}
	return e.Model(), nil
}
