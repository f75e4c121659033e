package check

import (
	"slices"

	"lathe/graphops/opschema"
)

var functionUnknown = rule{
	code: "function-unknown", severity: Error,
	title: "a node calls a function that the model does not have",
	about: `The model has functions in the domain of the node's operator, but none of its name and overload. ONNX Runtime refuses the model
("is not a registered function/op"), also where no output needs the node; onnx.checker takes it. A library of custom operators could have
one of that domain and name, but whoever writes one does not put functions into its domain.

It comes from functions that were removed or renamed while a call remained, and from calls that name another overload.`,
	node: unknownFunction,
}

func unknownFunction(s *subject, n site, report reporter) {
	names := s.domains()[n.Domain()]
	if len(names) == 0 || n.OpType() == "" || s.function(n) != nil || opschema.Latest(n.Domain()) > 0 {
		return
	}
	problem := of(n, "no function %s is in the model, though others of that domain are", functionName(n.Calls()))
	problem.Value, problem.Severity = n.OpType(), s.orWarning(n.place)
	_, problem.Hint = s.near(withOverload(n.Calls()), slices.Values(names))
	report(problem)
}
