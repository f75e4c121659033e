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
		about: `A node may only have attributes that its operator defines in the imported version. Otherwise ONNX
Runtime rejects the model: "Unrecognized attribute: X for operator Y". It ignores names that start
with two underscores, and all unknown attributes of LayerNormalization. An execution provider may
add attributes of its own to a node EPContext. For a Constant in the main graph, ONNX Runtime uses
the first attribute, whatever its name is.

The causes are an opset that was raised by hand (axes of ReduceSum, Squeeze and Unsqueeze became an
input in opset 13), misspelt names, and tools that store their own notes as attributes. "lathe
attribute --remove" removes the attribute. If it has become an input, convert the model with "lathe
export --opset".`,
		model: func(s *subject, report reporter) { s.reportAttributes(report, "attribute-unknown") },
	},
	{
		code: "attribute-type", severity: Error,
		title: "an attribute has another type than the operator defines",
		about: `Every attribute states its type and has one value of that type. The operator defines which type it
is. ONNX Runtime rejects a model in which an attribute has another type ("Mismatched attribute
type"), even an int instead of a float; in which the type is missing ("Field 'type' of 'attr' is
required but missing"); or in which the attribute also has a value of another type ("type field and
data field mismatch").

The cause is a script that derives the type from a Python value: axis=1.0 becomes a float, alpha=1
an int. "lathe attribute --set" writes the value with the operator's type.`,
		model: func(s *subject, report reporter) { s.reportAttributes(report, "attribute-type") },
	},
	{
		code: "attribute-missing", severity: Error,
		title: "a required attribute is missing",
		about: `Some attributes have no default, so every node of the operator must have them: to of Cast, axis of
Concat, kernel_shape of MaxPool, both branches of If. Otherwise ONNX Runtime rejects the model:
"Required attribute 'X' is missing".

The causes are nodes that were written by hand, and attributes that were removed. "lathe attribute
--set" sets the attribute.`,
		model: func(s *subject, report reporter) { s.reportAttributes(report, "attribute-missing") },
	},
	{
		code: "attribute-duplicate", severity: Error,
		title: "a node has the same attribute twice, or a Constant has two values",
		about: `A node may have each attribute only once. Otherwise ONNX Runtime rejects the model, even if the
values are equal: "Attribute 'X' appeared multiple times". If it does not check the node, tools
differ in which of the values they use. Of a Constant with several values, such as "value" and
"value_float", ONNX Runtime uses the first. The onnx package rejects it.

The cause is a script that appends an attribute instead of changing the existing one. "lathe
attribute --remove" removes all attributes of a name; "lathe attribute --set" then sets the right
value.`,
		model: func(s *subject, report reporter) { s.reportAttributes(report, "attribute-duplicate") },
	},
	{
		code: "attribute-reference", severity: Warning,
		title: "an attribute refers to an attribute of a function, but the node is not in a function",
		about: `In a model-local function, an attribute can refer to an attribute of the call (ref_attr_name).
Elsewhere there is no call. ONNX Runtime then treats the attribute as 0 or as an empty list, and
rejects the model if this is invalid for the operator. The checker of the onnx package always
rejects it.

The cause is a tool that inlined a function without inserting the attributes of the call. "lathe
attribute --set" sets the value.`,
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
	var code string // of the check that reports
	note := func(problem Problem) {
		problem.Code = code
		out = append(out, problem)
	}
	for _, p := range s.model.Places() {
		for i, node := range p.Graph.Nodes() {
			if i%4096 == 0 && s.ctx.Err() != nil {
				return nil
			}
			n := site{node, p, i}
			schema, list := s.schema(n), node.Attributes()
			for _, c := range attributeChecks {
				code = c.code
				c.look(s, n, schema, list, note)
			}
		}
	}
	return out
}

// ofEach converts a check of one attribute into a check of all attributes of a node.
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
	if schema == nil || schema.Deprecated && !schema.Function || a.Name() == "" || strings.HasPrefix(a.Name(), "__") || n.IsCompiled() {
		return nil
	}
	if _, known := schema.Attribute(a.Name()); known {
		return nil
	}
	problem := of(n, "attribute %q: %s has no attribute of that name", a.Name(), s.operatorName(n, schema))
	// ONNX Runtime does not check its attributes
	if problem.Severity = s.unchecked(n); n.Is("LayerNormalization") {
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
	return n.Is("Constant") && n.place.Kind == graphops.MainGraph
}

// operatorName returns an operator with its version as text for a message.
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
				text = fmt.Sprintf("attribute %q states type %s, but has a value of type %s", a.Name(), stated, k)
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
	problem.Hint = "set it again, with its type"
	if a.Name() == "" {
		problem.Hint, problem.Fix = "remove it, or give it the intended name", fixNode(n, "attribute", "remove", "")
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
	if n.Is("Constant") && len(list) == 0 {
		problem := of(n, "the node has no attribute with its value")
		problem.Severity = s.orWarning(n.place)
		problem.Hint = "set its value: lathe attribute " + at(n) + " --set value_float=NUMBER, or value_int, value_floats and the like"
		report(problem)
		return
	}
	for _, a := range schema.Attributes {
		if !a.Required || slices.ContainsFunc(list, func(given *graphops.Attribute) bool { return given.Name() == a.Name }) {
			continue
		}
		problem := of(n, "attribute %q is missing, and %s requires it: %s", a.Name, s.operatorName(n, schema), kindPhrase(a.Kind))
		problem.Severity = s.unchecked(n)
		problem.Hint, problem.Fix = s.statedAttribute(n, a)
		if a.Kind == graphops.AttrGraph {
			problem.Hint = "the node is useless without its body; remove the node, or restore the body"
		}
		if near := misspelt(list, schema, a.Name); near != "" {
			problem.Hint, problem.Fix = fmt.Sprintf("is %q, an attribute that the operator does not have, a misspelling of it?", near), nil
		}
		report(problem)
	}
}

func repeatedAttributes(s *subject, n site, _ *opschema.Schema, list []*graphops.Attribute, report reporter) {
	if len(list) < 2 {
		return
	}
	severalValues(s, n, list, report)
	seen := make(map[string]int, len(list))
	for _, a := range list {
		if seen[a.Name()]++; seen[a.Name()] == 2 && a.Name() != "" {
			problem := of(n, "attribute %q occurs more than once", a.Name())
			problem.Severity = s.unchecked(n)
			problem.Hint = "state it once"
			report(problem)
		}
	}
}

// severalValues reports a Constant with more than one attribute that holds a value.
func severalValues(s *subject, n site, list []*graphops.Attribute, report reporter) {
	if !n.Is("Constant") {
		return
	}
	var values []string
	for _, a := range list {
		if graphops.IsConstantValue(a.Name()) && !slices.Contains(values, a.Name()) {
			values = append(values, a.Name())
		}
	}
	if len(values) < 2 {
		return
	}
	problem := of(n, "the node has %d values, expected one: attributes %s", len(values), graphops.QuoteNames(values))
	problem.Severity = s.unchecked(n)
	problem.Hint = "remove all but the right one"
	report(problem)
}

func strayReference(_ *subject, n site, schema *opschema.Schema, a *graphops.Attribute) *Problem {
	if a.RefName() == "" || n.place.Function != nil {
		return nil
	}
	problem := of(n, "attribute %q refers to attribute %q of a function, but the node is not in a function", a.Name(), a.RefName())
	if schema != nil {
		if declared, ok := schema.Attribute(a.Name()); ok && declared.Required {
			problem.Severity = Error
		}
	}
	problem.Hint = "state its value"
	return &problem
}
