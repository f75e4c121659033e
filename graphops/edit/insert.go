package edit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// InsertOptions say what is inserted and where: after the values in On, or around the nodes in
// Around.
type InsertOptions struct {
	// On lists values. After each of them a node is inserted.
	On []string
	// Around lists nodes that shall compute in the element type To. Casts are inserted before the
	// float values that they read from other nodes, and after those of their outputs that other
	// nodes read. It cannot be combined with On, Before or AtOutput.
	Around []string
	// To is the element type to which a Cast converts. If it is tensor.Undefined, an Identity is
	// inserted instead of a Cast.
	To tensor.DType
	// Operator is the operator to insert instead of a Cast or an Identity, if its name is not "".
	Operator Operator
	// At is the input of the operator that the value becomes: its position or name. If it is "", it
	// is the first that Operator leaves free.
	At string
	// Name is the name of the new node. It requires that On is one value. If it is "", a name is
	// made up.
	Name string
	// Before lists the nodes that shall read the output of the new node, by name or by # and
	// position. If it is empty, all readers of the value do, and if the value is an output of the
	// place, the new one replaces it.
	Before []string
	// AtOutput makes the new value the output of the place. Only the nodes in Before read it; other
	// readers still read the old value.
	AtOutput bool
	Typing
}

// Insert inserts an operator after values, or Casts around nodes. What read the value then reads the
// first output of the new node. An output of the graph keeps its name: the new node produces it, and
// the old value is renamed. Recorded types of values that depend on the new node may be wrong then;
// Typing says what happens to them.
func Insert(ctx context.Context, m *graphops.Model, p *graphops.Place, o InsertOptions) (*graphops.Model, *Report, error) {
	e := &insertion{edit: begin(m, p), o: o}
	if err := e.plan(ctx); err != nil {
		return nil, nil, err
	}
	changes, err := e.check()
	if err != nil {
		return nil, nil, err
	}
	for _, at := range e.points {
		e.apply(at)
	}
	next, report := e.finish()
	if e.operation != nil {
		if next, err = e.sorted(e.importFor(e.operation, next)); err != nil {
			return nil, nil, err
		}
	}
	if changes {
		t := trial{edit: e.edit, was: m, next: next}
		next, err = t.settle(ctx, o.Typing)
	}
	return next, report, err
}

// insertion is the state of one call of Insert.
type insertion struct {
	*edit
	o      InsertOptions
	inside []int // nodes with Casts around them, in graph order
	points []point
	// operation is what is inserted, unless it is a Cast or an Identity.
	operation *operation
}

// point is a value after which a node is inserted.
type point struct {
	value    graphops.ValueID
	readers  []int // those that read the new value
	atOutput bool  // the new value becomes the output of the place
	// back reports that the value is an output of the nodes in Around, and is cast back to its old
	// type.
	back    bool
	to      tensor.DType // of a Cast; Undefined means an Identity, unless made is set
	was, is graphops.Type
	// made is what is inserted instead of a Cast or an Identity, and outputs are the names that are
	// free for its outputs.
	made    *operation
	outputs []string
}

func (at point) op() string {
	if at.made != nil {
		return at.made.Name
	}
	if at.to == tensor.Undefined {
		return "Identity"
	}
	return "Cast"
}

func (at point) suffix() string {
	if at.made != nil {
		return "_" + strings.ToLower(at.made.Name)
	}
	if at.to == tensor.Undefined {
		return "_identity"
	}
	return "_to_" + at.to.String()
}

// keepsType reports whether the output of the new node has the same type as the value.
func (at point) keepsType() bool {
	return at.to == tensor.Undefined || at.was.Kind == graphops.TypeTensor && at.was.Elem == at.to
}

// plan determines the points at which nodes are inserted, and the types of their values.
func (e *insertion) plan(ctx context.Context) error {
	if len(e.o.Around) > 0 {
		return e.planAround(ctx)
	}
	if err := e.planOn(); err != nil {
		return err
	}
	if err := e.learn(ctx); err != nil || e.o.Operator.Name == "" {
		return err
	}
	return e.planOperator(ctx)
}

