package check

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/shape"
)

var valueInfoStray = rule{
	code: "value-info-stray", severity: Info,
	title: "value_info of values that do not exist",
	about: `value_info tells the types of values that are neither input nor output. An entry for a name that the graph does not define is
ignored by ONNX Runtime 1.30 and by onnx.checker, but it takes room, and a value that gets the name later is given a type that was
never its own.

It is left behind by tools that remove nodes and keep what was recorded of their results. "lathe prune" with all outputs of the model
drops it.`,
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
	problem := in(p, "value_info of %s that the graph does not have: %s", counted(len(names), "value"), graphops.QuoteNames(names))
	problem.Value, problem.Hint = names[0], "drop what is recorded of values that are gone"
	report(problem)
}

var valueInfoContradiction = rule{
	code: "value-info-contradiction", severity: Warning,
	title: "a value is declared with two types",
	about: `A value may be listed once: as input, as output, or in value_info. ONNX Runtime 1.30 takes a repeated entry of value_info,
where the last one counts, and refuses the model where that says another type than the node makes; an entry for what is an input,
output or initializer of the graph is ignored. onnx.checker takes all of it. Where two entries say different types or sizes, one of them
is wrong, and which one a tool believes differs.

It comes from merging models and from tools that add what they have inferred to what was there.`,
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
	title: "a key of the model's metadata is there twice",
	about: `The keys of metadata_props must differ; onnx.checker refuses the model ("Your model has duplicate keys in metadata_props").
ONNX Runtime 1.30 loads it and keeps the last entry.

It comes from tools that add entries without looking for those that are there. "lathe metadata --set KEY=VALUE" leaves one.`,
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
		problem := in(nil, "metadata key %q is there %d times", e.Key, count[e.Key])
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
	about: `A model imports each domain once; "ai.onnx" and the empty domain are the same. ONNX Runtime 1.30 and onnx.checker take a model
that imports one in two versions and go by the last entry; other tools go by the first, and read the nodes as of another version.

It comes from merging models. Keep the version that the nodes were written for.`,
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
		problem.Hint = "keep the version that the nodes were written for; ONNX Runtime goes by the last"
		report(problem)
	}
}
