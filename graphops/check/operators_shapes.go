package check

import (
	"lathe/graphops"
	"lathe/graphops/shape"
)

// The codes of the rules that come last.
const (
	codeContradiction = "shape-contradiction"
	codeRunFails      = "run-fails"
)

var shapeRules = []rule{
	{
		code: codeContradiction, severity: Error, last: true,
		title: "the sizes or attributes at a node contradict each other",
		about: `Lathe infers types and shapes through the whole model, including shapes that nodes compute (Shape,
Gather, Concat, Reshape …). A node is reported if its inputs cannot work: matrices whose inner sizes
differ, tensors that do not broadcast, an axis that the tensor does not have, weights that do not
match the channels, a Reshape to another number of elements, impossible attributes.

ONNX Runtime rejects such a model ("ShapeInferenceError") if its own inference notices the problem;
otherwise every run fails. A few kernels that its optimizer inserts do not check sizes (Conv with
blocked channels), and compute with memory outside the tensor. The problem is a warning if the node
may never run, that is in a branch of an If or if nothing needs its results, unless the inference of
ONNX Runtime notices it. It is also a warning if ONNX Runtime computes a result nevertheless: a loss
only uses the weights of the classes that occur, scale and bias of GroupNormalization are broadcast,
and of two Transposes that cancel each other neither runs.

The causes are weights of another variant of the model, cutting and merging models, and sizes that
were fixed in one place only. The message names the inputs and where they come from.

Often a single attribute upstream is wrong, such as the axis of a Concat. Lathe tries other values of
the attributes of the nodes before: axis, axes, perm, keepdims, to and the like. If the error is gone
with another value, no other error appears and no declared type is contradicted, and if that is so of
one attribute only, it is named as the probable cause.`,
		model: contradictions,
	},
	{
		code: "inference-limit", severity: Warning,
		title: "the model expands to too many nodes to infer types and shapes",
		about: `Types and shapes are inferred separately for each call of a function and each body. If functions of
a model call each other many times, the model expands to more nodes than any machine can process:
twenty functions that each call the next one twice make a million. All checks of types, shapes and
kernels are then skipped, so the model may have problems that are not reported. ONNX Runtime
replaces every call by the nodes of the function, and needs the time and memory for it.

The cause is a tool that nests functions without limit, or a file that was made to keep programs
busy.`,
		model: limitedInference,
	},
}

// limitedInference reports that information needed by other checks is missing.
func limitedInference(s *subject, report reporter) {
	if _, err := s.shapes(); err != nil && s.ctx.Err() == nil {
		problem := in(nil, "types and shapes are not known: %s", err)
		problem.Hint = "the checks of types, shapes and kernels were skipped; reduce the number of function calls"
		report(problem)
	}
}

func contradictions(s *subject, report reporter) {
	result, err := s.shapes()
	if err != nil {
		return
	}
	known := s.faultyNodes()
	seen := map[spot]bool{}
	works := tolerance{s, map[*graphops.Place]int{}}
	for _, p := range result.Problems {
		at := spot{p.Place, p.Node}
		if p.Kind != shape.Clash || p.Node < 0 || seen[at] || known[at] {
			continue
		}
		seen[at] = true
		problem := of(site{p.Place.Graph.Nodes()[p.Node], p.Place, p.Node}, "%s", p.Text)
		problem.Severity = s.orWarning(p.Place)
		if s.mayNotRun(p.Place, p.Node) && !s.plainlyWrong()[at] || works.known(p) {
			problem.Severity = Warning
		}
		problem.Hint = "change the inputs of the node"
		if n := p.Place.Graph.Nodes()[p.Node]; s.mayHaveAttributes(site{n, p.Place, p.Node}) {
			problem.Hint = "change the inputs or the attributes of the node"
		}
		if p.Other >= 0 {
			problem.Hint = "check " + nodeName(p.Place, p.Other) + ", which produces the conflicting value"
		}
		report(problem)
	}
}

// mayHaveAttributes reports whether a node has attributes or its operator declares some.
func (s *subject) mayHaveAttributes(n site) bool {
	schema := s.schema(n)
	return len(n.Attributes()) > 0 || schema != nil && len(schema.Attributes) > 0
}

// spot identifies a node by its place and its index.
type spot struct {
	place *graphops.Place
	node  int
}

// faultyNodes returns the nodes where another check has found an error, so that contradictions
// there are most likely a consequence. Only a rule that comes last may call it. The results of such
// rules are not included, because otherwise they would depend on the order of the table.
func (s *subject) faultyNodes() map[spot]bool {
	out := map[spot]bool{}
	for _, p := range s.found {
		if p.Severity == Error && p.Node >= 0 && p.Code != codeContradiction && p.Code != codeRunFails {
			out[spot{p.Place, p.Node}] = true
		}
	}
	return out
}

// findPlainlyWrong finds the nodes that contradict what is known without tracing computed
// elements. This is approximately what ONNX Runtime finds when it loads the model, even for nodes
// that never run.
func (s *subject) findPlainlyWrong() map[spot]bool {
	out := map[spot]bool{}
	result, err := shape.Infer(s.ctx, s.model, shape.Options{Plain: true})
	if err != nil {
		return out
	}
	for _, p := range result.Problems {
		if p.Kind == shape.Clash {
			out[spot{p.Place, p.Node}] = true
		}
	}
	return out
}
