package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

var operatorRules = []rule{
	{
		code: "operator-unknown", severity: Error,
		title: "the imported version of the operator set does not have this operator",
		about: `A node refers to an operator of its domain, in the version that the model imports. If that version
does not have the operator, ONNX Runtime rejects the model: "No Op registered for X with
domain_version of N", or for com.microsoft "is not a registered function/op".

The causes are an opset that was lowered or set by hand (the operator was added later), a misspelt
name (case matters), and an operator of com.microsoft or ai.onnx.ml whose domain is missing. The
message says which of these it is. Raise the opset with "lathe export --opset", which also converts
the other nodes, or correct op_type and domain.

ONNX Runtime does not have the preview domains of the standard, for training and for FlexAttention.

In a function of the model, ONNX Runtime interprets the nodes by the imports of the model, not by
those of the function.`,
		node: unknownOperator,
	},
	{
		code: "operator-custom", severity: Info,
		title: "an operator belongs to a domain that only a library of custom operators defines",
		about: `If neither the standard nor ONNX Runtime defines a domain, its operators are custom operators of a
shared library. The model loads only if that library is registered. Otherwise ONNX Runtime rejects
it: "is not a registered function/op".

This is normal for models that use, for example, onnxruntime-extensions or TensorRT plugins: name
the library with --custom-ops when you run the model. Domains in which the model has functions are
not reported here, because an unknown name in such a domain is most likely misspelt.`,
		place: customOperators,
	},
	{
		code: "operator-deprecated", severity: Error,
		title: "the imported version of the operator set no longer has this operator",
		about: `The standard has withdrawn some operators: Upsample in opset 10 (use Resize), Scatter in 11 (use
ScatterElements), TreeEnsembleClassifier and TreeEnsembleRegressor in ai.onnx.ml 5 (use
TreeEnsemble). Experimental operators such as Affine and ImageScaler ended with opset 10. ONNX
Runtime rejects a model that uses one in a version without it: "Op registered for X is deprecated".
It still accepts GroupNormalization of opset 18 to 20, although that version is deprecated: in
version 21 the scale has another length.

The cause is an opset that was raised by hand. Replace the operator by its successor, or import the
previous version.`,
		node: deprecatedOperator,
	},
}

func unknownOperator(s *subject, n site, report reporter) {
	version, imported := s.resolved(n.place, n.Domain())
	if !imported || version < 1 || n.OpType() == "" || opschema.Latest(n.Domain()) == 0 || s.function(n) != nil {
		return
	}
	if s.capacity.newest(n.Domain()) == 0 {
		problem := of(n, "%s does not have the operators of %s", s.capacity, n.Domain())
		problem.Severity = s.orWarning(n.place)
		problem.Hint = "they are a preview of the standard; export the model without them"
		report(problem)
		return
	}
	// The schemas of com.microsoft may be of an older release than the kernels.
	if s.schema(n) != nil || len(opschema.KernelVersions(s.Runtime, opschema.CPU, n.Domain(), n.OpType())) > 0 && n.Domain() == graphops.MicrosoftDomain {
		return
	}
	problem := of(n, "%s has no operator %q", versioned(n.Domain(), version), n.OpType())
	// ONNX Runtime accepts it in any domain
	if problem.Severity = s.orWarning(n.place); n.Is("Constant") {
		problem.Severity = Warning
	}
	if all := opschema.Versions(n.Domain(), n.OpType()); len(all) > 0 {
		problem = of(n, "%s has no operator %q, which was added in version %d", versioned(n.Domain(), version), n.OpType(), all[0].Since)
		problem.Severity = s.orWarning(n.place)
		problem.Hint = fmt.Sprintf("convert the model to version %d of %s", all[0].Since, domainName(n.Domain()))
		report(problem)
		return
	}
	problem.Hint = s.nearestOperators(n.Domain(), n.OpType())
	report(problem)
}

func versioned(domain string, version int64) string {
	return fmt.Sprintf("version %d of %s", version, domainName(domain))
}

// nearestOperators suggests the same name in another domain before similar names.
func (s *subject) nearestOperators(domain, op string) string {
	key := operator{domain: domain, op: op}
	if hint, known := s.nearest[key]; known || len(s.nearest) >= nearestOffered {
		return hint
	}
	hint := fmt.Sprintf("no operator of %s has a similar name", domainName(domain))
	if domain == "com.microsoft" && isTraining(op) {
		hint = "only the training build of ONNX Runtime has it; export the model for inference, or run it with that build"
		s.nearest[key] = hint
		return hint
	}
	for _, d := range opschema.Domains() {
		if d != domain && len(opschema.Versions(d, op)) > 0 {
			hint = fmt.Sprintf("%s has an operator of that name; set the node's domain to it", domainName(d))
		}
	}
	for _, f := range s.model.Functions() {
		if k := f.Key(); k.Name == op && k.Domain != domain {
			hint = fmt.Sprintf("the model has a function of that name in domain %q; set the node's domain to it", k.Domain)
		}
	}
	if near := graphops.NearestNames(op, slices.Values(opschema.Names(domain))); len(near) > 0 {
		hint = "nearest names: " + graphops.QuoteNames(near)
	}
	s.nearest[key] = hint
	return hint
}

// customOperators reports every custom operator of a place once, because a model may have
// thousands of nodes with it.
func customOperators(s *subject, p *graphops.Place, report reporter) {
	count := map[operator]int{}
	first := map[operator]int{}
	var order []operator
	for i, n := range p.Graph.Nodes() {
		if opschema.Latest(n.Domain()) > 0 || n.OpType() == "" || len(s.domains()[n.Domain()]) > 0 {
			continue
		}
		key := operator{domain: n.Domain(), op: n.OpType()}
		if count[key]++; count[key] == 1 {
			first[key], order = i, append(order, key)
		}
	}
	for _, key := range order {
		if _, imported := s.resolved(p, key.domain); imported {
			report(customOperator(site{p.Graph.Nodes()[first[key]], p, first[key]}, key, count[key]))
		}
	}
}

func customOperator(n site, key operator, count int) Problem {
	more := ""
	if count > 1 {
		more = fmt.Sprintf(" (%d nodes)", count)
	}
	problem := of(n, "%q of domain %q is a custom operator%s", key.op, key.domain, more)
	problem.Hint = "name its library with --custom-ops when you run the model"
	return problem
}

func deprecatedOperator(s *subject, n site, report reporter) {
	schema := s.schema(n)
	if schema == nil || !schema.Deprecated {
		return
	}
	version, _ := s.resolved(n.place, n.Domain())
	problem := of(n, "%s no longer has the operator %q: version %d withdrew it", versioned(n.Domain(), version), n.OpType(), schema.Since)
	problem.Severity = s.orWarning(n.place)
	if schema.Function { // ONNX Runtime replaces it by the operators that define it
		problem.Severity = Warning
	}
	problem.Hint = fmt.Sprintf("import version %d, which has it", schema.Since-1)
	if to := successors[n.OpType()]; to != "" {
		problem.Hint = fmt.Sprintf("replace it by %s", to)
	}
	report(problem)
}

// successors are the replacements of withdrawn operators.
var successors = map[string]string{
	"Upsample": "Resize", "Scatter": "ScatterElements", "GroupNormalization": "the one of version 21",
	"TreeEnsembleClassifier": "TreeEnsemble", "TreeEnsembleRegressor": "TreeEnsemble",
}
