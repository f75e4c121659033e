package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

var typeRules = []rule{
	{
		code: "type-mismatch", severity: Error,
		title: "inputs of a node that must have the same type have different types",
		about: `Operators define types by variables: A and B of Add both have type T. Nothing is converted
implicitly. ONNX Runtime rejects a model in which two inputs bind a variable to different types:
"Type parameter (T) bound to different types".

The causes are constants with Python's default types (int64, float64) next to tensors of int32 or
float32, conversions to half precision that missed a branch, and a value that was replaced by one of
another type. "lathe insert --op cast" converts one of the inputs for this node only.`,
		model: func(s *subject, report reporter) { s.reportTypes(report, "type-mismatch") },
	},
	{
		code: "type-unsupported", severity: Error,
		title: "an input has a type that the operator does not support",
		about: `An operator lists the types that each input may have, and later versions of it list more. ONNX
Runtime rejects a model if an input has another type: "Type 'tensor(x)' of input parameter is
invalid".

The causes are an opset that is too old for the nodes (Relu supports integers since 14), integers or
booleans as operands of arithmetic, indices that are not int64, and sequences as inputs of tensor
operators. "lathe insert --op cast" converts the value for this node.`,
		model: func(s *subject, report reporter) { s.reportTypes(report, "type-unsupported") },
	},
	{
		code: "type-declared", severity: Error,
		title: "a value is declared with another type than it has",
		about: `The file declares types of values: those of inputs and outputs are required, those of other values
(value_info) are optional. ONNX Runtime rejects a model in which a node produces another element
type than is declared for its output: "Type (tensor(x)) of output arg does not match expected type".
It ignores declarations for the output of a Constant.

The cause is a Cast, constant or input that was changed without changing the declarations of values
that depend on it. "lathe annotate" declares the actual type. If the declaration is right, the node
is wrong.`,
		model: declaredTypes,
	},
	{
		code: "shape-declared", severity: Warning,
		title: "a value is declared with another shape than it has",
		about: `If the declared shape of a value contradicts the shape that follows from the inputs, ONNX Runtime
warns ("Error merging shape info") and continues with the inferred shape; for outputs it warns in
every run. Other tools rely on the declaration: they plan memory by it, and converters fix sizes by
it.

The causes are fixing or changing a size at the inputs only, and changing shapes without changing
value_info. "lathe annotate" declares the actual shape, or removes the declaration with --remove.`,
		model: declaredShapes,
	},
}

// typeFault is a node with an input of a wrong type.
type typeFault struct {
	code   string
	wanted []wantedType // what would make the inputs fit
	Problem
}

// wantedType is the element type that a value of the node's place should have.
type wantedType struct {
	value string
	elem  tensor.DType
}

func (s *subject) reportTypes(report reporter, code string) {
	for i, f := range s.typing().faults {
		if f.code != code {
			continue
		}
		if c := s.typeCauses()[i]; c != nil {
			c.apply(&f.Problem)
			report(f.Problem)
			continue
		}
		for _, w := range f.wanted {
			if r, ok := s.retypingOf(f.Place, w); ok {
				r.apply(&f.Problem)
				break
			}
		}
		report(f.Problem)
	}
}

// retypingOf returns the node that produces a value of a wrong type because of a wrong
// attribute.
func (s *subject) retypingOf(p *graphops.Place, w wantedType) (retyping, bool) {
	x := p.Graph.Index()
	v, ok := x.Value(w.value)
	if !ok || x.Producer(v) < 0 {
		return retyping{}, false
	}
	r, found := s.retypings()[spot{p, x.Producer(v)}]
	return r, found && r.to == w.elem
}

func (t *typing) unsupported(n site, schema *opschema.Schema, param opschema.Param, b binding) {
	name := n.Inputs()[b.input]
	problem := of(n, "input %q is of type %s%s, expected %s for %s of %s",
		name, b.t, t.maker(n, name), typeList(param.Types()), param.Name, t.operatorName(n, schema))
	problem.Severity, problem.Value = t.orWarning(n.place), name
	problem.Hint = "give it a value of such a type"
	if since := acceptsFrom(n, b); since > schema.Since {
		problem.Hint = fmt.Sprintf("version %d of the operator set supports %s; convert the model", since, b.t)
	} else if to, ok := castTarget(param, b.t); ok {
		problem.Hint = fmt.Sprintf("convert it to %s", to)
		problem.Fix = castFix(n, name, to)
	}
	t.faults = append(t.faults, typeFault{code: "type-unsupported", Problem: problem})
}

