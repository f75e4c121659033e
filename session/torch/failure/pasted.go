package failure

import (
	"bytes"
	"encoding/binary"
	"html"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decoded is the text of a file as people paste and save it: UTF-8 or UTF-16, with a mark at its
// beginning or not, with the ends of lines of any system, coloured for a terminal, quoted for a
// web page or written as one line of JSON. Lines end in \n, and colours are gone.
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

// colours are sequences whose escape a page, a log or a clipboard has written out or taken away.
var colours = regexp.MustCompile(`(?:␛|\^\[|\\x1b|\\033|\\u001b|\\e)?\[\d{1,3}(?:;\d{1,3})*m`)

// unicodeOf is a text in whichever form of Unicode it is. Without a mark, zero bytes at every
// other place tell UTF-16.
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

// looked is how much of a text tells how it is encoded.
const looked = 4096

// zeros counts the zero bytes at even and at odd places.
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

// unquoted are the lines of a text from one on, without what each has in front: the sign of quoted
// mail, the indent of a list, the time and the rank of a log. It stands before mark in the first
// line. A log can have more there than in those that follow; then the first frame tells. Where the
// prefix ends, the lines end too.
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

var digits = regexp.MustCompile(`\d+`)

// mostPrefix is how long what stands in front of a line can be to be looked for again.
const mostPrefix = 400

// prefixLike matches what a line has in front that is like a prefix: the same but for numbers, and
// without the space at its end where nothing follows.
func prefixLike(prefix string) *regexp.Regexp {
	core := strings.TrimRight(prefix, " \t")
	space := prefix[len(core):]
	core = core[max(len(core)-mostPrefix, 0):]
	var quoted []string
	for _, piece := range digits.Split(core, -1) {
		quoted = append(quoted, regexp.QuoteMeta(piece))
	}
	return regexp.MustCompile("^" + strings.Join(quoted, `\d+`) + "(?:" + regexp.QuoteMeta(space) + "|[ \t]*$)")
}