// planOn determines the points for the values in On. It returns an error if a node in Before reads
// none of the values.
func (e *insertion) planOn() error {
	before, err := e.nodes(e.o.Before)
	if err != nil {
		return err
	}
	for _, name := range e.o.On {
		id, err := e.index.Lookup("value", name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(e.points, func(at point) bool { return at.value == id }) {
			return fmt.Errorf("value %q: is named twice", name)
		}
		at, err := e.point(id, before)
		if err != nil {
			return err
		}
		e.points = append(e.points, at)
	}
	for _, i := range before {
		if !slices.ContainsFunc(e.points, func(at point) bool { return slices.Contains(at.readers, i) }) {
			return e.doesNotRead(i)
		}
	}
	return e.checkName()
}

func (e *insertion) checkName() error {
	if err := checkText(e.o.Name); err != nil {
		return fmt.Errorf("node name %w", err)
	}
	switch {
	case e.o.Name == "":
		return nil
	case len(e.points) > 1:
		return fmt.Errorf("node name %q: cannot be that of %d nodes; insert them one by one", e.o.Name, len(e.points))
	case e.fresh().HasNode(e.o.Name):
		return fmt.Errorf("node name %q: another node has that name; choose one that is free", e.o.Name)
	default:
		return nil
	}
}

// point returns the point for one value. before are the positions of the nodes in Before.
func (e *insertion) point(id graphops.ValueID, before []int) (point, error) {
	at := point{value: id, readers: e.readersLeft(id), atOutput: e.o.AtOutput, to: e.o.To}
	switch {
	case len(before) > 0:
		at.readers = slices.DeleteFunc(at.readers, func(i int) bool { return !slices.Contains(before, i) })
	case e.o.AtOutput:
		at.readers = nil
	default:
		at.atOutput = e.isOutput(id)
	}
	name := e.index.Name(id)
	switch {
	case at.atOutput && !e.isOutput(id):
		return at, fmt.Errorf("value %q: is not an output of %s; it is %s", name, e.where(), orNothing(e.need(id)))
	case at.atOutput && e.isPassedThrough(id):
		return e.besideOutput(at)
	case len(at.readers) == 0 && !at.atOutput && len(before) == 0:
		return at, fmt.Errorf("value %q: nothing reads it", name)
	default:
		return at, nil
	}
}

// besideOutput returns the point for a value that is an input as well as an output of the main
// graph. Both must keep the name, so the output stays as it is, and only the readers in the graph
// get the new value.
func (e *insertion) besideOutput(at point) (point, error) {
	name := e.index.Name(at.value)
	if e.o.AtOutput || len(at.readers) == 0 {
		return at, fmt.Errorf("value %q: is both an input and an output of the graph; one of them would need another name, but callers use both names", name)
	}
	at.atOutput = false
	e.report.warn("%q is also an output of the graph, which stays equal to the input", name)
	return at, nil
}

func orNothing(need string) string {
	if need == "" {
		return "read by nothing"
	}
	return need
}

// isPassedThrough reports whether a value is an input as well as an output of the main graph.
func (e *insertion) isPassedThrough(id graphops.ValueID) bool {
	return e.place.Kind == graphops.MainGraph && e.index.IsInput(id) && e.index.IsOutput(id)
}

// doesNotRead returns the error that node i reads none of the values in On.
func (e *insertion) doesNotRead(i int) error {
	var names, readers []string
	for _, at := range e.points {
		names = append(names, e.index.Name(at.value))
		readers = append(readers, orNothing(e.need(at.value)))
	}
	if len(names) == 1 {
		return fmt.Errorf("node %s: does not read %q, which is %s", nodeLabel(e.graph, i), names[0], readers[0])
	}
	return fmt.Errorf("node %s: reads none of %s", nodeLabel(e.graph, i), graphops.QuoteNames(names))
}
