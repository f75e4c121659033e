package check

import (
	"lathe/graphops"
	"lathe/graphops/opschema"
)

var functionCall = rule{
	code: "function-call", severity: Error,
	title: "a call does not fit the function",
	about: `A node that calls a function of the model may give fewer inputs than it has, for they are optional; ONNX Runtime refuses one
that gives more ("Number of actual parameters cannot exceed number of formal parameters"), one that names more or fewer outputs than the
function has ("output index 1 is out of range; node has 1 outputs"; what is not wanted has an empty name), and one that leaves out an
input or attribute that the function hands on, itself or by way of other functions, to an operator that must have it ("Input 0 expected to have type but instead is null",
"Value of attribute to not specified"). An attribute without a default that is left out otherwise, and one that the function does not
have, are warnings: ONNX Runtime 1.30 takes the operator's default, and ignores what it does not know. onnx.checker does not look at calls.

It comes from changing a function and not its calls.`,
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
		tell(Error, "", "%s, %s takes %d at most", counted(got, "input"), functionName(f.Key()), want)
	}
	if got, want := len(n.Outputs()), len(f.Graph().Outputs()); got != want {
		tell(Error, "", "%s, %s has %d", counted(got, "output"), functionName(f.Key()), want)
	}
	needs := s.demands()[f.Key()]
	for i, v := range f.Graph().Inputs() {
		if left := i >= len(n.Inputs()) || n.Inputs()[i] == ""; left && needs.inputs[v.Name()] {
			tell(Error, v.Name(), "leaves out input %q, which %s needs", v.Name(), functionName(f.Key()))
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
			tell(Warning, a.Name(), "attribute %q is none of %s", a.Name(), functionName(f.Key()))
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
		tell(severity, name, "leaves out attribute %q of %s", name, functionName(f.Key()))
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
