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
		title: "the sizes or attributes at a node do not go together",
		about: `Types and shapes are inferred through the whole model, and the shapes that nodes compute (Shape, Gather, Concat, Reshape …) are
followed as well. A node is reported where what comes in cannot be: matrices whose inner sizes differ, tensors that do not broadcast, an axis
that the tensor has not, weights that do not fit the channels, a Reshape to another number of elements, attributes that say something
impossible.

ONNX Runtime refuses such a model ("ShapeInferenceError") where its own inference sees it, else every run fails; a few kernels that its
optimizer puts in place do not look (Conv in blocks of channels), and compute with what is not there. In a branch of an If, and
in nodes whose results nobody needs, it is a warning unless ONNX Runtime's inference sees it, for those may never run. So it is where
ONNX Runtime computes after all: a loss takes the weights of the classes that occur, scale and bias of GroupNormalization broadcast, and of
two Transposes that undo each other neither runs.

It comes from weights of another variant of the model, from cutting and merging, and from sizes that were frozen at one place. The
message names the inputs with where they come from.`,
		model: contradictions,
	},
	{
		code: "inference-limit", severity: Warning,
		title: "the model expands to too many nodes for types and shapes to be followed",
		about: `Types and shapes are inferred where functions are called and bodies run, for each call anew. A model whose functions call each other
many times over expands to more nodes than any machine looks at: twenty functions that each call the next one twice are a million. All
checks of types, shapes and kernels then say nothing, which does not mean that nothing is the matter. ONNX Runtime puts every function in
the place of its calls, and needs the time and memory that this takes.

It comes from a tool that nests functions without end, or is made to keep a reader busy.`,
		model: limitedInference,
	},
}

// limitedInference reports that information needed by other checks is missing.
func limitedInference(s *subject, report reporter) {
	if _, err := s.shapes(); err != nil && s.ctx.Err() == nil {
		problem := in(nil, "types and shapes are not known: %s", err)
		problem.Hint = "the checks of types, shapes and kernels have not been made; call functions less often"
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
		problem.Hint = "change what comes in, or the attributes of the node"
		if p.Other >= 0 {
			problem.Hint = "look at " + nodeName(p.Place, p.Other) + ", which makes what does not fit"
		}
		report(problem)
	}
}

// spot is a node of a place.
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