// acceptsFrom returns the first version of the operator that supports the type at this input, or 0
// if none does.
func acceptsFrom(n site, b binding) int64 {
	for _, v := range opschema.Versions(n.Domain(), n.OpType()) {
		if param, ok := v.Input(b.input); ok && param.Allows(b.t) {
			return v.Since
		}
	}
	return 0
}

// castTarget returns the tensor type that an input may be converted to. If there are several, it
// is float for numbers and int64 for booleans.
func castTarget(param opschema.Param, from graphops.Type) (tensor.DType, bool) {
	if from.Kind != graphops.TypeTensor || from.Elem == tensor.String {
		return 0, false
	}
	for _, to := range []tensor.DType{tensor.F32, tensor.I64, tensor.I32, tensor.Bool} {
		if param.Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: to}) {
			return to, true
		}
	}
	return 0, false
}

// castFix converts a value for one node; nil for a value that the node itself produces.
func castFix(n site, value string, to tensor.DType) *Fix {
	if slices.Contains(n.Outputs(), value) {
		return nil
	}
	return fixAt(n.place, "insert", "value", value, "before", fmt.Sprintf("#%d", n.index), "op", "cast", "to", to.String())
}

func (t *typing) mismatch(n site, schema *opschema.Schema, first, second binding) {
	a, b := n.Inputs()[first.input], n.Inputs()[second.input]
	problem := of(n, "input %q is of type %s%s, but input %q of type %s%s: %s expects the same type %s",
		a, first.t, t.maker(n, a), b, second.t, t.maker(n, b), t.operatorName(n, schema), first.variable)
	problem.Severity, problem.Value = t.orWarning(n.place), b
	problem.Hint = "convert one of them"
	if first.t.Kind == graphops.TypeTensor && second.t.Kind == graphops.TypeTensor {
		from, to := a, second.t.Elem
		if t.keeps(n, schema, first, second) {
			from, to = b, first.t.Elem
		}
		problem.Value = from
		problem.Hint = fmt.Sprintf("convert %q to %s", from, to)
		problem.Fix = castFix(n, from, to)
	}
	t.faults = append(t.faults, typeFault{"type-mismatch", []wantedType{{a, second.t.Elem}, {b, first.t.Elem}}, problem})
}

// keeps reports which of two inputs with different types should be left as it is. It is the one
// with the declared type of the result, or else the one that is not a constant, or else the one
// with the wider type, or else the first. The result is true for the first.
func (t *typing) keeps(n site, schema *opschema.Schema, first, second binding) bool {
	x := n.place.Graph.Index()
	if declared := declaredResult(n, schema, first.variable); declared == first.t.Elem || declared == second.t.Elem {
		return declared == first.t.Elem
	}
	constant := func(b binding) bool {
		id, ok := x.Value(n.Inputs()[b.input])
		return ok && x.IsInitializer(id)
	}
	if constant(first) != constant(second) {
		return constant(second)
	}
	return width(first.t.Elem) >= width(second.t.Elem)
}

// declaredResult returns the declared element type of a result whose type is a type variable;
// Undefined for none.
func declaredResult(n site, schema *opschema.Schema, variable string) tensor.DType {
	x := n.place.Graph.Index()
	for i, name := range n.Outputs() {
		param, ok := schema.Output(i)
		if v, known := x.Value(name); ok && known && param.Type == variable && x.Info(v) != nil {
			return x.Info(v).Type().Elem
		}
	}
	return tensor.Undefined
}

// width orders types by how much is preserved if one is converted to the other.
func width(d tensor.DType) int {
	if d.Kind() == tensor.KindFloat {
		return 1000 + d.Bits()
	}
	return d.Bits()
}

// maker returns the node that produces a value as text for a message, or an empty string.
func (t *typing) maker(n site, value string) string {
	x := n.place.Graph.Index()
	id, ok := x.Value(value)
	switch {
	case !ok:
		return ""
	case x.IsInitializer(id):
		return " (an initializer)"
	case x.Producer(id) >= 0:
		made := x.Producer(id)
		return fmt.Sprintf(" (from %s)", nodeName(n.place, made))
	case x.IsInput(id):
		return " (an input)"
	default:
		return ""
	}
}
