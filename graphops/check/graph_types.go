package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

var typeMissing = rule{
	code: "type-missing", severity: Error,
	title: "an input or output has no type",
	about: `Inputs and outputs of the main graph must have a type. ONNX Runtime rejects an input without one
("Model input (x) does not have type information"), unless it is also an initializer. It infers the
type of an output, but onnx.checker rejects an output without one. ONNX Runtime also rejects a
tensor type without a valid element type, and a sequence type without a type for its elements, even
in bodies and in value_info ("Invalid tensor data type 0", "Unsupported type proto value case:0").

The inputs of a body get the types of the values that are passed to it. A Loop's body is an
exception: it must declare the shape of the iteration number and, if the Loop has no condition, of
the condition. Otherwise every run fails ("Initialize Loop subgraph input 0 has unknown shape").
Declare them as i64[] and bool[].

The causes are graphs that were built by hand, and values that were made inputs without a type.
"lathe annotate" declares types.`,
	place: missingTypes,
}

func missingTypes(s *subject, p *graphops.Place, report reporter) {
	x := p.Graph.Index()
	tell := func(v *graphops.ValueInfo, severity Severity, format string) {
		problem := in(p, format, v.Name())
		problem.Value, problem.Severity = v.Name(), severity
		problem.Hint = "declare the type, such as f32[batch,3]"
		if severity == Warning && p.Kind == graphops.MainGraph {
			problem.Fix = s.asInferred(p, []string{v.Name()})
		}
		if problem.Fix != nil {
			problem.Hint = "declare the type that follows from the nodes"
		}
		report(problem)
	}
	for _, v := range p.Graph.Inputs() {
		id, _ := x.Value(v.Name())
		if p.Kind == graphops.MainGraph && v.Type().Kind == graphops.TypeUnknown && !x.IsInitializer(id) {
			tell(v, Error, "input %q has no type")
		}
	}
	for _, v := range p.Graph.Outputs() {
		if p.Kind == graphops.MainGraph && v.Type().Kind == graphops.TypeUnknown {
			tell(v, Warning, "output %q has no type")
		}
	}
	for _, v := range slices.Concat(p.Graph.Inputs(), p.Graph.Outputs(), p.Graph.ValueInfo()) {
		if isHollow(v.Type()) {
			severity := s.orWarning(p)
			if id, ok := x.Value(v.Name()); !ok || !x.IsDefined(id) && len(x.Readers(id)) == 0 && !x.IsOutput(id) {
				// ONNX Runtime does not examine declarations of values that are not in the graph
				severity = Warning
			}
			tell(v, severity, hollowText(v.Type()))
		}
	}
	s.loopTypes(p, report)
}

// isHollow reports whether a type does not say what its elements are.
func isHollow(t graphops.Type) bool {
	switch t.Kind {
	case graphops.TypeTensor, graphops.TypeSparse:
		return !t.Elem.Valid()
	case graphops.TypeSequence, graphops.TypeOptional:
		return t.Of == nil || t.Of.Kind == graphops.TypeUnknown || isHollow(*t.Of)
	}
	return false
}

// hollowText returns the message for a type that isHollow reports. It has a %q for the name of the
// value.
func hollowText(t graphops.Type) string {
	for t.Of != nil {
		t = *t.Of
	}
	if t.Elem == tensor.Undefined {
		return "the type of %q names no element type"
	}
	return fmt.Sprintf("the type of %%q names element type %d, which ONNX does not define", t.Elem)
}

// loopTypes checks the inputs of a Loop's body that the runtime itself provides.
func (s *subject) loopTypes(p *graphops.Place, report reporter) {
	n := p.Holder()
	if n == nil || !n.Is("Loop") || p.Attribute != "body" {
		return
	}
	given := []bool{false, n.Input(1) != ""}
	for i, v := range p.Graph.Inputs()[:min(2, len(p.Graph.Inputs()))] {
		if given[i] || v.Type().Shape != nil || v.Name() == "" {
			continue
		}
		elem := [...]tensor.DType{tensor.I64, tensor.Bool}[i]
		problem := in(p, "input %q of the Loop's body has no shape", v.Name())
		problem.Value, problem.Severity = v.Name(), s.orWarning(p)
		problem.Hint = "declare it as " + elem.String() + "[]"
		problem.Fix = declaring(p, v.Name(), graphops.Type{Kind: graphops.TypeTensor, Elem: elem, Shape: graphops.Shape{}})
		report(problem)
	}
}

var shapeMissing = rule{
	code: "shape-missing", severity: Warning,
	title: "inputs or outputs of the model have no shape",
	about: `The type of an input or output of the main graph must declare a shape, in which sizes may be symbols
or unknown; onnx.checker rejects a model without it ("Field 'shape' of 'type' is required but
missing"). ONNX Runtime accepts it, and infers the shape of an output if it can. But if the shapes
of the inputs are unknown, no other shape can be inferred, and memory cannot be planned before a
run.

The cause is an exporter that does not know the shapes. "lathe annotate" declares them, for example
as f32[batch,?,3].`,
	model: missingShapes,
}

