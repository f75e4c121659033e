package edit

import (
	"context"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// checkTypes refuses what the operator does not take, and forgets the recorded
// types that a Cast may falsify.
func (e *insertion) checkTypes(ctx context.Context, typer graphops.Typer) error {
	if err := e.learn(ctx, typer); err != nil {
		return err
	}
	f := newFollower(e.model, e.place)
	changes := false
	for i := range e.points {
		at := &e.points[i]
		if err := e.checkOperator(at); err != nil {
			return err
		}
		if e.o.To == tensor.Undefined || at.was.Kind == graphops.TypeTensor && at.was.Elem == e.o.To {
			continue
		}
		changes = true
		for _, r := range at.readers {
			f.read(e.place, r, e.index.Name(at.value))
		}
		if at.atOutput {
			f.leave(e.place)
		}
	}
	if changes {
		e.forget(f, doubt{elem: true})
	}
	return nil
}

// learn finds the types of the values. Only a Cast asks the runtime: what an
// Identity makes has the type that was recorded, if any.
func (e *insertion) learn(ctx context.Context, typer graphops.Typer) error {
	if e.o.To == tensor.Undefined {
		typer = nil
	}
	var ids []graphops.ValueID
	for _, at := range e.points {
		ids = append(ids, at.value)
	}
	types, err := e.typesOf(ctx, typer, ids)
	if err != nil {
		return err
	}
	for i := range e.points {
		at := &e.points[i]
		at.was = types[at.value]
		at.is = at.was
		if e.o.To != tensor.Undefined {
			at.is = graphops.Type{Kind: graphops.TypeTensor, Elem: e.o.To, Shape: at.was.Shape}
		}
	}
	return nil
}

// checkOperator refuses what no version of the operator takes, or not that of
// the place.
func (e *insertion) checkOperator(at *point) error {
	value := typedName(e.index.Name(at.value), at.was)
	if e.o.To == tensor.Undefined {
		since, ok := identitySince(at.was)
		if !ok {
			return fmt.Errorf("value %s: no Identity takes %s", value, at.was)
		}
		return e.checkOpset("an Identity of "+value, since)
	}
	since, ok := castSince(e.o.To)
	if !ok {
		return fmt.Errorf("type %s: no Cast makes it", e.o.To)
	}
	if at.was.Kind != graphops.TypeUnknown {
		from, ok := castSince(at.was.Elem)
		if at.was.Kind != graphops.TypeTensor || !ok {
			return fmt.Errorf("value %s: no Cast takes %s", value, at.was)
		}
		since = max(since, from)
		if at.was.Elem == e.o.To {
			e.report.warn("%s is %s already: the Cast changes nothing", value, e.o.To)
		}
	}
	return e.checkOpset(fmt.Sprintf("a Cast of %s to %s", value, e.o.To), since)
}

// apply inserts one node.
func (e *insertion) apply(at point) {
	value := e.index.Name(at.value)
	if at.atOutput && !e.isFromAround(at.value) {
		input := e.fresh().Value(value + "_before_" + strings.ToLower(e.o.op()))
		e.add(at, input, value)
		e.makeUnder(at, input)
		return
	}
	output := e.fresh().Value(value + e.suffix())
	e.add(at, value, output)
	e.readInstead(at, output)
}

// add makes the new node and has it stand behind what makes the value.
func (e *insertion) add(at point, input, output string) {
	n := graphops.NodeSpec{Op: e.o.op(), Name: e.nodeName(e.index.Name(at.value)), Inputs: []string{input}, Outputs: []string{output}}
	what := n.Op + " of " + input
	if e.o.To != tensor.Undefined {
		n.Attributes = []*graphops.Attribute{graphops.IntAttribute("to", int64(e.o.To))}
		what += " to " + e.o.To.String()
	}
	e.insert(e.index.Producer(at.value), graphops.NewNode(n))
	e.report.changed("node", n.Name, "", what)
}

func (e *insertion) suffix() string {
	if e.o.To == tensor.Undefined {
		return "_identity"
	}
	return "_to_" + e.o.To.String()
}

func (e *insertion) nodeName(value string) string {
	if e.o.Name != "" {
		return e.o.Name
	}
	return e.fresh().Node(value + "_" + strings.ToLower(e.o.op()))
}

// isFromAround reports whether the place only reads a value, as its input or from
// around it: what makes it is not in the place and cannot be given another name.
func (e *insertion) isFromAround(id graphops.ValueID) bool {
	return !e.index.IsDefined(id) || e.index.IsInput(id)
}

// makeUnder gives a value another name and leaves its own to the new node's
// output, which the place's output and the readers of the point go on to mean.
func (e *insertion) makeUnder(at point, fresh string) {
	value := e.index.Name(at.value)
	e.next = graphops.EditGraph(e.next.Graph().Renamed(map[string]string{value: fresh}))
	back := map[string]string{fresh: value}
	for _, i := range at.readers {
		e.next.Nodes[i] = e.next.Nodes[i].Renamed(back)
	}
	for i, v := range e.next.Outputs {
		if v.Name() == fresh {
			e.next.Outputs[i] = v.WithName(value)
		}
	}
	e.report.changed("value", value, value, fresh)
	e.record(fresh, at.was)
	if e.o.To != tensor.Undefined {
		e.setOutputType(value, at.is)
		if at.was.String() != at.is.String() {
			e.report.changed("type", value, typeText(at.was), typeText(at.is))
		}
	}
}

// readInstead lets the readers of the point read the new value, and the place's
// output mean it where names of outputs do not matter.
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
	for i, v := range e.next.Outputs {
		if v.Name() == value {
			e.next.Outputs[i] = v.WithName(fresh)
		}
	}
	if e.o.To != tensor.Undefined {
		e.setOutputType(fresh, at.is)
	}
	e.report.changed("output", value, value, fresh)
}

// record adds what is known of a new value to value_info, unless it is there. A
// function that records no types stays valid for any.
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
