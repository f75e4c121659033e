package edit

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
)

// ValueType is the name of a value and the type to declare for it.
type ValueType struct {
	Name string
	Type graphops.Type
}

// AnnotateOptions say for which values a type is declared (Types), and of which it is removed
// (Clear). Infer declares the inferred types of all other values that nodes make.
type AnnotateOptions struct {
	Types []ValueType
	Clear []string
	Infer bool
	Typing
}

// Annotate declares types of inputs, outputs and other values of a place. It returns an error if a
// type contradicts a constant or what a runtime infers. If an input accepts other values than
// before, recorded types of values that depend on it may be wrong; Typing says what happens to
// them.
func Annotate(ctx context.Context, m *graphops.Model, p *graphops.Place, o AnnotateOptions) (*graphops.Model, *Report, error) {
	e := &annotation{edit: begin(m, p), types: map[string]graphops.Type{}, claims: map[string]graphops.Type{}}
	e.report.NodesAfter = e.report.NodesBefore
	for _, v := range o.Types {
		if err := e.declare(v); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range o.Clear {
		if err := e.clear(name); err != nil {
			return nil, nil, err
		}
	}
	if o.Infer {
		if err := e.declareInferred(ctx); err != nil {
			return nil, nil, err
		}
	}
	if len(e.report.Changes) == 0 {
		return m, e.report, nil
	}
	if e.doubts.any() && !o.Keep {
		f := newFollower(m, p)
		f.values(p, e.opened)
		e.forget(f, e.doubts)
	}
	e.write()
	next, err := e.checked(ctx, m, e.model.WithGraph(e.place, e.next.Graph()), o.Typing)
	if err != nil {
		return nil, nil, err
	}
	e.warnSymbols(next)
	return next, e.report, nil
}

// annotation is the state of one call of Annotate.
type annotation struct {
	*edit
	types  map[string]graphops.Type // to declare; unknown to clear
	order  []string                 // of the names in types
	claims map[string]graphops.Type // for values that nodes produce
	inputs []string                 // inputs of the main graph that change
	opened []string                 // those that accept other values than before
	doubts doubt                    // about the types of values that depend on them
}

// declare checks the type to declare for one value, and records it.
func (e *annotation) declare(v ValueType) error {
	id, err := e.own(v.Name)
	if err != nil {
		return err
	}
	if err := checkSymbols(v.Type); err != nil {
		return fmt.Errorf("value %q: symbol %w", v.Name, err)
	}
	known, old := e.constant(id), e.declared(v.Name)
	switch {
	case v.Type.Shape == nil && e.rules(id):
		return e.needsShape(v.Name)
	case v.Type.Kind == graphops.TypeUnknown || v.Type.Kind == graphops.TypeOpaque:
		return fmt.Errorf("value %q: an unknown type declares nothing; --remove takes a type away", v.Name)
	case contradicts(v.Type, known):
		return fmt.Errorf("value %q: is a constant of type %s, which is not %s", v.Name, typeText(known), typeText(v.Type))
	}
	if err := e.note(v.Name, old, v.Type); err != nil || old.Declaration() == v.Type.Declaration() {
		return err
	}
	if e.index.Producer(id) >= 0 {
		e.claims[v.Name] = v.Type
	}
	if e.index.IsInput(id) && e.place.Kind == graphops.MainGraph {
		e.noteInput(v.Name, old, v.Type)
	}
	return nil
}

func checkSymbols(t graphops.Type) error {
	for part := &t; part != nil; part = part.Of {
		for _, d := range part.Shape {
			if err := checkText(d.Symbol); err != nil {
				return err
			}
		}
	}
	return nil
}

// note records the type to declare for a value. It returns an error if the value has one already.
func (e *annotation) note(name string, old, to graphops.Type) error {
	if _, twice := e.types[name]; twice {
		return fmt.Errorf("value %q: is named twice", name)
	}
	e.types[name] = to
	e.order = append(e.order, name)
	if old.Declaration() == to.Declaration() {
		return nil
	}
	from, into := typeOrNone(old), typeOrNone(to)
	if from == into { // one expression in two forms
		from, into = old.Declaration(), to.Declaration()
	}
	e.report.changed("type", name, from, into)
	return nil
}

// typeOrNone returns a type as text for the report; "" for an unknown type.
func typeOrNone(t graphops.Type) string {
	if t.Kind == graphops.TypeUnknown {
		return ""
	}
	return typeText(t)
}

// clear records that the declared type of a value is removed.
func (e *annotation) clear(name string) error {
	id, err := e.own(name)
	if err != nil {
		return err
	}
	main := e.place.Kind == graphops.MainGraph
	if e.rules(id) {
		return e.needsShape(name)
	}
	if main && e.index.IsInput(id) {
		return fmt.Errorf("value %q: is an input, and no runtime accepts an input without a type", name)
	}
	if main && e.index.IsOutput(id) {
		e.report.warn("output %q: runtimes infer its type if none is declared, but onnx.checker requires one", name)
	}
	return e.note(name, e.declared(name), graphops.Type{})
}

// rules reports whether the value is the iteration number or the condition in the body of a Loop.
// ONNX Runtime requires a shape for these.
func (e *annotation) rules(id graphops.ValueID) bool {
	if !e.index.IsInput(id) || e.place.Kind != graphops.BodyGraph {
		return false
	}
	holder, at := e.place.Holder(), slices.Index(graphops.ValueNames(e.graph.Inputs()), e.index.Name(id))
	return holder.Is("Loop") && at < 2
}

func (e *annotation) needsShape(name string) error {
	return fmt.Errorf("value %q: is the iteration number or the condition of a Loop, for which ONNX Runtime requires a shape; [] is that of a scalar", name)
}

// own returns the value with the given name. It returns an error if the place does not define it
// itself.
func (e *annotation) own(name string) (graphops.ValueID, error) {
	id, err := e.index.Lookup("value", name)
	if err == nil && !e.index.IsDefined(id) {
		err = fmt.Errorf("value %q: is defined outside %q; declare its type where it is defined", name, e.place)
	}
	return id, err
}

// constant returns the type of the value if it is a constant; otherwise the unknown type.
func (e *annotation) constant(id graphops.ValueID) graphops.Type {
	if t := e.index.Initializer(id); t != nil {
		return typeOf(t)
	}
	if e.index.IsInitializer(id) {
		return sparseType(e.graph, e.index.Name(id))
	}
	i := e.index.Producer(id)
	if i < 0 || !e.graph.Nodes()[i].IsConstant() {
		return graphops.Type{}
	}
	a, why := constantOf(e.graph.Nodes()[i])
	if why != "" || a.Sparse() != nil {
		return graphops.Type{}
	}
	t, err := a.Dense(e.index.Name(id))
	if err != nil {
		return graphops.Type{}
	}
	return typeOf(t)
}

// declared returns the type that the place declares for a value; the unknown type if it declares
// none.
func (e *annotation) declared(name string) graphops.Type {
	for _, list := range [][]*graphops.ValueInfo{e.graph.Inputs(), e.graph.Outputs(), e.graph.ValueInfo()} {
		for _, v := range list {
			if t := v.Type(); v.Name() == name && t.Kind != graphops.TypeUnknown {
				return t
			}
		}
	}
	return graphops.Type{}
}

// write writes the types into the inputs, outputs and value_info that list the values. For a value
// that is not listed, it adds an entry to value_info. In a function, only value_info has types.
func (e *annotation) write() {
	lists := [][]*graphops.ValueInfo{e.next.Inputs, e.next.Outputs, e.next.ValueInfo}
	if e.place.Kind == graphops.FunctionBody {
		lists = lists[2:]
	}
	listed := map[string]bool{}
	for _, list := range lists {
		for i, v := range list {
			if t, ok := e.types[v.Name()]; ok {
				list[i], listed[v.Name()] = v.WithType(t), true
			}
		}
	}
	e.next.ValueInfo = slices.DeleteFunc(e.next.ValueInfo, func(v *graphops.ValueInfo) bool {
		t, ok := e.types[v.Name()]
		return ok && t.Kind == graphops.TypeUnknown && v.Doc() == "" && len(v.Metadata()) == 0
	})
	for _, name := range e.order {
		if t := e.types[name]; t.Kind != graphops.TypeUnknown && !listed[name] {
			e.next.ValueInfo = append(e.next.ValueInfo, graphops.NewValueInfo(name, t))
		}
	}
}

// checked compares the declared types with those that a runtime infers, and returns the model.
func (e *annotation) checked(ctx context.Context, was, next *graphops.Model, o Typing) (*graphops.Model, error) {
	t := trial{edit: e.edit, was: was, next: next, claims: e.claims}
	switch {
	case e.place.Kind != graphops.MainGraph && len(e.claims) > 0:
		e.report.warn("not compared with what a runtime infers, because it tells no types inside %q", e.place)
		t.claims = nil
	case e.place.Kind == graphops.MainGraph && len(e.claims)+len(e.inputs) == 0:
		return next, nil // nothing that affects a run
	}
	return t.settle(ctx, o)
}