func missingShapes(s *subject, report reporter) {
	main := s.model.Places()[0]
	seen := map[string]bool{}
	var names []string
	for _, v := range slices.Concat(main.Graph.Inputs(), main.Graph.Outputs()) {
		t := v.Type()
		if (t.Kind == graphops.TypeTensor || t.Kind == graphops.TypeSparse) && t.Shape == nil && !seen[v.Name()] {
			names = append(names, v.Name())
			seen[v.Name()] = true
		}
	}
	if len(names) == 0 {
		return
	}
	problem := in(main, "no shape is declared for %s", graphops.QuoteNames(names))
	problem.Value, problem.Hint = names[0], "declare the shape, such as f32[batch,3]"
	problem.Fix = s.asInferred(main, names)
	report(problem)
}

// asInferred returns the fix that declares values with their inferred types, or nil if one of these
// is unknown.
func (s *subject) asInferred(p *graphops.Place, names []string) *Fix {
	if len(names) > fewTold {
		return nil
	}
	f := fixAt(p, "annotate")
	for _, name := range names {
		t := s.inferred(p, name).ForFile()
		one := declaring(p, name, t)
		if one == nil || t.Shape == nil {
			return nil
		}
		f.Options = append(f.Options, one.Options[len(one.Options)-1])
	}
	return f
}

var initializerInput = rule{
	code: "initializer-input", severity: Warning,
	title: "initializers are also inputs, which prevents constant folding",
	about: `From IR version 4 on, an initializer that is also listed as an input is a default value, which every
run may replace. No runtime may compute with it in advance. ONNX Runtime warns about each one
("Initializer … appears in graph inputs and will not be treated as constant value/weight. This may
prevent some of the graph optimizations, like const folding."), omits fusions that need constant
weights, such as Conv with BatchNormalization, and runs slower. Up to IR version 3, initializers
must be listed as inputs.

The causes are the exporter option keep_initializers_as_inputs, and raising the IR version of an old
file. "lathe constants from-inputs" removes them from the inputs. If runs replace the defaults on
purpose, leave the model as it is.`,
	model: initializersAsInputs,
}

func initializersAsInputs(s *subject, report reporter) {
	if s.model.IRVersion() < 4 {
		return
	}
	g := s.model.Graph()
	x := g.Index()
	var names []string
	for _, v := range g.Inputs() {
		if id, _ := x.Value(v.Name()); x.IsInitializer(id) {
			names = append(names, v.Name())
		}
	}
	if len(names) == 0 {
		return
	}
	problem := in(s.model.Places()[0], "%s among the inputs too: %s", counted(len(names), "initializer"), graphops.QuoteNames(names))
	problem.Value = names[0]
	problem.Hint = "remove them from the inputs, unless runs replace them"
	problem.Fix = &Fix{Step: "constants", Options: []Setting{{"mode", "from-inputs"}}}
	report(problem)
}

var initializerType = rule{
	code: "initializer-type", severity: Error,
	title: "an initializer has another type or shape than the input with its name",
	about: `An initializer that is also listed as an input must have the type and the shape that the input
declares. ONNX Runtime rejects any other ("Type Error: Data in initializer 'w' has element type
tensor(float) but usage of initializer in graph expects tensor(int64)", "Shape of initializer w does
not match"). A declared size that is a symbol matches any size.

The cause is replacing or converting weights without changing the inputs.`,
	place: initializerTypes,
}

// holds reports whether a stored tensor matches a declared type. A symbol matches any size,
// including 0, because an input that is empty unless a run replaces it is declared in this way.
func holds(declared, stored graphops.Type) bool {
	switch {
	case declared.Kind == graphops.TypeUnknown:
		return true
	case declared.Kind != stored.Kind, declared.Elem != stored.Elem && declared.Elem != tensor.Undefined:
		return false
	case declared.Shape == nil:
		return true
	case len(declared.Shape) != len(stored.Shape):
		return false
	}
	for i, d := range declared.Shape {
		if d.IsFixed() && d.Value != stored.Shape[i].Value {
			return false
		}
	}
	return true
}

func initializerTypes(s *subject, p *graphops.Place, report reporter) {
	x := p.Graph.Index()
	for _, v := range p.Graph.Inputs() {
		id, ok := x.Value(v.Name())
		t := x.Initializer(id)
		if !ok || t == nil {
			continue
		}
		stored := graphops.Type{Kind: graphops.TypeTensor, Elem: t.DType(), Shape: graphops.FixedShape(t.Dims())}
		if holds(v.Type(), stored) {
			continue
		}
		problem := in(p, "initializer %q is %s, but the input of this name is declared as %s", v.Name(), stored.Declaration(), v.Type().Simplified().Declaration())
		problem.Value, problem.Severity = v.Name(), s.orWarning(p)
		problem.Hint = "declare the input with the type of the initializer"
		problem.Fix = declaring(p, v.Name(), stored)
		report(problem)
	}
}
