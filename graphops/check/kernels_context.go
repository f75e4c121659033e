package check

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// isCompiled reports whether a node contains a part of a model that an execution provider has
// compiled for a device. Only this provider can run it, not a kernel.
func isCompiled(n site) bool { return n.Domain() == microsoft && n.OpType() == "EPContext" }

// compiledFor returns the execution provider that a compiled node names, in the form for --ep;
// empty if it names none.
func compiledFor(n site) string {
	source, _ := settings{n}.text("source", "")
	return opschema.ShortProvider(source)
}

// compiledProblem is the problem of a compiled node on the CPU.
func compiledProblem(n site) Problem {
	provider := compiledFor(n)
	problem := of(n, "is compiled for the execution provider %s; no other can run it", cmp.Or(provider, "that made it"))
	problem.Hint = "load the model with that provider, or use the model that it was compiled from"
	if provider != "" {
		problem.Hint = fmt.Sprintf("load the model with --ep %s, or use the model that it was compiled from", provider)
	}
	return problem
}

var contextMissing = rule{
	code: "context-missing", severity: Error,
	title: "the compiled part of the model that a node refers to is missing",
	about: `A node EPContext contains a part of the model that an execution provider has compiled: either in the
attribute ep_cache_context itself (embed_mode 1), or in a file that the attribute names by a path
relative to the model's folder (embed_mode 0). The provider cannot load the model without it. The
compiled part cannot be created again from this model, which has no other description of what it
computes.

The cause is a model that was copied or downloaded without that file, or a file that was renamed.
Copy the file to the model's folder under the name that the attribute has, or compile the original
model again with session option ep.context_enable.`,
	node: missingContext,
}

func missingContext(s *subject, n site, report reporter) {
	if !isCompiled(n) {
		return
	}
	main, known := settings{n}.number("main_context", 1)
	embedded, also := settings{n}.number("embed_mode", 1)
	if !known || !also || main == 0 { // its compiled part is in another node
		return
	}
	if text, hint := s.contextFault(n, embedded != 0); text != "" {
		problem := of(n, "%s", text)
		problem.Severity, problem.Hint = s.orWarning(n.place), hint
		report(problem)
	}
}

// contextFault returns what is wrong with the location of the compiled part.
func (s *subject) contextFault(n site, embedded bool) (text, hint string) {
	const again = "compile the original model again"
	a, given := n.Attribute("ep_cache_context")
	if given {
		if _, deferred := a.Deferred(); deferred || a.RefName() != "" || a.Kind() != graphops.AttrString {
			return "", ""
		}
	}
	switch {
	case !given || a.Text() == "":
		return "attribute \"ep_cache_context\" is empty, expected the compiled part or the name of its file", again
	case embedded || s.model.Path() == "":
		return "", ""
	case !filepath.IsLocal(a.Text()):
		return fmt.Sprintf("the compiled part is outside the model's folder, in %s", graphops.ShortQuoted(a.Text())), "copy the file to the model's folder, and enter its new path"
	}
	file, err := os.Stat(filepath.Join(filepath.Dir(s.model.Path()), a.Text()))
	if err != nil || !file.Mode().IsRegular() {
		return fmt.Sprintf("the file of the compiled part, %s, is not in the model's folder", graphops.ShortQuoted(a.Text())), "copy the file to the model's folder, under that name, or " + again
	}
	return "", ""
}
