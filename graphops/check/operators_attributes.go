package check

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

var attributeRules = []rule{
	{
		code: "attribute-unknown", severity: Error,
		title: "the operator has no such attribute",
		about: `A node may state the attributes that its operator has in the imported version, and no others. ONNX Runtime refuses a model otherwise:
"Unrecognized attribute: X for operator Y". Names that begin with two underscores it ignores, and those of LayerNormalization; of a
Constant in the main graph it takes the first attribute, whatever its name.

It comes from an opset that was raised by hand (axes of ReduceSum, Squeeze and Unsqueeze became an input with opset 13), from a misspelt
name, and from tools that leave notes of their own on nodes. "lathe attribute --remove" takes it away; where the attribute has become an
input, carry the model over with "lathe export --opset".`,
		model: func(s *subject, report reporter) { s.reportAttributes(report, "attribute-unknown") },
	},
	{
		code: "attribute-type", severity: Error,
		title: "an attribute is of another type than the operator has it",
		about: `Every attribute states its type, and holds one value of it. The operator tells which type that is. ONNX Runtime refuses a model where it
is another one ("Mismatched attribute type"), also an int where a float is expected, where the type is left out ("Field 'type' of 'attr'
is required but missing"), and where there is a value of another type beside it ("type field and data field mismatch").

It comes from scripts that guess the type from a value in Python: axis=1.0 makes a float, alpha=1 an int. "lathe attribute --set" writes the
value in the type that the operator has.`,
		model: func(s *subject, report reporter) { s.reportAttributes(report, "attribute-type") },
	},
	{
		code: "attribute-missing", severity: Error,
		title: "an attribute that the operator needs is left out",
		about: `Some attributes have no default, and every node of the operator must state them: to of Cast, axis of Concat, kernel_shape of MaxPool,
both branches of If. ONNX Runtime refuses a model without: "Required attribute 'X' is missing".

It comes from nodes that were written by hand, and from attributes that were removed. "lathe attribute --set" states it.`,
		model: func(s *subject, report reporter) { s.reportAttributes(report, "attribute-missing") },
	},
	{
		code: "attribute-duplicate", severity: Error,
		title: "a node states an attribute twice",
		about: `A node must state every attribute once. ONNX Runtime refuses a model otherwise, also where both say the same: "Attribute 'X' appeared
multiple times". Where it would not look, readers differ in which of them they take.

It comes from scripts that append an attribute instead of changing the one that is there. "lathe attribute --remove" takes all of a name
away, "lathe attribute --set" then states the right one.`,
		model: func(s *subject, report reporter) { s.reportAttributes(report, "attribute-duplicate") },
	},
	{
		code: "attribute-reference", severity: Warning,
		title: "an attribute stands for one of a function, outside of any",
		about: `In a model-local function an attribute may stand for one that the call states (ref_attr_name). Elsewhere there is no call. ONNX
Runtime takes such an attribute as one without a value, that is for 0 or for an empty list, and refuses the model where the operator
does not go with that; the onnx checker always does.

It comes from inlining a function without filling in what its call states. "lathe attribute --set" states the value.`,
		model: func(s *subject, report reporter) { s.reportAttributes(report, "attribute-reference") },
	},
}

// attributeChecks check the attributes of one node, which are decoded once for all checks.
var attributeChecks = []struct {
	code string
	look func(s *subject, n site, schema *opschema.Schema, list []*graphops.Attribute, report reporter)
}{
	{"attribute-unknown", ofEach(unknownAttribute)},
	{"attribute-type", ofEach(attributeType)},
	{"attribute-missing", missingAttributes},
	{"attribute-duplicate", repeatedAttributes},
	{"attribute-reference", ofEach(strayReference)},
}

func (s *subject) reportAttributes(report reporter, code string) {
	for _, p := range s.attributeFaults() {
		if p.Code == code {
			report(p)
		}
	}
}

// findAttributeFaults returns the problems of all attributes, for the rules about them.
func (s *subject) findAttributeFaults() []Problem {
	var out []Problem
	for _, p := range s.model.Places() {
		for i, node := range p.Graph.Nodes() {
			if i%4096 == 0 && s.ctx.Err() != nil {
				return nil
			}
			n := site{node, p, i}
			schema, list := s.schema(n), node.Attributes()
			for _, c := range attributeChecks {
				c.look(s, n, schema, list, func(problem Problem) {
					problem.Code = c.code
					out = append(out, problem)
				})
			}
		}
	}
	return out
}

// ofEach converts a check of one attribute into one of all attributes of a node.
func ofEach(look func(s *subject, n site, schema *opschema.Schema, a *graphops.Attribute) *Problem) func(*subject, site, *opschema.Schema, []*graphops.Attribute, reporter) {
	return func(s *subject, n site, schema *opschema.Schema, list []*graphops.Attribute, report reporter) {
		for _, a := range list {
			if p := look(s, n, schema, a); p != nil {
				report(*p)
			}
		}
	}
}

