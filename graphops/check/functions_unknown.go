package check

import (
	"slices"

	"lathe/graphops/opschema"
)

var functionUnknown = rule{
	code: "function-unknown", severity: Error,
	title: "a node calls a function that the model does not have",
	about: `The model has functions in the domain of the node's operator, but none with this name and overload.
ONNX Runtime rejects the model ("is not a registered function/op"), even if no output needs the
node; onnx.checker accepts it. A library of custom operators could contain such an operator, but a
model rarely has functions in the domain of such a library.

The causes are functions that were removed or renamed while a call remained, and calls with another
overload.`,
	node: unknownFunction,
}

func unknownFunction(s *subject, n site, report reporter) {
	names := s.domains()[n.Domain()]
	if len(names) == 0 || n.OpType() == "" || s.function(n) != nil || opschema.Latest(n.Domain()) > 0 {
		return
	}
	problem := of(n, "the model has no function %s, but has others of that domain", functionName(n.Calls()))
	problem.Value, problem.Severity = n.OpType(), s.orWarning(n.place)
	_, problem.Hint = s.near(withOverload(n.Calls()), slices.Values(names))
	report(problem)
}
