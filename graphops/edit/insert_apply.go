package edit

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// apply inserts the node at one point.
func (e *insertion) apply(at point) {
	value := e.index.Name(at.value)
	if at.back || at.atOutput && !e.isFromAround(at.value) {
		input := e.fresh().Value(value + "_before_" + strings.ToLower(at.op()))
		e.add(at, input, value)
		e.makeUnder(at, input)
		return
	}
	output := ""
	if at.made != nil {
		output = at.outputs[0]
	} else {
		output = e.fresh().Value(value + at.suffix())
	}
	e.add(at, value, output)
	e.readInstead(at, output)
}

// add creates the new node and inserts it after the node that produces the value.
func (e *insertion) add(at point, input, output string) {
	if at.made != nil {
		e.addOperation(at, input, output)
		return
	}
	n := graphops.NodeSpec{Op: at.op(), Name: e.nodeName(at), Inputs: []string{input}, Outputs: []string{output}}
	what := n.Op + " of " + input
	if at.to != tensor.Undefined {
		n.Attributes = []*graphops.Attribute{graphops.IntAttribute("to", int64(at.to))}
		what += " to " + at.to.String()
	}
	e.insert(e.index.Producer(at.value), graphops.NewNode(n))
	e.report.changed("node", n.Name, "", what)
}

func (e *insertion) nodeName(at point) string {
	if e.o.Name != "" {
		return e.o.Name
	}
	return e.fresh().Node(e.index.Name(at.value) + "_" + strings.ToLower(at.op()))
}

// isFromAround reports whether the value is an input of the place, or captured from an enclosing
// one. Such a value cannot be renamed here, because others determine its name.
func (e *insertion) isFromAround(id graphops.ValueID) bool {
	return !e.index.IsDefined(id) || e.index.IsInput(id)
}

// makeUnder renames the value to fresh and lets the new node produce the old name. The output of
// the place and the readers of the point then get the output of the new node without a change.
func (e *insertion) makeUnder(at point, fresh string) {
	value := e.index.Name(at.value)
	e.next = graphops.EditGraph(e.next.Graph().Renamed(map[string]string{value: fresh}))
	back := map[string]string{fresh: value}
	for _, i := range at.readers {
		e.next.Nodes[i] = e.next.Nodes[i].Renamed(back)
	}
	rename(e.next.Outputs, fresh, value)
	e.report.changed("value", value, value, fresh)
	if at.back {
		rename(e.next.ValueInfo, fresh, value)
		return
	}
	e.record(fresh, at.was)
	if at.setsType() {
		e.setOutputType(value, at.is)
		if at.was.String() != at.is.String() || at.made != nil && typeText(at.was) != typeText(at.is) {
			e.report.changed("type", value, typeText(at.was), typeText(at.is))
		}
	}
}

// rename gives the entries called from the name to.
func rename(list []*graphops.ValueInfo, from, to string) {
	for i, v := range list {
		if v.Name() == from {
			list[i] = v.WithName(to)
		}
	}
}

// readInstead lets the readers of the point read the value fresh, which the new node produces. If
// it is the output of the place too, the output gets that name.
func (e *insertion) readInstead(at point, fresh string) {
	value := e.index.Name(at.value)
	for _, i := range at.readers {
		e.next.Nodes[i] = e.next.Nodes[i].Renamed(map[string]string{value: fresh})
		e.report.changed("node input", nodeName(e.graph, i), value, fresh)
	}
	if !at.atOutput {
		e.record(fresh, at.is)
		return
	}
	rename(e.next.Outputs, value, fresh)
	if at.setsType() {
		e.setOutputType(fresh, at.is)
	}
	e.report.changed("output", value, value, fresh)
}

// record adds the type of a new value to value_info if it has no entry. A function whose value_info
// is empty gets none, because it is valid for any types.
func (e *insertion) record(name string, t graphops.Type) {
	if t.Kind == graphops.TypeUnknown || e.place.Kind == graphops.FunctionBody && len(e.next.ValueInfo) == 0 {
		return
	}
	for _, v := range e.next.ValueInfo {
		if v.Name() == name {
			return
		}
	}
	e.next.ValueInfo = append(e.next.ValueInfo, graphops.NewValueInfo(name, t))
}
