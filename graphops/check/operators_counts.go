package check

import (
	"fmt"
	"math"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

var countRules = []rule{
	{
		code: "input-count", severity: Error,
		title: "a node has more or fewer inputs than its operator accepts",
		hint:  "list as many inputs as the operator accepts",
		about: `An operator defines how many inputs a node may list. Empty names at the end count as well. ONNX
Runtime rejects a model with more or fewer: "Node with schema has input size N not in range".

The causes are an opset that does not match the nodes (the bounds of Clip are inputs since opset 11,
the axes of Squeeze since 13), nodes that were written by hand, and empty names for inputs that the
operator does not have.`,
		node: inputCount,
	},
	{
		code: "input-missing", severity: Error,
		title: "a required input is missing",
		about: `An empty name means that the input is omitted, which is allowed only for optional inputs. ONNX
Runtime rejects a model that omits a required one: "input is marked single but has an empty string
in the graph". If an operator has a variable number of inputs, such as Sum and Concat, none of them
may be omitted. ONNX Runtime accepts such a model, but then crashes (Sum, Max, Min, Mean,
com.microsoft::QLinearConcat) or fails (Concat) in every run. For QLinearLeakyRelu and
QLinearSigmoid of com.microsoft, loading the model crashes the process if the last, optional input
is not listed; an empty name in its place is enough.

The cause is a tool that removed a node or an initializer and replaced its name by an empty one.
Enter the name of the intended value.`,
		node: missingInputs,
	},
	{
		code: "output-count", severity: Error,
		title: "a node has more or fewer outputs than its operator produces, or a required output has no name",
		hint:  "list as many outputs as the operator produces",
		about: `An operator defines how many outputs a node lists, and which of them may have an empty name because
they are not used. ONNX Runtime rejects a model with more or fewer ("output size N not in range"),
and one in which a required output has no name ("output is marked single but has an empty string in
the graph"): for example, both outputs of TopK need a name, even if only one is read. A Split with
an unnamed output loads but crashes in the run.

The cause is a model that was cut by hand: only optional outputs may have an empty name.`,
		node: outputCount,
	},
}

func inputCount(s *subject, n site, report reporter) {
	schema := s.schema(n)
	if schema == nil || schema.Deprecated && !schema.Function {
		return
	}
	count := len(n.Inputs())
	if count >= schema.MinInputs && count <= schema.MaxInputs {
		return
	}
	problem := of(n, "%s, expected %s of %s", counted(count, "input"), rangeText(schema.MinInputs, schema.MaxInputs), s.operatorName(n, schema))
	problem.Severity = s.unchecked(n)
	problem.Hint = countHint(n, count, func(v *opschema.Schema) (int, int) { return v.MinInputs, v.MaxInputs })
	switch {
	case count < schema.MinInputs:
		if p, ok := schema.Input(count); ok {
			problem.Hint = join(missingFrom(p.Name, schema.MinInputs-count), problem.Hint)
		}
	case n.Inputs()[count-1] == "":
		problem.Hint = "the last one is empty; remove it"
	default:
		problem.Value = n.Inputs()[schema.MaxInputs]
		problem.Hint = join(fmt.Sprintf("%q is too many", problem.Value), problem.Hint)
	}
	report(problem)
}

// missingFrom returns the hint about required inputs that a node does not list. name is the first
// of them.
func missingFrom(name string, count int) string {
	if count == 1 {
		return fmt.Sprintf("the input %q is missing", name)
	}
	return fmt.Sprintf("the input %q and %s after it are missing", name, counted(count-1, "input"))
}

func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + "; " + b
}

// countHint says which version of the operator has this number of inputs or outputs.
func countHint(n site, count int, limits func(*opschema.Schema) (least, most int)) string {
	for _, v := range opschema.Versions(n.Domain(), n.OpType()) {
		if least, most := limits(v); count >= least && count <= most && !v.Deprecated {
			return fmt.Sprintf("%s-%d accepts this number; does the imported version match the nodes?", n.OpType(), v.Since)
		}
	}
	return ""
}

func rangeText(least, most int) string {
	switch {
	case least == most:
		return fmt.Sprint(least)
	case most == math.MaxInt:
		return fmt.Sprintf("at least %d", least)
	default:
		return fmt.Sprintf("%d to %d", least, most)
	}
}

// crashing lists the operators for which ONNX Runtime crashes the process if an input without a
// name is among a variable number of inputs. Split is also listed, which crashes if an output has
// no name.
var crashing = map[graphops.Op]bool{
	{Name: "Max"}: true, {Name: "Mean"}: true, {Name: "Min"}: true, {Name: "Split"}: true, {Name: "Sum"}: true,
	{Domain: graphops.MicrosoftDomain, Name: "QLinearConcat"}: true,
}

// needed is the number of inputs that a node must list, even if the last ones may be empty. With
// fewer, ONNX Runtime crashes when it creates the kernel.
var needed = map[graphops.Op]int{
	{Domain: graphops.MicrosoftDomain, Name: "QLinearLeakyRelu"}: 5, {Domain: graphops.MicrosoftDomain, Name: "QLinearSigmoid"}: 5,
}

func missingInputs(s *subject, n site, report reporter) {
	schema := s.schema(n)
	if schema == nil {
		return
	}
	key := n.Op()
	for i, name := range n.Inputs() {
		p, ok := schema.Input(i)
		if name != "" || !ok || p.Option == opschema.Optional {
			continue
		}
		problem := of(n, "input %d (%s) is missing, and %s requires it", i, p.Name, s.operatorName(n, schema))
		problem.Severity = s.orWarning(n.place)
		switch variadic := p.Option == opschema.Variadic; {
		case variadic && crashing[key]:
			problem.Message += ": ONNX Runtime crashes in the run"
		case variadic && n.Domain() == graphops.MicrosoftDomain:
			problem.Severity = Warning // some of its operators check what is given
		}
		problem.Hint = "enter the value that it should read"
		report(problem)
	}
	if i := len(n.Inputs()); i < needed[key] && i >= schema.MinInputs {
		p, _ := schema.Input(i)
		problem := of(n, "input %d (%s) is not listed: ONNX Runtime crashes when it loads the model", i, p.Name)
		problem.Severity, problem.Hint = s.orWarning(n.place), "list it, with an empty name if there is no value for it"
		report(problem)
	}
}

func outputCount(s *subject, n site, report reporter) {
	schema := s.schema(n)
	if schema == nil || schema.Deprecated && !schema.Function {
		return
	}
	count := len(n.Outputs())
	if count < schema.MinOutputs || count > schema.MaxOutputs {
		problem := of(n, "%s, expected %s of %s", counted(count, "output"), rangeText(schema.MinOutputs, schema.MaxOutputs), s.operatorName(n, schema))
		problem.Severity = s.orWarning(n.place)
		problem.Hint = countHint(n, count, func(v *opschema.Schema) (int, int) { return v.MinOutputs, v.MaxOutputs })
		report(problem)
		return
	}
	for i, name := range n.Outputs() {
		p, ok := schema.Output(i)
		if name != "" || !ok || isInitializer(n) {
			continue
		}
		problem := of(n, "output %d (%s) has no name, but %s always produces it", i, p.Name, s.operatorName(n, schema))
		switch {
		case p.Option == opschema.Variadic && crashing[n.Op()]:
			problem.Message += ": ONNX Runtime crashes in the run"
		case p.Option != opschema.Single:
			continue
		}
		problem.Severity = s.orWarning(n.place)
		problem.Hint = "give it a name that nothing else has"
		report(problem)
	}
}
