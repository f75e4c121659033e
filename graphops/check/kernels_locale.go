package check

import (
	"sync"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

var localeRules = []rule{{
	code: "locale-missing", severity: Error,
	title: "a node compares text in a locale that this machine does not have",
	about: `A StringNormalizer that changes the case of text, or that removes stop words regardless of case,
needs a locale: the one in its attribute "locale", or "en_US.UTF-8" if there is none. When ONNX
Runtime loads the model, it requests that locale from the machine's C library by exactly that name,
and rejects the model with "Failed to construct locale with name" if it is not installed. Containers
and minimal installations only have "C", "POSIX" and "C.UTF-8". Every text pipeline that skl2onnx
converts from scikit-learn has such a node.

The model itself is valid: it loads on a machine that has the locale. To install the default one,
run "apt-get install locales" and "localedef -i en_US -f UTF-8 en_US.UTF-8" on Debian and Ubuntu, or
"dnf install glibc-langpack-en" on Fedora and RHEL. Alternatively, set another locale in the model.
"C.UTF-8" exists on every machine with a recent glibc. It changes the case of all Unicode letters,
but without the rules of a particular language, which differ for a few letters such as the dotless i
of Turkish.`,
	place: missingLocales,
}}

func missingLocales(s *subject, p *graphops.Place, report reporter) {
	if s.HasLocale == nil {
		return
	}
	kept := sync.OnceValue(func() keeper { return keeperOf(s, p) })
	for i, node := range p.Graph.Nodes() {
		n := site{node, p, i}
		if !node.Is("StringNormalizer") || !kept().keeps(n) {
			continue
		}
		name, asked := localeOf(node)
		if !asked || s.HasLocale(name) {
			continue
		}
		problem := of(n, "locale %q is not installed on this machine, and ONNX Runtime does not load the model without it", name)
		problem.Hint, problem.Fix = opschema.LocaleRemedy(name), setAttribute(n, "locale="+opschema.PortableLocale)
		report(problem)
	}
}

// localeOf returns the locale that a StringNormalizer needs, and false if it needs none.
func localeOf(n *graphops.Node) (name string, asked bool) {
	text := func(attribute, without string) string {
		if a, ok := n.Attribute(attribute); ok && a.Kind() == graphops.AttrString {
			return a.Text()
		}
		return without
	}
	sensitive, _ := n.Attribute("is_case_sensitive")
	words, _ := n.Attribute("stopwords")
	drops := words != nil && len(words.Texts()) > 0 && (sensitive == nil || sensitive.Int() == 0)
	return text("locale", opschema.DefaultLocale), drops || text("case_change_action", "NONE") != "NONE"
}
