package opschema

import (
	"fmt"
	"strings"
)

// DefaultLocale is the locale of a StringNormalizer without the attribute, on Linux.
const DefaultLocale = "en_US.UTF-8"

// PortableLocale exists on every machine with a recent C library.
const PortableLocale = "C.UTF-8"

// LocaleRemedy says how to install a locale, and how to change the model so that it needs none.
func LocaleRemedy(name string) string {
	language, codeset, _ := strings.Cut(name, ".")
	code, _, _ := strings.Cut(language, "_")
	if codeset == "" {
		codeset = "UTF-8"
	}
	return fmt.Sprintf("install it (Debian, Ubuntu: apt-get install locales && localedef -i %s -f %s %s; Fedora, RHEL: dnf install glibc-langpack-%s), "+
		"or set the node's locale to %s", language, codeset, name, code, PortableLocale)
}
