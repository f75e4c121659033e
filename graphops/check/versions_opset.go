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
		title: "a node is of a domain that is not imported",
		about: `A model, and each of its functions, lists the domains whose operators it uses with the version of each. The standard demands that
for every domain of a node.

ONNX Runtime refuses a model with a node of a domain that it does not know and the model does not import, a function that uses a domain
without an import of its own, and a model without any import. Its own domains, such as com.microsoft and also that of the standard, it
takes in their newest version, so that such a model means something else with every release: that is a warning.

It comes from scripts that add nodes and forget the import, and from parts that were copied out of another model. The import belongs into
the model's opset_import: "lathe metadata --set-opset DOMAIN=VERSION" states it, in the version that the nodes were written for; of a function,
which has imports of its own, the onnx package does.`,
		place: missingDomains,
	},
	{
		code: "ir-unsupported", severity: Error,
		title: "the version of the file format is missing or newer than the runtime takes",
		about: `A model states the version of the file format that it is written in, ir_version. ONNX Runtime refuses a model without one, and one of a
newer version than it was built with, whether or not the model uses anything new: 1.19 to 1.22 take IR version 10, 1.23 takes 11, and
1.24 to 1.31 take 13.

It comes from saving with a new onnx package, which states its own newest version. "lathe metadata --ir-version" states a lower one, as
far as the model uses nothing that needs more.`,
		model: unsupportedIR,
	},
	{
		code: "ir-outdated", severity: Warning,
		title: "the model uses what its version of the file format does not have",
		about: `Parts of a model came with a version of the file format: initializers that are not inputs with 4, sparse tensors with 6, functions with
8, element types of 8 and 4 bits with 9 and 10. A model of a lower version must not have them, and the onnx checker refuses some of
these. ONNX Runtime looks at what is there and takes the model; other readers may skip what they do not expect, or do not know which
initializers are inputs.

It comes from scripts that set ir_version by hand, or that add parts to an old model. "lathe metadata --ir-version" states the right one.`,
		model: outdatedIR,
	},
}

func missingDomains(s *subject, p *graphops.Place, report reporter) {
	if p.Function == nil && len(s.model.Opsets()) == 0 {
		if p.Kind == graphops.MainGraph {
			problem := in(nil, "the model imports no operator set")
			problem.Hint = "state the version that the nodes were written for, as lathe metadata --set-opset ai.onnx=17 does"
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
		more = "; so is 1 more node"
	default:
		more = fmt.Sprintf("; so are %d more nodes", n)
	}
	problem := of(site{p.Graph.Nodes()[nodes[0]], p, nodes[0]}, "is of domain %q, which %s does not import%s", domainName(domain), whose, more)
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

// importHint suggests an imported domain with a similar name.
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
		problem := in(nil, "the model does not state the version of the file format")
		problem.Hint = "state the one that it needs"
		problem.Fix = statedIR(max(s.model.NeededIR().Version, 3), c)
		report(problem)
	case v < 0 || v > c.ir:
		problem := in(nil, "IR version %d, and %s takes %d at most", v, c, c.ir)
		need := s.model.NeededIR()
		problem.Hint = "state a lower one, which is enough for what the model uses"
		if problem.Fix = statedIR(max(need.Version, min(8, c.ir)), c); problem.Fix == nil {
			problem.Hint = fmt.Sprintf("the model needs %d for %s", need.Version, need.What)
		}
		if unknown := s.model.UnknownField(); v > graphops.LatestIRVersion && unknown != "" {
			problem.Hint, problem.Fix = fmt.Sprintf("the model has %s, which came with a newer version; use a newer ONNX Runtime", unknown), nil
		}
		report(problem)
	}
}

// statedIR states a version of the file format, if the runtime supports it.
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
	problem := in(nil, "IR version %d has no place for %s, which came with %d", v, need.What, need.Version)
	problem.Value = need.Name
	problem.Hint = fmt.Sprintf("state IR version %d", need.Version)
	problem.Fix = statedIR(need.Version, s.capacity)
	report(problem)
}
