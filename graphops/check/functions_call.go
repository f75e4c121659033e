package check

import (
	"lathe/graphops"
	"lathe/graphops/opschema"
)

var functionCall = rule{
	code: "function-call", severity: Error,
	title: "a call does not match the function's inputs, outputs or attributes",
	about: `A node that calls a function of the model may have fewer inputs than the function, because inputs
are optional. ONNX Runtime rejects a call with more inputs ("Number of actual parameters cannot
exceed number of formal parameters"), and one whose number of outputs differs from the function's
("output index 1 is out of range; node has 1 outputs"); an output that is not needed has an empty
name. It also rejects a call that omits an input or attribute which the function passes, directly or
through other functions, to an operator that requires it ("Input 0 expected to have type but instead
is null", "Value of attribute to not specified"). A call that omits another attribute without a
default, or that has an attribute which the function does not declare, is a warning: ONNX Runtime
1.30 uses the operator's default, and ignores unknown attributes. onnx.checker does not check calls.

The cause is a function that was changed without changing its calls.`,
	node: calls,
}

func calls(s *subject, n site, report reporter) {
	f := s.function(n)
	if f == nil || s.schemaBefore(n) {
		return
	}
	tell := func(severity Severity, value, format string, args ...any) {
		problem := of(n, format, args...)
		problem.Value, problem.Hint = value, "make the call and the function agree"
		if problem.Severity = severity; severity == Error {
			problem.Severity = s.orWarning(n.place)
		}
		report(problem)
	}
	if got, want := len(n.Inputs()), len(f.Graph().Inputs()); got > want {
		tell(Error, "", "%s, but %s has at most %d", counted(got, "input"), functionName(f.Key()), want)
	}
	if got, want := len(n.Outputs()), len(f.Graph().Outputs()); got != want {
		tell(Error, "", "%s, but %s has %d", counted(got, "output"), functionName(f.Key()), want)
	}
	needs := s.demands()[f.Key()]
	for i, v := range f.Graph().Inputs() {
		if left := i >= len(n.Inputs()) || n.Inputs()[i] == ""; left && needs.inputs[v.Name()] {
			tell(Error, v.Name(), "omits input %q, which %s requires", v.Name(), functionName(f.Key()))
		}
	}
	s.callAttributes(n, f, needs, tell)
}

// callAttributes compares the attributes of a call with those of the function.
func (s *subject) callAttributes(n site, f *graphops.Function, needs *demands, tell func(Severity, string, string, ...any)) {
	given := map[string]bool{}
	for _, a := range n.Attributes() {
		given[a.Name()] = true
		if !needs.declared.has[a.Name()] && !needs.follows[a.Name()] {
			tell(Warning, a.Name(), "attribute %q does not exist in %s", a.Name(), functionName(f.Key()))
		}
	}
	for _, name := range f.AttributeNames() {
		if given[name] {
			continue
		}
		severity := Warning
		if needs.attributes[name] {
			severity = Error
		}
		tell(severity, name, "omits attribute %q of %s", name, functionName(f.Key()))
	}
}

// schemaBefore reports whether ONNX Runtime uses the operator of a known domain instead of the
// function with its name.
func (s *subject) schemaBefore(n site) bool {
	version, ok := s.resolved(n.place, n.Domain())
	if !ok {
		return false
	}
	_, known := opschema.Find(n.Domain(), n.OpType(), version)
	return known
}
