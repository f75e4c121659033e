package check

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

var versionRules = []rule{
	{
		code: "domain-missing", severity: Error,
		title: "a node belongs to a domain that is not imported",
		about: `A model, and each of its functions, imports the domains of all operators that it uses, each with a
version. The standard requires this.

ONNX Runtime rejects a model with a node of an unknown domain that is not imported, a function that
uses a domain without importing it itself, and a model without any import. For domains that it
knows, such as com.microsoft and the standard's own, it uses the newest version if the import is
missing. Such a model may behave differently with every release, so this is a warning.

The causes are scripts that add nodes without the import, and parts that were copied from another
model. "lathe metadata --set-opset DOMAIN=VERSION" adds the import to the model; use the version
that the nodes were written for. To add an import to a function, use the onnx package.`,
		place: missingDomains,
	},
	{
		code: "ir-unsupported", severity: Error,
		title: "the IR version of the model is missing, or newer than ONNX Runtime supports",
		about: `ir_version is the version of the file format that a model uses. ONNX Runtime rejects a model without
it, and one with a newer version than it was built with, even if the model uses nothing new: 1.19 to
1.22 support IR version 10, 1.23 supports 11, and 1.24 to 1.31 support 13, and 1.32 supports 14.

The cause is saving with a new onnx package, which writes its own newest version. "lathe metadata
--ir-version" sets a lower version, if the model uses nothing that needs a higher one.`,
		model: unsupportedIR,
	},
	{
		code: "ir-outdated", severity: Warning,
		title: "the model uses features that its IR version does not have",
		about: `Some features of a model need a minimum version of the file format: initializers that are not inputs
need IR version 4, sparse tensors 6, functions 8, 8-bit and 4-bit element types 9 and 10. A model of
a lower version must not use them, and the onnx checker rejects some of these models. ONNX Runtime
accepts the model whatever its version is. Other tools may ignore what they do not expect, or may
not know which initializers are inputs.

The causes are scripts that set ir_version by hand, or that add features to an old model. "lathe
metadata --ir-version" sets the right version.`,
		model: outdatedIR,
	},
}

func missingDomains(s *subject, p *graphops.Place, report reporter) {
	if p.Function == nil && len(s.model.Opsets()) == 0 {
		if p.Kind == graphops.MainGraph {
			problem := in(nil, "the model imports no operator set")
			problem.Hint = "set the version that the nodes were written for, for example: lathe metadata --set-opset ai.onnx=17"
			report(problem)
		}
		return
	}
	missing := map[string][]int{} // nodes by domain
	var order []string
	for i, n := range p.Graph.Nodes() {
		if _, ok := s.importsOf(p.Function)[n.Domain()]; ok {
			continue
		}
		if missing[n.Domain()] == nil {
			order = append(order, n.Domain())
		}
		missing[n.Domain()] = append(missing[n.Domain()], i)
	}
	list := s.model.Opsets()
	for i, domain := range order {
		problem := s.missingDomain(p, domain, missing[domain])
		if i < nearestOffered && opschema.Latest(domain) == 0 {
			if problem.Hint = importHint(list, domain); problem.Hint != importDomain {
				problem.Fix = nil
			}
		}
		report(problem)
	}
}

func (s *subject) missingDomain(p *graphops.Place, domain string, nodes []int) Problem {
	whose := "the model"
	if p.Function != nil {
		whose = fmt.Sprintf("function %q", p.Function.Key().Name)
	}
	more := ""
	switch n := len(nodes) - 1; n {
	case 0:
	case 1:
		more = "; so does 1 more node"
	default:
		more = fmt.Sprintf("; so do %d more nodes", n)
	}
	problem := of(site{p.Graph.Nodes()[nodes[0]], p, nodes[0]}, "belongs to domain %q, which %s does not import%s", domainName(domain), whose, more)
	problem.Severity = s.orWarning(p)
	if opschema.Latest(domain) > 0 && p.Function == nil {
		problem.Severity = Warning
	}
	problem.Hint = importDomain
	if p.Function == nil {
		problem.Fix = s.importing(p, domain, nodes)
	}
	return problem
}

// importDomain is the advice for a node whose domain is not imported.
const importDomain = "import the domain, in the version that the nodes were written for"

// importing returns the step that imports a domain in the newest version that the runtime supports and in
// which no operator of the nodes is withdrawn; nil if a command line cannot express it.
func (s *subject) importing(p *graphops.Place, domain string, nodes []int) *Fix {
	if strings.ContainsRune(domain, 0) {
		return nil
	}
	newest := max(s.capacity.newest(domain), 1)
	version := newest
	for version > 0 && slices.ContainsFunc(nodes, func(i int) bool {
		schema, ok := opschema.Find(domain, p.Graph.Nodes()[i].OpType(), version)
		return ok && schema.Deprecated
	}) {
		version--
	}
	if version == 0 {
		version = newest
	}
	return stating(domain, version)
}

// importHint returns a hint that names an imported domain with a similar name, if there is one.
func importHint(list []graphops.Opset, domain string) string {
	near := graphops.NearestNames(domain, func(yield func(string) bool) {
		for _, o := range list {
			if !yield(o.Domain) {
				return
			}
		}
	})
	if len(near) == 0 {
		return importDomain
	}
	return fmt.Sprintf("import the domain, or was %q meant, which the model imports?", near[0])
}

func unsupportedIR(s *subject, report reporter) {
	c := s.capacity
	switch v := s.model.IRVersion(); {
	case v == 0:
		problem := in(nil, "the model does not state its IR version")
		problem.Hint = "set the one that it needs"
		problem.Fix = statedIR(max(s.model.NeededIR().Version, 3), c)
		report(problem)
	case v < 0 || v > c.ir:
		problem := in(nil, "IR version %d, but %s supports at most %d", v, c, c.ir)
		need := s.model.NeededIR()
		problem.Hint = "set a lower one, which is enough for what the model uses"
		if problem.Fix = statedIR(max(need.Version, min(8, c.ir)), c); problem.Fix == nil {
			problem.Hint = fmt.Sprintf("the model needs IR version %d for %s", need.Version, need.What)
		}
		if unknown := s.model.UnknownField(); v > graphops.LatestIRVersion && unknown != "" {
			problem.Hint, problem.Fix = fmt.Sprintf("the model has %s, which needs a newer version; use a newer ONNX Runtime", unknown), nil
		}
		report(problem)
	}
}

// statedIR returns the fix that sets a version of the file format, if the runtime supports it.
func statedIR(version int64, c capacity) *Fix {
	if version > c.ir {
		return nil
	}
	return &Fix{Step: "metadata", Options: []Setting{{"ir-version", fmt.Sprint(version)}}}
}

func outdatedIR(s *subject, report reporter) {
	v, need := s.model.IRVersion(), s.model.NeededIR()
	if v <= 0 || need.Version <= v || need.Version > graphops.LatestIRVersion {
		return
	}
	problem := in(nil, "IR version %d does not have %s, which needs version %d", v, need.What, need.Version)
	problem.Value = need.Name
	problem.Hint = fmt.Sprintf("set IR version %d", need.Version)
	problem.Fix = statedIR(need.Version, s.capacity)
	report(problem)
}