func unknownAttribute(s *subject, n site, schema *opschema.Schema, a *graphops.Attribute) *Problem {
	if schema == nil || schema.Deprecated && !schema.Function || a.Name() == "" || strings.HasPrefix(a.Name(), "__") {
		return nil
	}
	if _, known := schema.Attribute(a.Name()); known {
		return nil
	}
	problem := of(n, "attribute %q: %s has none of that name", a.Name(), s.operatorName(n, schema))
	// ONNX Runtime does not check its attributes
	if problem.Severity = s.unchecked(n); n.OpType() == "LayerNormalization" {
		problem.Severity = Warning
	}
	problem.Hint, problem.Fix = attributeHint(n, schema, a)
	return &problem
}

// unchecked returns the severity of wrong attributes: Error, except where ONNX Runtime does not
// check them. It converts the Constant nodes of the main graph to initializers by their first
// attribute, regardless of its name.
func (s *subject) unchecked(n site) Severity {
	if isInitializer(n) {
		return Warning
	}
	return s.orWarning(n.place)
}

func isInitializer(n site) bool {
	return n.OpType() == "Constant" && n.place.Kind == graphops.MainGraph
}

// operatorName returns an operator with its version for a message.
func (s *subject) operatorName(n site, schema *opschema.Schema) string {
	version, _ := s.resolved(n.place, n.Domain())
	return fmt.Sprintf("%s-%d (imported: %d)", n.OpType(), schema.Since, version)
}

func attributeType(s *subject, n site, schema *opschema.Schema, a *graphops.Attribute) *Problem {
	stated, text := a.Stated(), ""
	want := graphops.AttrUndefined
	if schema != nil {
		if declared, ok := schema.Attribute(a.Name()); ok {
			want = declared.Kind
		}
	}
	switch {
	case a.Name() == "":
		text = "an attribute has no name"
	case stated == graphops.AttrUndefined && a.RefName() == "":
		text = fmt.Sprintf("attribute %q does not state its type", a.Name())
	case want != graphops.AttrUndefined && stated != want:
		text = fmt.Sprintf("attribute %q is of type %s, expected %s", a.Name(), stated, want)
	default:
		for _, k := range a.Holds() {
			if k != stated {
				text = fmt.Sprintf("attribute %q is of type %s, and holds a value of type %s", a.Name(), stated, k)
			}
		}
	}
	if text == "" {
		return nil
	}
	problem := of(n, "%s", text)
	if problem.Severity = s.orWarning(n.place); stated != graphops.AttrUndefined {
		problem.Severity = s.unchecked(n)
	}
	problem.Hint = "state it anew, in its type"
	if a.Name() == "" {
		problem.Hint, problem.Fix = "take it away, or give it the name that was meant", fixNode(n, "attribute", "remove", "")
	}
	if value, ok := convertedValue(a, want); ok {
		problem.Fix = setAttribute(n, fmt.Sprintf("%s:%s=%s", a.Name(), want, value))
	}
	return &problem
}

func missingAttributes(s *subject, n site, schema *opschema.Schema, list []*graphops.Attribute, report reporter) {
	if schema == nil || schema.Deprecated && !schema.Function {
		return
	}
	if n.OpType() == "Constant" && n.Domain() == graphops.DefaultDomain && len(list) == 0 {
		problem := of(n, "the node has no attribute, which would hold its value")
		problem.Severity = s.orWarning(n.place)
		problem.Hint = "state its value: lathe attribute " + at(n) + " --set value_float=NUMBER, or value_int, value_floats and the like"
		report(problem)
		return
	}
	for _, a := range schema.Attributes {
		if !a.Required || slices.ContainsFunc(list, func(given *graphops.Attribute) bool { return given.Name() == a.Name }) {
			continue
		}
		problem := of(n, "attribute %q is missing, which %s needs: %s", a.Name, s.operatorName(n, schema), kindPhrase(a.Kind))
		problem.Severity = s.unchecked(n)
		problem.Hint, problem.Fix = s.statedAttribute(n, a)
		if a.Kind == graphops.AttrGraph {
			problem.Hint = "the node is of no use without its body; take it out, or put the body back"
		}
		if near := misspelt(list, schema, a.Name); near != "" {
			problem.Hint, problem.Fix = fmt.Sprintf("is it the attribute %q, which the operator has not?", near), nil
		}
		report(problem)
	}
}

func repeatedAttributes(s *subject, n site, _ *opschema.Schema, list []*graphops.Attribute, report reporter) {
	if len(list) < 2 {
		return
	}
	seen := make(map[string]int, len(list))
	for _, a := range list {
		if seen[a.Name()]++; seen[a.Name()] == 2 && a.Name() != "" {
			problem := of(n, "attribute %q is stated more than once", a.Name())
			problem.Severity = s.unchecked(n)
			problem.Hint = "state it once"
			report(problem)
		}
	}
}

func strayReference(_ *subject, n site, schema *opschema.Schema, a *graphops.Attribute) *Problem {
	if a.RefName() == "" || n.place.Function != nil {
		return nil
	}
	problem := of(n, "attribute %q stands for %q of a function, and the node is in none", a.Name(), a.RefName())
	if schema != nil {
		if declared, ok := schema.Attribute(a.Name()); ok && declared.Required {
			problem.Severity = Error
		}
	}
	problem.Hint = "state its value"
	return &problem
}
