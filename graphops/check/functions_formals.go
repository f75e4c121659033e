package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

var functionFormals = rule{
	code: "function-formals", severity: Warning,
	title: "the name or the attributes that a function declares are invalid",
	about: `A function must have a name, and declare each of its attributes once, either with a default or
without. onnx.checker rejects a function without a name and one that declares an attribute twice.
ONNX Runtime 1.30 accepts both, but nothing can call a function without a name.

The cause is a tool or script that writes functions by hand.`,
	place: formalsOf,
}

func formalsOf(s *subject, p *graphops.Place, report reporter) {
	if p.Kind != graphops.FunctionBody {
		return
	}
	if p.Function.Key().Name == "" {
		problem := in(p, "the function has no name, so that nothing can call it")
		problem.Hint = "remove it, or give it a name"
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
	title: "a node of a function refers to an attribute that the function does not declare",
	about: `In a function, an attribute of a node can refer to an attribute of the call (ref_attr_name). The
function must declare that attribute, with a default or without. ONNX Runtime 1.30 and onnx.checker
accept a function that does not: the node gets the value of the call, or its operator's default if
the call has none. But people and tools that read the declaration do not see the attribute.

The cause is an attribute of a function that was renamed in one place only.`,
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
		problem := of(n, "attribute %q refers to attribute %q, which the function does not declare", a.Name(), ref)
		problem.Value, problem.Hint = ref, "declare it in the function, or give the attribute a value"
		if near, hint := s.near(ref, slices.Values(s.declared(n.place.Function).names)); len(near) > 0 {
			problem.Hint = hint
		}
		report(problem)
	}
}

var functionOpset = rule{
	code: "function-opset", severity: Warning,
	title: "a function imports another version of an operator set than the model",
	about: `A function imports operator sets itself. If it imports another version than the model, and an
operator that it uses changed between the two, onnx.checker rejects the model ("is not compatible
with the version imported by model"). ONNX Runtime 1.30 replaces each call by the nodes of the
function and interprets them by the model's version. If an attribute has become an input, it rejects
the model ("Unrecognized attribute: axes for operator ReduceSum"). If a default has changed, the
result changes without a message.

The causes are merging models of different versions, and raising the version of the main graph only.`,
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
		problem := in(p, "imports %s %d, but the model imports %d, and between these versions changed %s", domainName(o.Domain), o.Version, version, graphops.QuoteNames(changed))
		problem.Value, problem.Hint = p.Function.Key().Name, "convert the function or the model, so that both import the same version"
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
	title: "two functions of the model have the same domain, name and overload",
	about: `Domain, name and overload identify a function of a model. onnx.checker rejects a model in which two
functions have the same ones ("Model contains multiple local functions with the same implementation
id"). ONNX Runtime 1.30 loads it and uses the last one for all calls.

The cause is merging models that were exported separately and whose functions have the same name but
different content.`,
	model: duplicateFunctions,
}

func duplicateFunctions(s *subject, report reporter) {
	for _, p := range s.model.Places() {
		if p.Kind != graphops.FunctionBody || s.functions[p.Function.Key()] == p.Function {
			continue
		}
		problem := in(p, "function %s is defined again, and all calls use the last definition", functionName(p.Function.Key()))
		problem.Value, problem.Hint = p.Function.Key().Name, "remove one of them, or give it an overload and use that in its calls"
		report(problem)
	}
}
