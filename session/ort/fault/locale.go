package fault

import (
	"fmt"
	"strings"
)

// locale is the explanation of a StringNormalizer whose locale the machine lacks.
func (e *explainer) locale() string {
	return fmt.Sprintf("locale %q is not installed on the machine that runs the model", e.Fault.Found)
}

// LocaleHint says how a machine gets a locale, or how a model does without it.
func LocaleHint(name string) string {
	language, codeset, _ := strings.Cut(name, ".")
	code, _, _ := strings.Cut(language, "_")
	if codeset == "" {
		codeset = "UTF-8"
	}
	return fmt.Sprintf("install it (Debian, Ubuntu: apt-get install locales && localedef -i %s -f %s %s; Fedora, RHEL: dnf install glibc-langpack-%s), "+
		"or set the node's attribute locale to one that every machine has, C.UTF-8", language, codeset, name, code)
}
