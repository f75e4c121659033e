package text

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// cut replaces what ShortName leaves out.
const cut = "…"

// ShortName shortens a name to a width. Of a name with modules, such as
// "/vit/encoder/layer.1/attention/Softmax", it keeps the last part and the parts with numbers, because
// these differ between layers: "…/layer.1/…/Softmax". An operator before the name stays. Of other
// texts it leaves out the middle.
func ShortName(name string, width int) string {
	if ansi.StringWidth(name) <= width {
		return name
	}
	if operator, rest, ok := strings.Cut(name, " "); ok {
		if strings.ContainsAny(operator, "/.") || strings.Contains(rest, " ") || ansi.StringWidth(operator) >= width/2 {
			return cutMiddle(name, width)
		}
		return operator + " " + ShortName(rest, width-1-ansi.StringWidth(operator))
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

// ShortNodeName shortens the name of a node whose operator stands beside it. If the last part only
// repeats the operator, the end of that part goes first: "/layers.1/attention/query/MatMul" becomes
// "/layers.1/attention/query/Ma…". If that is not enough, the parts before it are shortened as by
// ShortName.
func ShortNodeName(name, op string, width int) string {
	if ansi.StringWidth(name) <= width {
		return name
	}
	for _, separator := range []string{"/", "."} {
		before, ok := strings.CutSuffix(name, separator+op)
		room := width - ansi.StringWidth(separator+cut)
		switch {
		case !ok || op == "" || before == "" || room <= 0:
		case ansi.StringWidth(before) <= room:
			return ansi.Truncate(name, width, cut)
		default:
			return ShortName(before, room) + separator + cut
		}
	}
	return ShortName(name, width)
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
			if isNumbered(parts[i]) != numbered {
				continue
			}
			kept[i] = true
			if ansi.StringWidth(joined(parts, kept, separator)) <= width {
				continue
			}
			kept[i] = false
			if !numbered {
				return filled(parts, kept, separator, width)
			}
		}
	}
	return filled(parts, kept, separator, width)
}

// filled joins the kept parts. If there is room, the end of the innermost part that is left out fills it.
func filled(parts []string, kept []bool, separator string, width int) string {
	at := len(parts) - 2
	for at >= 0 && kept[at] {
		at--
	}
	if at < 0 {
		return joined(parts, kept, separator)
	}
	ends, wide := slices.Clone(parts), ansi.StringWidth(parts[at])
	for n := wide; n > 0; n-- {
		ends[at] = ansi.TruncateLeft(parts[at], wide-n, "")
		if out := joinedTo(ends, kept, separator, at); ansi.StringWidth(out) <= width {
			return out
		}
	}
	return joined(parts, kept, separator)
}

// isNumbered reports whether a part ends with a number of its own, such as layer.1, block3 or conv2d_4. The
// digits of wav2vec2 belong to a word.
func isNumbered(part string) bool {
	word := strings.TrimRight(part, "0123456789")
	if word == part {
		return false
	}
	return strings.HasSuffix(word, ".") || strings.HasSuffix(word, "_") || strings.HasSuffix(word, "-") || !strings.ContainsFunc(word, unicode.IsDigit)
}

// joined joins the kept parts. The parts between two of them become one ellipsis.
func joined(parts []string, kept []bool, separator string) string {
	return joinedTo(parts, kept, separator, -1)
}

// joinedTo is joined with the part at a position behind the ellipsis for the parts around it.
func joinedTo(parts []string, kept []bool, separator string, at int) string {
	var out []string
	for i, p := range parts {
		switch {
		case kept[i]:
			out = append(out, p)
		case !kept[i+1]: // the last one is always kept
		case i == at:
			out = append(out, cut+p)
		default:
			out = append(out, cut)
		}
	}
	words := strings.Join(out, separator)
	if separator == "." { // more dots beside those of the ellipsis are hard to read
		words = strings.ReplaceAll(strings.ReplaceAll(words, cut+separator, cut), separator+cut, cut)
	}
	return words
}
