package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

var functionFormals = rule{
	code: "function-formals", severity: Warning,
	title: "what a function declares of itself does not hold together",
	about: `A function has a name, and each of its attributes is declared once, either with a default or without. onnx.checker refuses a
function without a name and one that declares an attribute twice; ONNX Runtime 1.30 takes both, the first as a function that nothing can
call.

It comes from tools that write functions by hand.`,
	place: formalsOf,
}

func formalsOf(s *subject, p *graphops.Place, report reporter) {
	if p.Kind != graphops.FunctionBody {
		return
	}
	if p.Function.Key().Name == "" {
		problem := in(p, "the function has no name, so that nothing can call it")
		problem.Hint = "take it away, or name it"
		report(problem)
	}
	seen := map[string]bool{}
	for _, name := range s.declared(p.Function).names {
		if seen[name] {
			problem := in(p, "attribute %q is declared twice", name)
			problem.Value, problem.Hint = name, "declare it once"
			report(problem)
		}
		seen[name] = true
	}
}

// declared are the attributes that a function declares, with and without defaults.
type declared struct {
	names []string // in file order
	has   map[string]bool
}

func declaredBy(f *graphops.Function) *declared {
	d := &declared{f.AttributeNames(), map[string]bool{}}
	for _, a := range f.DefaultAttributes() {
		d.names = append(d.names, a.Name())
	}
	for _, name := range d.names {
		d.has[name] = true
	}
	return d
}

// declared returns the attributes of a function. It is called for every node in it, so it is
// cached.
func (s *subject) declared(f *graphops.Function) *declared {
	if s.formals[f] == nil {
		s.formals[f] = declaredBy(f)
	}
	return s.formals[f]
}

var functionAttribute = rule{
	code: "function-attribute-undeclared", severity: Warning,
	title: "a node follows an attribute that its function does not declare",
	about: `In a function, an attribute of a node may follow one of the call (ref_attr_name). The function must declare it, with a default
or without. ONNX Runtime 1.30 and onnx.checker take a function that does not: the attribute gets what a call happens to give, and where
none does, the node's own default. A person or tool that looks at the declaration does not learn of it.

It comes from renaming an attribute of a function in one place only.`,
	node: undeclaredAttributes,
}

func undeclaredAttributes(s *subject, n site, report reporter) {
	if n.place.Function == nil {
		return
	}
	for _, a := range n.Attributes() {
		ref := a.RefName()
		if ref == "" || s.declared(n.place.Function).has[ref] {
			continue
		}
		problem := of(n, "attribute %q follows %q, which the function does not declare", a.Name(), ref)
		problem.Value, problem.Hint = ref, "declare it, or give the attribute a value"
		if near, hint := s.near(ref, slices.Values(s.declared(n.place.Function).names)); len(near) > 0 {
			problem.Hint = hint
		}
		report(problem)
	}
}

var functionOpset = rule{
	code: "function-opset", severity: Warning,
	title: "a function imports another version of an operator set than the model",
	about: `A function imports operator sets of its own. Where it imports another version than the model, and an operator that it uses
changed between the two, onnx.checker refuses the model ("is not compatible with the version imported by model"). ONNX Runtime 1.30 puts
the function in the place of its call and reads the nodes by the model's version: attributes that became inputs make it refuse the model
("Unrecognized attribute: axes for operator ReduceSum"), and a default that changed changes the result without a word.

It comes from merging models of different versions, and from raising the version of the main graph alone.`,
	place: differingOpsets,
}

func differingOpsets(s *subject, p *graphops.Place, report reporter) {
	if p.Function == nil || p.Kind != graphops.FunctionBody {
		return
	}
	for _, o := range p.Function.Opsets() {
		version, ok := s.model.Opset(o.Domain)
		if !ok || version == o.Version {
			continue
		}
		changed := s.changedOperators(p, o, version)
		if len(changed) == 0 {
			continue
		}
		problem := in(p, "imports %s %d, the model %d, and in between changed %s", domainName(o.Domain), o.Version, version, graphops.QuoteNames(changed))
		problem.Value, problem.Hint = p.Function.Key().Name, "bring function and model to one version"
		report(problem)
	}
}

// changedOperators returns the operators of a function, in the order of first use, that differ
// in another version of the domain.
func (s *subject) changedOperators(p *graphops.Place, o graphops.Opset, version int64) []string {
	seen := map[string]bool{}
	var changed []string
	for _, n := range p.Graph.Nodes() {
		if n.Domain() != o.Domain || seen[n.OpType()] || s.functions[n.Calls()] != nil {
			continue
		}
		seen[n.OpType()] = true
		a, inFunction := opschema.Find(o.Domain, n.OpType(), o.Version)
		b, inModel := opschema.Find(o.Domain, n.OpType(), version)
		if inFunction != inModel || inFunction && a.Since != b.Since {
			changed = append(changed, n.OpType())
		}
	}
	return changed
}

var functionDuplicate = rule{
	code: "function-duplicate", severity: Warning,
	title: "two functions of the model are called alike",
	about: `Domain, name and overload tell the functions of a model apart. onnx.checker refuses a model where two have the same ("Model
contains multiple local functions with the same implementation id"). ONNX Runtime 1.30 loads it and takes the last one, for all calls.

It comes from merging models that were exported apart, whose functions have one name and different content.`,
	model: duplicateFunctions,
}

func duplicateFunctions(s *subject, report reporter) {
	for _, p := range s.model.Places() {
		if p.Kind != graphops.FunctionBody || s.functions[p.Function.Key()] == p.Function {
			continue
		}
		problem := in(p, "function %s is there again, and the last one is what calls get", functionName(p.Function.Key()))
		problem.Value, problem.Hint = p.Function.Key().Name, "take one away, or give it an overload and its callers too"
		report(problem)
	}
}
