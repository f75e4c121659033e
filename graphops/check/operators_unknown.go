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
		title: "the imported operator set has no such operator",
		about: `A node names an operator of its domain, in the version that is imported. Where that version has no operator of the name, ONNX Runtime
refuses the model: "No Op registered for X with domain_version of N", or for com.microsoft "is not a registered function/op".

It comes from an opset that was lowered or stated by hand (the operator came later), from a misspelt name (capital letters count), and
from an operator of com.microsoft or ai.onnx.ml whose domain was left out. The message tells which; raise the opset, with
"lathe export --opset" so that the other nodes follow, or correct op_type and domain.

The previews of the standard, for training and for FlexAttention, ONNX Runtime has not.

In a function of the model ONNX Runtime reads the nodes by the imports of the model, not by the function's own.`,
		node: unknownOperator,
	},
	{
		code: "operator-custom", severity: Info,
		title: "an operator of a domain that only a library of custom operators knows",
		about: `A domain that neither the standard nor ONNX Runtime defines is one of custom operators: a shared library brings them, and the model
loads where that library is registered. Without it ONNX Runtime refuses the model: "is not a registered function/op".

It is as it should be for models of, say, onnxruntime-extensions or TensorRT plugins; give the library with --custom-ops where the model
is run. A domain in which the model has functions of its own is not meant here: there a name that no function has is most likely misspelt.`,
		place: customOperators,
	},
	{
		code: "operator-deprecated", severity: Error,
		title: "the operator is withdrawn from the imported operator set",
		about: `The standard has withdrawn operators: Upsample with opset 10 (Resize does its work), Scatter with 11 (ScatterElements),
TreeEnsembleClassifier and TreeEnsembleRegressor with ai.onnx.ml 5 (TreeEnsemble). Experimental ones such as Affine and ImageScaler ended
with opset 10. ONNX Runtime refuses a model that uses one in a version without it: "Op registered for X is deprecated". GroupNormalization
of opset 18 to 20 it still takes, although it is deprecated: the one of 21 has scales of another length.

It comes from raising the opset by hand. Put the successor in its place, or import the version before.`,
		node: deprecatedOperator,
	},
}

func unknownOperator(s *subject, n site, report reporter) {
	version, imported := s.resolved(n.place, n.Domain())
	if !imported || version < 1 || n.OpType() == "" || opschema.Latest(n.Domain()) == 0 || s.function(n) != nil {
		return
	}
	if s.capacity.newest(n.Domain()) == 0 {
		problem := of(n, "%s has none of the operators of %s", s.capacity, n.Domain())
		problem.Severity = s.orWarning(n.place)
		problem.Hint = "they are a preview; export the model without them"
		report(problem)
		return
	}
	if s.schema(n) != nil {
		return
	}
	problem := of(n, "%s has no operator %q", versioned(n.Domain(), version), n.OpType())
	// ONNX Runtime accepts it in any domain
	if problem.Severity = s.orWarning(n.place); n.OpType() == "Constant" {
		problem.Severity = Warning
	}
	if all := opschema.Versions(n.Domain(), n.OpType()); len(all) > 0 {
		problem = of(n, "%s has no operator %q, which came with version %d", versioned(n.Domain(), version), n.OpType(), all[0].Since)
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
	hint := fmt.Sprintf("no operator of %s has a name like it", domainName(domain))
	if domain == "com.microsoft" && isTraining(op) {
		hint = "only the training build of ONNX Runtime has it; export the model for inference, or run it with that build"
		s.nearest[key] = hint
		return hint
	}
	for _, d := range opschema.Domains() {
		if d != domain && len(opschema.Versions(d, op)) > 0 {
			hint = fmt.Sprintf("%s has an operator of that name; state it as the node's domain", domainName(d))
		}
	}
	for _, f := range s.model.Functions() {
		if k := f.Key(); k.Name == op && k.Domain != domain {
			hint = fmt.Sprintf("the model has a function of that name in domain %q; state it as the node's domain", k.Domain)
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
	problem.Hint = "give the library that has it with --custom-ops where the model is run"
	return problem
}

func deprecatedOperator(s *subject, n site, report reporter) {
	schema := s.schema(n)
	if schema == nil || !schema.Deprecated {
		return
	}
	version, _ := s.resolved(n.place, n.Domain())
	problem := of(n, "%s has the operator %q no more: version %d withdrew it", versioned(n.Domain(), version), n.OpType(), schema.Since)
	problem.Severity = s.orWarning(n.place)
	if schema.Function { // ONNX Runtime replaces it by the operators that define it
		problem.Severity = Warning
	}
	problem.Hint = fmt.Sprintf("import version %d, which has it", schema.Since-1)
	if to := successors[n.OpType()]; to != "" {
		problem.Hint = fmt.Sprintf("put %s in its place", to)
	}
	report(problem)
}

// successors are the replacements of withdrawn operators.
var successors = map[string]string{
	"Upsample": "Resize", "Scatter": "ScatterElements", "GroupNormalization": "the one of version 21",
	"TreeEnsembleClassifier": "TreeEnsemble", "TreeEnsembleRegressor": "TreeEnsemble",
}
