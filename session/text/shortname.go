package text

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// cut replaces what ShortName leaves out.
const cut = "…"

// ShortName shortens a name to a width. Of a name with modules, such as
// "/vit/encoder/layer.1/attention/Softmax", it keeps the last part and the parts with numbers, which tell
// the layers apart: "…/layer.1/…/Softmax". Words before the name, such as an operator, stay. Of other
// names it leaves out the middle.
func ShortName(name string, width int) string {
	if ansi.StringWidth(name) <= width {
		return name
	}
	if at := strings.LastIndexByte(name, ' '); at > 0 && ansi.StringWidth(name[:at]) < width/2 {
		return name[:at+1] + ShortName(name[at+1:], width-1-ansi.StringWidth(name[:at]))
	}
	for _, separator := range []string{"/", "."} {
		if parts := partsOf(name, separator); len(parts) > fewest[separator] {
			if out := shortPath(parts, separator, width); out != "" {
				return out
			}
		}
	}
	return cutMiddle(name, width)
}

// fewest are the numbers of parts up to which a name has no modules: a file has a dot, too.
var fewest = map[string]int{"/": 1, ".": 2}

// partsOf splits a name. A part that is only a number belongs to the part before it.
func partsOf(name, separator string) []string {
	var out []string
	for _, p := range strings.Split(name, separator) {
		if p != "" && strings.Trim(p, "0123456789") == "" && len(out) > 0 {
			out[len(out)-1] += separator + p
			continue
		}
		out = append(out, p)
	}
	return out
}

// shortPath joins as many parts as fit: first the last one, then those with numbers, the innermost first,
// then the others from the end. It returns "" if the last part alone is too long, or if a number is lost.
func shortPath(parts []string, separator string, width int) string {
	kept := make([]bool, len(parts))
	kept[len(parts)-1] = true
	if ansi.StringWidth(joined(parts, kept, separator)) > width {
		return ""
	}
	for _, numbered := range []bool{true, false} {
		for i := len(parts) - 2; i >= 0; i-- {
			if strings.ContainsFunc(parts[i], unicode.IsDigit) != numbered {
				continue
			}
			kept[i] = true
			if ansi.StringWidth(joined(parts, kept, separator)) <= width {
				continue
			}
			kept[i] = false
			if !numbered {
				return joined(parts, kept, separator)
			}
		}
	}
	return joined(parts, kept, separator)
}

// joined joins the kept parts. One ellipsis stands for the parts between two of them.
func joined(parts []string, kept []bool, separator string) string {
	var out []string
	for i, p := range parts {
		switch {
		case kept[i]:
			out = append(out, p)
		case len(out) == 0 || out[len(out)-1] != cut:
			out = append(out, cut)
		}
	}
	words := strings.Join(out, separator)
	if separator == "." { // more dots beside those of the ellipsis are hard to read
		words = strings.ReplaceAll(strings.ReplaceAll(words, cut+separator, cut), separator+cut, cut)
	}
	return words
}
