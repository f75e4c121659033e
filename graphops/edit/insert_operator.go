package edit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// planOperator determines the node that is inserted at each point, and the type of what it gives.
func (e *insertion) planOperator(ctx context.Context) error {
	n, err := e.operationOf(e.o.Operator, e.o.At, 1)
	if err != nil {
		return err
	}
	e.operation = n
	for i, o := range n.operands {
		if err := e.checkOperand(n, i, o); err != nil {
			return err
		}
	}
	e.nameConstants(n, e.index.Name(e.points[0].value)+"_"+strings.ToLower(n.Name))
	var nodes []*graphops.Node
	for i := range e.points {
		at := &e.points[i]
		name := e.index.Name(at.value)
		at.made = n
		for o := range n.minOutputs() {
			base := name + at.suffix()
			if o > 0 {
				base = fmt.Sprintf("%s_%d", base, o)
			}
			at.outputs = append(at.outputs, e.fresh().Value(base))
		}
		nodes = append(nodes, n.node("", []string{name}, at.outputs))
	}
	if err := e.checkOperandTypes(ctx); err != nil {
		return err
	}
	r, err := e.resultTypes(ctx, e.o.Typer, n, nodes)
	if err != nil {
		return err
	}
	for i := range e.points {
		if err := e.resultType(ctx, &e.points[i], r); err != nil {
			return err
		}
	}
	return nil
}

// checkOperand returns an error if the new node cannot read a value because that would depend on
// the new node.
func (e *insertion) checkOperand(n *operation, i int, o operand) error {
	id, ok := e.index.Value(o.name)
	if !ok || o.name == "" {
		return nil
	}
	for _, at := range e.points {
		if len(e.points) > 1 && at.value == id {
			return fmt.Errorf("input %s: %q is one of the values behind which nodes are inserted; insert them one by one", n.inputLabel(i), o.name)
		}
		if node := e.onTheWay(at.readers, e.index.Producer(id)); node >= 0 {
			return fmt.Errorf("input %s: %q depends on node %s, which is to read the new value; --before names the nodes that shall", n.inputLabel(i), o.name, nodeLabel(e.graph, node))
		}
	}
	return nil
}

// onTheWay returns the first of the nodes on which the node at position last depends, or which it
// is, and -1 if it depends on none.
func (e *edit) onTheWay(nodes []int, last int) int {
	if last < 0 || len(nodes) == 0 {
		return -1
	}
	first := map[int]bool{}
	for _, i := range nodes {
		first[i] = true
	}
	seen := map[int]bool{last: true}
	for pending := []int{last}; len(pending) > 0; {
		i := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if first[i] {
			return i
		}
		for _, id := range e.reads(i) {
			if p := e.index.Producer(id); p >= 0 && !seen[p] {
				seen[p] = true
				pending = append(pending, p)
			}
		}
	}
	return -1
}

// checkOperandTypes returns an error if the operator does not accept the type of an input.
func (e *insertion) checkOperandTypes(ctx context.Context) error {
	for _, at := range e.points {
		types, names, err := e.operandTypes(ctx, e.operation, []graphops.Type{e.typeAt(at)}, []string{e.index.Name(at.value)})
		if err == nil {
			err = e.operation.checkTypes(types, names)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// typeAt returns the type of the value at a point, inferred if the model does not declare it.
func (e *insertion) typeAt(at point) graphops.Type {
	if made, ok := e.made[at.value]; ok && at.was.Kind == graphops.TypeUnknown {
		return made
	}
	return at.was
}

// resultType sets the type of what the new node at a point gives.
func (e *insertion) resultType(ctx context.Context, at *point, r *results) error {
	name := e.index.Name(at.value)
	was := e.typeAt(*at)
	at.is = r.types[at.outputs[0]]
	if at.is.Kind == graphops.TypeUnknown {
		types, _, err := e.operandTypes(ctx, e.operation, []graphops.Type{was}, []string{name})
		if err != nil {
			return err
		}
		at.is = e.operation.outputElem(0, types)
	}
	if at.is.Kind == graphops.TypeTensor && was.Kind == graphops.TypeTensor && r.sameSizes(name, at.outputs[0]) {
		at.is.Shape = was.Shape
	}
	return nil
}

// checkOperation forgets the recorded types that the new nodes may make wrong, and then adds the
// constants that they read.
func (e *insertion) checkOperation() error {
	f := newFollower(e.model, e.place)
	c := constness{edit: e.edit, state: map[graphops.ValueID]constState{}}
	var all doubt
	for _, at := range e.points {
		d := e.doubtOf(at, &c)
		if !d.any() {
			continue
		}
		all = all.or(d)
		name := e.index.Name(at.value)
		for _, r := range at.readers {
			f.read(e.place, r, name)
		}
		if !at.atOutput {
			continue
		}
		f.leave(e.place, name)
		if !at.setsType() {
			f.only(e.place, name)
		}
	}
	if all.any() && !e.o.Keep {
		e.forget(f, all)
	}
	return e.makeConstants(e.operation)
}

// doubtOf returns which parts of the recorded types of values that depend on a point may be wrong.
func (e *insertion) doubtOf(at point, c *constness) doubt {
	was := e.typeAt(at)
	if was.Kind == graphops.TypeUnknown || at.is.Kind == graphops.TypeUnknown {
		return doubt{elem: true, outputs: at.is.Kind == graphops.TypeUnknown, shape: unlike}
	}
	d := doubt{elem: was.String() != at.is.String(), shape: compareShapes(was.Shape, at.is.Shape)}
	if was.Kind != graphops.TypeTensor && !d.elem {
		d.shape = alike
	}
	if was.Elem.Kind() == tensor.KindFloat && len(c.dataAmong([]graphops.ValueID{at.value})) > 0 {
		return d
	}
	// the value may determine shapes, and the new node changes it
	if d.shape == alike {
		d.shape = resized
	} else {
		d.shape = unlike
	}
	return d
}

// setsType reports whether the type of the value after the point is known and has to be recorded.
func (at point) setsType() bool {
	if at.made != nil {
		return at.is.Kind != graphops.TypeUnknown
	}
	return at.to != tensor.Undefined
}

// addOperation creates the new node of a point and inserts it after the nodes that produce what it
// reads.
func (e *insertion) addOperation(at point, input, output string) {
	value := e.index.Name(at.value)
	n := *at.made
	n.operands = slices.Clone(n.operands)
	behind := e.index.Producer(at.value)
	for i, o := range n.operands {
		if id, ok := e.index.Value(o.name); ok && o.name != "" {
			behind = max(behind, e.index.Producer(id))
		}
		if o.name == value {
			n.operands[i].name = input // the value may get another name
		}
	}
	outputs := slices.Clone(at.outputs)
	outputs[0] = output
	name := e.nodeName(at)
	e.insert(behind, n.node(name, []string{input}, outputs))
	e.report.changed("node", name, "", n.describe([]string{input}))
	if len(outputs) > 1 {
		e.report.warn("nothing reads %s of node %q yet: %s", counted(len(outputs)-1, "output"), name, graphops.QuoteNames(outputs[1:]))
	}
}

// sorted returns the model with the nodes of the edited place in executable order.
func (e *edit) sorted(m *graphops.Model) (*graphops.Model, error) {
	p := m.Places()[e.place.ID]
	g, err := p.Graph.Ordered()
	if err != nil || g == p.Graph {
		return m, err
	}
	return m.WithGraph(p, g), nil
}
