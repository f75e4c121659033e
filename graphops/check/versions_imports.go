package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

var opsetUnsupported = rule{
	code: "opset-unsupported", severity: Error,
	title: "the model imports a version of an operator set that ONNX Runtime does not support",
	about: `Every release of ONNX Runtime supports operator sets up to some version. It rejects a model that
imports a newer version of the standard (ai.onnx), of ai.onnx.ml or of com.microsoft, even if no
node needs it: 1.19 supports opset 21, 1.22 supports 22, 1.23 supports 23, 1.24 supports 25, and
1.25 to 1.31 support 26, and 1.32 supports 28. Imports of functions count too, whether the functions are called or not.
Versions start at 1. ONNX Runtime checks an import with a lower version only if a node belongs to
the domain and no later entry has another version.

The causes are exporting with an onnx package that is newer than the runtime, and tools that import
domains which the model does not use. "lathe metadata --remove-opset DOMAIN" removes an import that
no node needs. If the nodes are the same in a version that the runtime supports, "lathe metadata
--set-opset DOMAIN=VERSION" sets that version. Otherwise export for a lower opset, convert the model
with onnx.version_converter, or use a newer ONNX Runtime. If the version does not exist yet, it is a
typing error.`,
	model: unsupportedOpsets,
}

func unsupportedOpsets(s *subject, report reporter) {
	for _, o := range s.model.Opsets() {
		s.judgeImport(importOf{s.model.Places()[0], nil, o}, report)
	}
	for _, p := range s.model.Places() {
		if p.Kind != graphops.FunctionBody {
			continue
		}
		for _, o := range p.Function.Opsets() {
			s.judgeImport(importOf{p, p.Function, o}, report)
		}
	}
}

// importOf is an import of the model, or of a function.
type importOf struct {
	place    *graphops.Place // the place whose nodes it applies to
	function *graphops.Function
	graphops.Opset
}

func (i importOf) String() string {
	owner := "the model"
	if i.function != nil {
		owner = fmt.Sprintf("function %q", i.function.Key().Name)
	}
	return fmt.Sprintf("%s imports version %d of %s", owner, i.Version, domainName(i.Domain))
}

func (s *subject) judgeImport(i importOf, report reporter) {
	newest := s.capacity.newestImport(i.Domain)
	switch {
	case newest == 0: // ONNX Runtime does not know the domain
	case i.Version < 1:
		report(s.impossibleImport(i, newest))
	case i.Version > newest:
		report(s.newerImport(i, newest))
	}
}

// impossibleImport reports a version below 1. ONNX Runtime only checks it if it applies to
// nodes.
func (s *subject) impossibleImport(i importOf, newest int64) Problem {
	problem := in(nil, "%s, which does not exist", i)
	problem.Hint = fmt.Sprintf("set the version that the nodes were written for: lathe metadata --set-opset %s=%d", domainName(i.Domain), newest)
	read, _ := s.resolved(i.place, i.Domain)
	if unused := len(s.used()[i.function][i.Domain]) == 0; read >= 1 || unused {
		problem.Severity = Warning
	}
	s.stateOther(&problem, i, read, newest)
	if drop := s.dropping(i); drop != nil {
		problem.Hint, problem.Fix = "remove the import, which no node needs", drop
	}
	return problem
}

// newerImport reports a version that the runtime rejects, independent of the nodes.
func (s *subject) newerImport(i importOf, newest int64) Problem {
	problem := in(nil, "%s, but %s supports at most %d", i, s.capacity, newest)
	problem.Hint = fmt.Sprintf("export for version %d, convert the model to it with onnx.version_converter, or use a newer ONNX Runtime", newest)
	read, _ := s.resolved(i.place, i.Domain)
	s.stateOther(&problem, i, read, newest)
	if drop := s.dropping(i); drop != nil {
		problem.Hint, problem.Fix = "remove the import, which no node needs", drop
	} else if read == i.Version && i.function == nil && s.sameSince(i, newest) {
		problem.Hint = fmt.Sprintf("import version %d, in which the nodes of the model are the same", newest)
		problem.Fix = stating(i.Domain, newest)
	}
	return problem
}

// stateOther sets hint and fix of a problem, if another import of the same domain has a supported
// version: ONNX Runtime uses that version for the nodes, so it can replace all imports of the
// domain.
func (s *subject) stateOther(problem *Problem, i importOf, read, newest int64) {
	if i.function == nil && read != i.Version && read >= 1 && read <= newest {
		problem.Hint = fmt.Sprintf("import only version %d, which another import has and which ONNX Runtime uses for the nodes", read)
		problem.Fix = stating(i.Domain, read)
	}
}

// stating returns the fix that imports a domain in one version.
func stating(domain string, version int64) *Fix {
	return &Fix{Step: "metadata", Options: []Setting{{"set-opset", fmt.Sprintf("%s=%d", domainName(domain), version)}}}
}

// dropping returns the fix that removes an import of the model; nil if a node belongs to the
// domain, or if it is the only import.
func (s *subject) dropping(i importOf) *Fix {
	others := slices.ContainsFunc(s.model.Opsets(), func(o graphops.Opset) bool { return o.Domain != i.Domain })
	if i.function != nil || !others || len(s.used()[nil][i.Domain]) > 0 {
		return nil
	}
	return &Fix{Step: "metadata", Options: []Setting{{"remove-opset", domainName(i.Domain)}}}
}

// used has the operators of each domain that a function uses, or for nil the model with all of
// its functions.
type used map[*graphops.Function]map[string][]string

func (s *subject) findUsed() used {
	type use struct {
		function   *graphops.Function
		domain, op string
	}
	seen, out := map[use]bool{}, used{nil: {}}
	for _, p := range s.model.Places() {
		for _, n := range p.Graph.Nodes() {
			for _, f := range []*graphops.Function{nil, p.Function} {
				u := use{f, n.Domain(), n.OpType()}
				if seen[u] {
					continue
				}
				seen[u] = true
				if out[f] == nil {
					out[f] = map[string][]string{}
				}
				out[f][u.domain] = append(out[f][u.domain], u.op)
			}
		}
	}
	return out
}

// sameSince reports whether no operator of the model has changed between a known version and the
// imported one, so that both can be imported.
func (s *subject) sameSince(i importOf, newest int64) bool {
	if i.Version > opschema.Latest(i.Domain) {
		return false
	}
	return !slices.ContainsFunc(s.used()[nil][i.Domain], func(op string) bool {
		was, ok := opschema.Find(i.Domain, op, i.Version)
		is, also := opschema.Find(i.Domain, op, newest)
		return !ok || !also || was.Since != is.Since
	})
}
