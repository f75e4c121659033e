package check

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

var kernelRules = []rule{
	{
		code: "kernel-missing", severity: Error, kernels: true,
		title: "ONNX Runtime has no kernel for an operator, or none for its types",
		about: `ONNX Runtime does not implement everything that the standard allows: a kernel exists for some
versions of an operator and for some of its types. A session on the CPU rejects a model with "Could
not find an implementation for Softmax(13)" if a node has no kernel, even if no output of the node
is used. float16 is an exception: if only float has a kernel, ONNX Runtime computes in float and
inserts casts, so that float16 models load but are slower than float models. Some operators, such as
Bernoulli or Attention, are defined in the standard by other operators. ONNX Runtime replaces such a
node by its definition. This requires kernels for the operators of the definition, and an opset in
which they have not changed since the definition was written.

The causes are models in bfloat16 or float8, integer types that exporters choose for small counters,
opset 6 and older, for which few kernels are left, and operators that ONNX Runtime has only for
other execution providers than the CPU, such as com.microsoft::NhwcConv. If a provider such as CUDA
has the kernel, the model loads with that provider. (A node EPContext, which a provider has compiled,
is the subject of context-provider.)

Insert casts around the node to a type that has a kernel, or export the model in float or for a
newer opset.`,
		place: missingKernels,
	},
}

func missingKernels(s *subject, p *graphops.Place, report reporter) {
	if _, err := s.shapes(); err != nil {
		return
	}
	var kernels opschema.Answers
	kept := sync.OnceValue(func() keeper { return keeperOf(s, p) })
	var types []graphops.Type // of the present node
	for i, node := range p.Graph.Nodes() {
		n := site{node, p, i}
		if i%4096 == 0 && s.ctx.Err() != nil {
			return
		}
		var need opschema.Need
		need, types = s.needOf(n, types[:0])
		answer := kernels.OnCPU(need)
		if answer.Way != opschema.Missing || node.IsCompiled() || !kept().keeps(n) {
			continue
		}
		w := lacking{answer, opschema.KernelVersions(s.Runtime, opschema.CPU, answer.Schema.Domain, answer.Schema.Name), need.Opset}
		problem := of(n, "%s", w.message())
		problem.Hint = w.hint()
		report(problem)
	}
}

// needOf returns what a node needs a kernel for. The types are in room, which it returns too.
func (s *subject) needOf(n site, room []graphops.Type) (opschema.Need, []graphops.Type) {
	c := s.operatorOf(n)
	need := opschema.Need{Runtime: s.Runtime, Schema: c.schema, Version: c.version, Opset: c.opset, Node: n.Node}
	if need.Schema != nil {
		x := n.place.Graph.Index()
		inputs := x.Inputs(n.index)
		room = s.appendTypes(s.appendTypes(room, n.place, inputs), n.place, x.Outputs(n.index))
		need.Inputs, need.Outputs = room[:len(inputs)], room[len(inputs):]
	}
	return need, room
}

// appendTypes appends the types of values, as far as they are known, to a list.
func (s *subject) appendTypes(list []graphops.Type, p *graphops.Place, values []graphops.ValueID) []graphops.Type {
	for _, v := range values {
		list = append(list, withoutShape(s.inferredAt(p, v).Type))
	}
	return list
}

// lacking is a missing kernel.
type lacking struct {
	opschema.Answer
	versions []int64 // those of the operator that have a kernel
	opset    int64
}

// message returns the text of the problem. It names the version if the version has no kernel, and
// otherwise the types.
func (w lacking) message() string {
	name := fmt.Sprintf("%s-%d", w.Schema.Name, w.Schema.Since)
	switch {
	case w.Shortfall != nil:
		return w.shortfall(name, w.Inputs[0])
	case len(w.versions) == 0:
		return fmt.Sprintf("ONNX Runtime has no kernel for %s on the CPU", name)
	case len(w.Refused) == 0:
		return fmt.Sprintf("ONNX Runtime has no kernel for %s on the CPU, only for version %s", name, spelledVersions(w.versions))
	}
	var variable string
	var given graphops.Type
	var takes []string
	for _, k := range w.Refused {
		v, t, _ := k.Takes(w.Schema, w.Inputs, w.Outputs)
		if variable != "" && v != variable {
			return fmt.Sprintf("ONNX Runtime has no kernel on the CPU for %s of %s", name, spelledTypes(w.Inputs))
		}
		variable, given = v, t
		c, _ := (&opschema.Schema{Constraints: k.Constraints}).Constraint(v)
		for _, t := range c.Types {
			takes = append(takes, t.String())
		}
	}
	slices.Sort(takes)
	message := fmt.Sprintf("ONNX Runtime has no kernel on the CPU for %s where %s is %s", name, variable, given)
	if takes = slices.Compact(takes); len(takes) <= typesShown {
		message += ", only for " + strings.Join(takes, ", ")
	}
	return message
}

// shortfall returns the message for an operator whose definition does not help. t is the type of
// its first input.
func (w lacking) shortfall(name string, t graphops.Type) string {
	switch s := w.Shortfall; {
	case s.Alike:
		return fmt.Sprintf("ONNX Runtime has no kernel on the CPU for %s of %s with %s, and its definition by other operators needs the same type for both", name, t, w.Inputs[1])
	case s.Part != nil:
		return fmt.Sprintf("ONNX Runtime has no kernel on the CPU for %s of %s, nor for %s-%d, by which it is defined", name, t, s.Part.Name, s.Part.Since)
	default:
		return fmt.Sprintf("ONNX Runtime has no kernel on the CPU for %s of %s, and its definition by other operators in opset %d supports only %s", name, t, w.opset, s.Only)
	}
}

// typesShown is the maximum number of types in a message.
const typesShown = 12

func spelledVersions(list []int64) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, ", ")
}

func spelledTypes(list []graphops.Type) string {
	var words []string
	for _, t := range list {
		if t.Kind != graphops.TypeUnknown {
			words = append(words, t.String())
		}
	}
	return strings.Join(words, ", ")
}

func (w lacking) hint() string {
	const elsewhere = "another execution provider may have one"
	switch {
	case len(w.versions) == 0:
		return elsewhere
	case len(w.Refused) == 0:
		return "export the model for an opset that has one of these versions; " + elsewhere
	default:
		return "insert casts around the node to a type that has one; " + elsewhere
	}
}
