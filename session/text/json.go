package text

import (
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeJSON returns a writer that makes JSON safe to print on a terminal before it writes it to w.
// Runes that Clean would escape are written as \uXXXX, which has the same meaning in JSON. They can
// only occur within strings, so the JSON need not be parsed. A rune may be split between two
// writes.
func EscapeJSON(w io.Writer) io.Writer { return &jsonEscaper{w: w} }

type jsonEscaper struct {
	w     io.Writer
	row   marks
	split []byte // the first bytes of a rune whose other bytes are in the next write
	out   []byte
}

// Write implements io.Writer.
func (e *jsonEscaper) Write(p []byte) (int, error) {
	e.out = e.out[:0]
	for rest := p; len(rest) > 0; {
		if len(e.split) == 0 && rest[0] < utf8.RuneSelf {
			e.add(rune(rest[0]))
			rest = rest[1:]
			continue
		}
		e.split = append(e.split, rest[0])
		rest = rest[1:]
		for utf8.FullRune(e.split) && len(e.split) > 0 {
			r, n := utf8.DecodeRune(e.split)
			e.add(r)
			e.split = append(e.split[:0], e.split[n:]...)
		}
	}
	if _, err := e.w.Write(e.out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// add writes a rune. Line breaks and tabs stay, because they are the layout of the document.
func (e *jsonEscaper) add(r rune) {
	switch {
	case e.row.print(r), r == '\n', r == '\t':
		e.out = utf8.AppendRune(e.out, r)
	case r > 0xffff:
		high, low := utf16.EncodeRune(r)
		e.out = fmt.Appendf(e.out, `\u%04x\u%04x`, high, low)
	default:
		e.out = fmt.Appendf(e.out, `\u%04x`, r)
	}
}
