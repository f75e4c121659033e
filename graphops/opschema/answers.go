package opschema

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Answers are what Need.On answered for the CPU. Most nodes of a large graph have the same operator
// with the same types, so that looking for a kernel once is enough. The zero value is ready to use.
// Answers must not be used by several goroutines at once.
type Answers struct {
	known map[question]Answer
	// last and answer are the last question that is in known, and its answer. Many nodes ask what the
	// one before asked.
	last   question
	answer Answer
}

// mostTypes is the number of types in a question. Needs with more are answered each time.
const mostTypes = 6

// question is the part of a need that On depends on.
type question struct {
	schema          *Schema
	runtime         string
	version, opset  int64
	inputs, outputs int
	types           [mostTypes]asked
}

// asked is what On depends on in a type that has no other types inside.
type asked struct {
	kind graphops.TypeKind
	elem tensor.DType
}

// OnCPU returns how ONNX Runtime runs the node on the CPU. The types in an answer that is not Missing
// may be those of another node with the same question.
func (a *Answers) OnCPU(n Need) Answer {
	q, ok := n.question()
	if !ok {
		return n.On(CPU)
	}
	if a.known != nil && q == a.last {
		return a.answer
	}
	if answer, ok := a.known[q]; ok {
		a.last, a.answer = q, answer
		return answer
	}
	answer := n.On(CPU)
	if answer.Way != Missing { // such an answer has the types of its node, with their shapes
		if a.known == nil {
			a.known = map[question]Answer{}
		}
		a.known[q] = answer
		a.last, a.answer = q, answer
	}
	return answer
}

// question returns the question of a need. It returns false if the answer depends on more than a
// question holds: on attributes, on types inside types, or on very many types.
func (n Need) question() (question, bool) {
	q := question{n.Schema, n.Runtime, n.Version, n.Opset, len(n.Inputs), len(n.Outputs), [mostTypes]asked{}}
	if len(n.Inputs)+len(n.Outputs) > mostTypes || n.Schema == nil || n.readsNode() {
		return q, false
	}
	for i, t := range n.Inputs {
		q.types[i] = asked{t.Kind, t.Elem}
	}
	for i, t := range n.Outputs {
		q.types[len(n.Inputs)+i] = asked{t.Kind, t.Elem}
	}
	nests := func(t graphops.Type) bool { return t.Of != nil }
	return q, !slices.ContainsFunc(n.Inputs, nests) && !slices.ContainsFunc(n.Outputs, nests)
}

// readsNode reports whether fails can depend on the attributes of the node.
func (n Need) readsNode() bool {
	switch n.Schema.Domain {
	case graphops.DefaultDomain:
		return n.Schema.Name == "ScatterND" || n.Schema.Name == "ScatterElements"
	}
	return n.Schema.Domain == graphops.MicrosoftDomain
}
