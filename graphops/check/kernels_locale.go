package check

import (
	"fmt"
	"strings"

	"lathe/graphops"
)

var localeRules = []rule{{
	code: "locale-missing", severity: Error,
	title: "this machine lacks the locale that a node compares text in",
	about: `A StringNormalizer that changes the case of text, or drops stop words whatever their case, does so in a locale: that of its
attribute "locale", and "en_US.UTF-8" without one. ONNX Runtime asks the machine's C library for it when it loads the model, by exactly
that name, and refuses the model with "Failed to construct locale with name" if it is not installed. Containers and minimal
installations have "C", "POSIX" and "C.UTF-8" alone. Every text pipeline that skl2onnx makes of scikit-learn has such a node.

The model itself is right: it loads on a machine that has the locale. On Debian and Ubuntu "apt-get install locales" and
"localedef -i en_US -f UTF-8 en_US.UTF-8" install one, on Fedora and RHEL "dnf install glibc-langpack-en". Or another locale is set in
the model: "C.UTF-8" is on every machine with a recent glibc and changes the case of all letters of Unicode, by the rules of no
language, which differ for few letters of few languages, such as the dotless i of Turkish.`,
	place: missingLocales,
}}

// DefaultLocale is the locale of a StringNormalizer without the attribute, on Linux.
const DefaultLocale = "en_US.UTF-8"

// portableLocale exists on every machine with a recent C library.
const portableLocale = "C.UTF-8"

func missingLocales(s *subject, p *graphops.Place, report reporter) {
	if s.HasLocale == nil {
		return
	}
	kept := keeperOf(s, p)
	for i, node := range p.Graph.Nodes() {
		n := site{node, p, i}
		if node.OpType() != "StringNormalizer" || node.Domain() != graphops.DefaultDomain || !kept.keeps(n) {
			continue
		}
		name, asked := localeOf(node)
		if !asked || s.HasLocale(name) {
			continue
		}
		problem := of(n, "locale %q is not installed on this machine, and ONNX Runtime loads no model without it", name)
		problem.Hint, problem.Fix = LocaleRemedy(name), setAttribute(n, "locale="+portableLocale)
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
	return text("locale", DefaultLocale), drops || text("case_change_action", "NONE") != "NONE"
}

// LocaleRemedy says how to install a locale, and how to change the model so that it needs none.
func LocaleRemedy(name string) string {
	language, codeset, _ := strings.Cut(name, ".")
	code, _, _ := strings.Cut(language, "_")
	if codeset == "" {
		codeset = "UTF-8"
	}
	return fmt.Sprintf("install it (Debian, Ubuntu: apt-get install locales && localedef -i %s -f %s %s; Fedora, RHEL: dnf install glibc-langpack-%s), "+
		"or set the node's locale to %s", language, codeset, name, code, portableLocale)
}
