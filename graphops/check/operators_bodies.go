package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

var bodyRules = []rule{
	{
		code: "body-type", severity: Error,
		title: "a Loop or Scan passes values of other types than its body declares or returns",
		about: `The inputs of the body of a Loop or Scan have the element types of the values that the node passes
to it: the iteration number (int64), the condition (bool), the states, and the slices. The new state
that a Loop's body returns must have the type of the state that it was given. An output that the
Loop stacks over all iterations must be a tensor. ONNX Runtime rejects the model otherwise: "Tensor
element type mismatch", "Input element type of N does not match existing output type", "Loop 'body'
subgraph scan outputs should all be tensors".

The cause is a tool that changed types outside the body but not inside it, such as a conversion to
float16. "lathe annotate --in" declares an input of a body; "lathe insert --op cast --in" adds a
Cast in the body.`,
		node: bodyTypes,
	},
}

func bodyTypes(s *subject, n site, report reporter) {
	if n.Domain() != graphops.DefaultDomain || s.function(n) != nil || len(n.Graphs()) == 0 {
		return
	}
	b := bodies{s, n, report}
	switch n.StandardOp() {
	case "Loop":
		b.loop()
	case "Scan":
		b.scan()
	}
}

// bodies are the bodies of a node, with what is known of types.
type bodies struct {
	*subject
	n      site
	report reporter
}

func (b bodies) body(attribute string) *graphops.Place {
	for _, p := range b.bodiesOf(b.n) {
		if p.Attribute == attribute {
			return p
		}
	}
	return nil
}

// known returns the type of a value without its shape. ok is false if it is not certain.
func (b bodies) known(p *graphops.Place, name string) (graphops.Type, bool) {
	id, ok := p.Graph.Index().Value(name)
	if !ok || name == "" || b.typing().isDoubtful(p, id) {
		return graphops.Type{}, false
	}
	t := b.inferred(p, name).Type
	return withoutShape(t), t.Kind != graphops.TypeUnknown && (t.Kind != graphops.TypeTensor || t.Elem != tensor.Undefined)
}

func (b bodies) handed(i int) (graphops.Type, bool) {
	if i >= len(b.n.Inputs()) {
		return graphops.Type{}, false
	}
	return b.known(b.n.place, b.n.Inputs()[i])
}

func (b bodies) loop() {
	body := b.body("body")
	if body == nil {
		return
	}
	b.input(body, 0, graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.I64}, "the iteration number")
	b.input(body, 1, graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.Bool}, "the condition")
	b.stacked(body)
	for i := 2; i < len(b.n.Inputs()); i++ {
		if t, ok := b.handed(i); ok {
			b.input(body, i, t, fmt.Sprintf("%q", b.n.Inputs()[i]))
			b.state(body, i-1, t, b.n.Inputs()[i])
		}
	}
}

// stacked requires that the outputs of a body that the Loop stacks are tensors.
func (b bodies) stacked(body *graphops.Place) {
	outputs := body.Graph.Outputs()
	for i := len(b.n.Inputs()) - 1; i < len(outputs); i++ {
		made, ok := b.known(body, outputs[i].Name())
		if i < 1 || !ok || made.Kind == graphops.TypeTensor {
			continue
		}
		problem := of(b.n, "output %q of the body is of type %s, but the Loop stacks it, expected a tensor", outputs[i].Name(), made)
		problem.Severity, problem.Value = b.orWarning(b.n.place), outputs[i].Name()
		problem.Hint = "make it a state of the loop"
		b.report(problem)
	}
}

// input compares the declaration of a body's input with the value passed to it.
func (b bodies) input(body *graphops.Place, i int, t graphops.Type, what string) {
	inputs := body.Graph.Inputs()
	if i >= len(inputs) {
		return
	}
	said := inputs[i].Type()
	if said.Kind == graphops.TypeUnknown || sameType(said, t) {
		return
	}
	problem := of(b.n, "input %q of the body is declared as %s, but the node passes %s, which is of type %s", inputs[i].Name(), said, what, t)
	problem.Severity, problem.Value = b.orWarning(b.n.place), inputs[i].Name()
	problem.Hint = fmt.Sprintf("declare the input as %s, or convert the value that is passed", t)
	b.report(problem)
}

// state compares the state that a body returns with the state that it was given.
func (b bodies) state(body *graphops.Place, o int, t graphops.Type, from string) {
	outputs := body.Graph.Outputs()
	if o >= len(outputs) {
		return
	}
	made, ok := b.known(body, outputs[o].Name())
	if !ok || sameType(made, t) || made.Kind == graphops.TypeOptional || t.Kind == graphops.TypeOptional {
		return
	}
	if in := body.Graph.Inputs(); o+1 < len(in) && !sameType(in[o+1].Type(), t) && in[o+1].Type().Kind != graphops.TypeUnknown {
		return // the problem is at the input of the body, where it is reported
	}
	problem := of(b.n, "output %q of the body is of type %s, but the initial state %q is of type %s", outputs[o].Name(), made, from, t)
	problem.Severity, problem.Value = b.orWarning(b.n.place), outputs[o].Name()
	problem.Hint = fmt.Sprintf("convert it to %s at the end of the body", t)
	b.report(problem)
}

func (b bodies) scan() {
	body := b.body("body")
	schema := b.schema(b.n)
	if body == nil || schema == nil || schema.Since < 9 {
		return
	}
	for i, name := range b.n.Inputs() {
		if t, ok := b.handed(i); ok {
			b.input(body, i, t, fmt.Sprintf("%q", name))
		}
	}
}
