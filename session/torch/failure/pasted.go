package failure

import (
	"bytes"
	"encoding/binary"
	"html"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"lathe/graphops/pattern"
)

// decoded normalizes a text that people paste and save. It accepts UTF-8 or UTF-16 with or without
// a byte order mark, the line ends of any system, terminal colours, HTML escapes, and a text
// written as one line of JSON. In the result lines end in \n and colours are removed.
func decoded(b []byte) string {
	s := strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u00a0", " ").Replace(unicodeOf(b))
	s = colours.ReplaceAllString(plain(s), "")
	if !strings.Contains(s, "\n  File ") && strings.Contains(s, `(most recent call last):\n`) {
		s = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\"`, `"`, `\'`, "'").Replace(s)
	}
	if strings.Contains(s, "File &quot;") || strings.Contains(s, "File &#34;") {
		s = html.UnescapeString(s)
	}
	return s
}

// colours matches colour sequences whose escape character was written out or removed by a web page,
// a log or the clipboard.
var colours = pattern.New(`(?:␛|\^\[|\\x1b|\\033|\\u001b|\\e)?\[\d{1,3}(?:;\d{1,3})*m`)

// unicodeOf decodes UTF-8 or UTF-16. Without a byte order mark, many zero bytes at every other
// position indicate UTF-16.
func unicodeOf(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		b = b[3:]
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return utf16Of(b[2:], binary.LittleEndian)
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return utf16Of(b[2:], binary.BigEndian)
	}
	switch even, odd := zeros(b); {
	case odd > even && odd >= len(b[:min(len(b), looked)])/4:
		return utf16Of(b, binary.LittleEndian)
	case even > odd && even >= len(b[:min(len(b), looked)])/4:
		return utf16Of(b, binary.BigEndian)
	}
	if utf8.Valid(b) {
		return string(b)
	}
	return string(bytes.ToValidUTF8(b, []byte("�")))
}

// looked is how much of a text is examined to find its encoding.
const looked = 4096

// zeros counts the zero bytes at even and odd positions.
func zeros(b []byte) (even, odd int) {
	for i, c := range b[:min(len(b), looked)] {
		switch {
		case c != 0:
		case i%2 == 0:
			even++
		default:
			odd++
		}
	}
	return even, odd
}

func utf16Of(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

// unquoted removes the common prefix of lines: the sign of quoted mail, the indentation of a list,
// the time and rank in a log. In the first line the prefix is what precedes mark. In a log the
// first line can have a longer prefix than the others; then the first frame determines it. The
// result ends at the first line without the prefix.
func unquoted(lines []string, mark string) []string {
	before, _, _ := strings.Cut(lines[0], mark)
	out := []string{strings.TrimPrefix(lines[0], before)}
	if len(lines) == 1 {
		return out
	}
	same := prefixLike(before)
	if !same.MatchString(lines[1]) && strings.TrimSpace(lines[1]) != "" {
		before, _, _ = strings.Cut(lines[1], `  File "`)
		if before == "" || before == lines[1] {
			return append(out, lines[1:]...)
		}
		same = prefixLike(before)
	}
	for _, line := range lines[1:] {
		switch at := same.FindStringIndex(line); {
		case at != nil:
			out = append(out, line[at[1]:])
		case strings.TrimSpace(line) == "":
			out = append(out, "")
		default:
			return out
		}
	}
	return out
}

var digits = pattern.New(`\d+`)

// mostPrefix limits how much of a prefix is compared.
const mostPrefix = 400

// prefixLike matches prefixes that differ from the given one only in numbers, or lack its trailing
// space because nothing follows.
func prefixLike(prefix string) *regexp.Regexp {
	core := strings.TrimRight(prefix, " \t")
	space := prefix[len(core):]
	core = core[max(len(core)-mostPrefix, 0):]
	var quoted []string
	for _, piece := range digits.Compiled().Split(core, -1) {
		quoted = append(quoted, regexp.QuoteMeta(piece))
	}
	return regexp.MustCompile("^" + strings.Join(quoted, `\d+`) + "(?:" + regexp.QuoteMeta(space) + "|[ \t]*$)")
}
