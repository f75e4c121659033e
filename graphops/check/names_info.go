package check

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/shape"
)

var valueInfoStray = rule{
	code: "value-info-stray", severity: Info,
	title: "value_info has entries for values that do not exist",
	about: `value_info has the types of values that are neither input nor output. ONNX Runtime 1.30 and
onnx.checker ignore an entry for a name that the graph does not define. But the entry takes space,
and if a value gets this name later, the entry gives it a wrong type.

The cause is a tool that removes nodes but keeps the entries for their results. "lathe prune" with
all outputs of the model removes such entries.`,
	place: strayInfo,
}

func strayInfo(_ *subject, p *graphops.Place, report reporter) {
	x := p.Graph.Index()
	var names []string
	for _, v := range p.Graph.ValueInfo() {
		if id, ok := x.Value(v.Name()); !ok || !x.IsDefined(id) && p.Kind == graphops.MainGraph {
			names = append(names, v.Name())
		}
	}
	if len(names) == 0 {
		return
	}
	problem := in(p, "value_info has entries for %s that the graph does not have: %s", counted(len(names), "value"), graphops.QuoteNames(names))
	problem.Value, problem.Hint = names[0], "remove the entries for values that do not exist"
	report(problem)
}

var valueInfoContradiction = rule{
	code: "value-info-contradiction", severity: Warning,
	title: "a value is declared with two different types",
	about: `A value may be declared once: as an input, as an output, or in value_info. ONNX Runtime 1.30 accepts
a repeated entry of value_info. It uses the last one, and rejects the model if that type differs
from the one that the node produces. It ignores an entry for an input, output or initializer of the
graph. onnx.checker accepts all of these. If two entries have different types or sizes, one of them
is wrong, and tools differ in which one they use.

The causes are merging models, and tools that add inferred types to existing entries.`,
	place: contradictingInfo,
}

func contradictingInfo(_ *subject, p *graphops.Place, report reporter) {
	known := make(map[string]*graphops.ValueInfo, len(p.Graph.ValueInfo()))
	for _, list := range [][]*graphops.ValueInfo{p.Graph.Inputs(), p.Graph.Outputs(), p.Graph.ValueInfo()} {
		for _, v := range list {
			before, ok := known[v.Name()]
			if !ok {
				known[v.Name()] = v
				continue
			}
			if what := shape.Contradiction(shape.FromFile(before.Type()), shape.FromFile(v.Type())); what != "" {
				problem := in(p, "%q is declared with two types: %s", v.Name(), what)
				problem.Value, problem.Hint = v.Name(), "keep the right one"
				report(problem)
			}
		}
	}
}

var metadataDuplicate = rule{
	code: "metadata-duplicate", severity: Warning,
	title: "a key occurs more than once in the model's metadata",
	about: `The keys of metadata_props must be unique; onnx.checker rejects the model otherwise ("Your model has
duplicate keys in metadata_props"). ONNX Runtime 1.30 loads it and keeps the last entry.

The cause is a tool that adds entries without checking for existing ones. "lathe metadata --set
KEY=VALUE" leaves one entry.`,
	model: duplicateMetadata,
}

func duplicateMetadata(s *subject, report reporter) {
	entries := s.model.Metadata()
	last := make(map[string]string, len(entries))
	count := make(map[string]int, len(entries))
	for _, e := range entries {
		last[e.Key] = e.Value
		count[e.Key]++
	}
	for _, e := range entries {
		if count[e.Key] < 2 {
			continue
		}
		problem := in(nil, "metadata key %q occurs %d times", e.Key, count[e.Key])
		problem.Hint = "keep one entry; ONNX Runtime keeps the last"
		if e.Key != "" && !strings.Contains(e.Key, "=") && !strings.ContainsRune(e.Key+last[e.Key], 0) {
			problem.Fix = &Fix{Step: "metadata", Options: []Setting{{"set", e.Key + "=" + last[e.Key]}}}
		}
		count[e.Key] = 0
		report(problem)
	}
}

var opsetDuplicate = rule{
	code: "opset-duplicate", severity: Warning,
	title: "an operator set is imported in two versions",
	about: `A model imports each domain once; "ai.onnx" and the empty domain are the same. ONNX Runtime 1.30 and
onnx.checker accept a model that imports a domain in two versions, and use the last entry. Other
tools use the first one, and interpret the nodes by another version.

The cause is merging models. Keep the version that the nodes were written for.`,
	model: duplicateOpsets,
}

func duplicateOpsets(s *subject, report reporter) {
	duplicateImports(nil, s.model.Opsets(), report)
	for _, p := range s.model.Places() {
		if p.Kind == graphops.FunctionBody {
			duplicateImports(p, p.Function.Opsets(), report)
		}
	}
}

func duplicateImports(p *graphops.Place, list []graphops.Opset, report reporter) {
	first := make(map[string]int64, len(list))
	for _, o := range list {
		version, ok := first[o.Domain]
		if !ok {
			first[o.Domain] = o.Version
			continue
		}
		if version == o.Version {
			continue
		}
		problem := in(p, "domain %q is imported in version %d and in version %d", domainName(o.Domain), version, o.Version)
		problem.Hint = "keep the version that the nodes were written for; ONNX Runtime uses the last"
		report(problem)
	}
}
