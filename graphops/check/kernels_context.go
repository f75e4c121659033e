package check

import (
	"cmp"
	"fmt"
	"sync"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// contextRules are about nodes EPContext: parts of a model that an execution provider has compiled
// for a device.
var contextRules = []rule{contextMissing, contextProvider, contextPartner}

// compiledFor returns the execution provider of a compiled node, in the form for --ep; empty if the
// node names none.
func compiledFor(c graphops.Compiled) string { return opschema.ShortProvider(c.Source) }

// hasProvider reports whether the target machine has an execution provider.
func (s *subject) hasProvider(name string) (has, known bool) {
	if s.HasProvider == nil || name == "" {
		return false, false
	}
	return s.HasProvider(name)
}

var contextMissing = rule{
	code: "context-missing", severity: Error,
	title: "the compiled part of the model that a node refers to is missing",
	about: `A node EPContext contains a part of the model that an execution provider has compiled: either in the
attribute ep_cache_context itself (embed_mode 1), or in a file that the attribute names by a path
relative to the model's folder (embed_mode 0). The provider cannot load the model without it. The
compiled part cannot be created again from this model, which has no other description of what it
computes. An absolute path, or one that leaves the folder, is reported too: it may be meant to make
a provider read another file of this machine.

The cause is a model that was copied or downloaded without that file, or a file that was renamed.
Copy the file to the model's folder under the name that the attribute has, or compile the original
model again with "lathe optimize --compile".`,
	node: missingContext,
}

func missingContext(s *subject, n site, report reporter) {
	c, ok := n.Compiled()
	if !ok {
		return
	}
	const again = "compile the original model again"
	place := graphops.ShortQuoted(c.Location())
	var text, hint string
	switch b := c.Blob(s.model); b.State {
	case graphops.BlobEmpty:
		text, hint = "attribute \"ep_cache_context\" is empty, expected the compiled part or the name of its file", again
		if b.Path != "" {
			text = fmt.Sprintf("the file of the compiled part, %s, is empty", place)
		}
	case graphops.BlobOutside:
		text, hint = "the compiled part is outside the model's folder, in "+place, "copy the file to the model's folder, and enter its new path"
	case graphops.BlobMissing:
		text, hint = fmt.Sprintf("the file of the compiled part, %s, is not in the model's folder", place), "copy the file to the model's folder, under that name, or "+again
	default:
		return
	}
	problem := of(n, "%s", text)
	problem.Severity, problem.Hint = s.orWarning(n.place), hint
	report(problem)
}

var contextProvider = rule{
	code: "context-provider", severity: Error,
	title: "a part of the model is compiled for one execution provider, perhaps for one that is not installed",
	about: `A node EPContext contains a part of the model that an execution provider has compiled. Its attribute
source names the provider. No other provider can run the node, nor can the CPU. If ONNX Runtime does
not contain the provider and no library beside it has it, no session can be created, and this is an
error. It is a warning if it is not known whether the provider is there, and worth knowing if it is.
Whether the provider accepts the compiled part also depends on the version of its software
(attribute ep_sdk_version) and on the device. Only loading the model with "--runtime-load --ep NAME"
shows that.

Install the provider ("lathe runtime list" shows those that are there), run the model on a machine
that has it, or use the model that was compiled. It cannot be made from the compiled one.`,
	place: missingProviders,
}

func missingProviders(s *subject, p *graphops.Place, report reporter) {
	kept := sync.OnceValue(func() keeper { return keeperOf(s, p) })
	for i, node := range p.Graph.Nodes() {
		c, ok := node.Compiled()
		n := site{node, p, i}
		if !ok || !kept().keeps(n) {
			continue
		}
		provider := compiledFor(c)
		has, known := s.hasProvider(provider)
		problem := of(n, "is compiled for the execution provider %s; no other can run it", cmp.Or(provider, "that made it"))
		switch {
		case known && !has:
			problem.Message = fmt.Sprintf("is compiled for the execution provider %s, which is not installed here; no other can run it", provider)
			problem.Severity = s.orWarning(p)
			problem.Hint = "install that provider, run the model on a machine that has it, or use the model that it was compiled from"
		case provider == "":
			problem.Severity, problem.Hint = Warning, "load the model with that provider, or use the model that it was compiled from"
		case known:
			problem.Severity, problem.Hint = Info, "load the model with --ep "+provider
		default:
			problem.Severity, problem.Hint = Warning, fmt.Sprintf("load the model with --ep %s, or use the model that it was compiled from", provider)
		}
		report(problem)
	}
}

var contextPartner = rule{
	code: "context-partner", severity: Warning,
	title: "a compiled node uses the compiled part of another node, and there is no such node",
	about: `Several nodes EPContext can share what an execution provider has compiled: one has it (main_context 1),
and the others refer to it (main_context 0). Here no node for the same provider has it.

This works only if a session that was created before in the same process has loaded it, with session
option ep.share_ep_contexts: then it is in another model that was compiled together with this one.
If there is no such model, the model was cut in two, or a tool has removed the node. Use the complete
model, or compile the original again.`,
	model: missingPartners,
}

func missingPartners(s *subject, report reporter) {
	nodes := s.model.CompiledNodes()
	mains := map[string]bool{}
	for _, c := range nodes {
		mains[compiledFor(c.Compiled)] = mains[compiledFor(c.Compiled)] || c.Main
	}
	for _, c := range nodes {
		if c.Main || c.Opaque || mains[compiledFor(c.Compiled)] {
			continue
		}
		problem := of(site{c.Node, c.Place, c.Index}, "uses the compiled part of another node (main_context 0), but no node for %s has one", cmp.Or(compiledFor(c.Compiled), "its provider"))
		problem.Hint = "load the model that has the compiled part first, in the same process with session option ep.share_ep_contexts=1, or compile the original model again"
		report(problem)
	}
}
