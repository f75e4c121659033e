package text

import (
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// EscapeJSON is a writer of JSON to w that a terminal can show: what Clean would
// escape is written as \uXXXX, which means the same to whoever reads the document.
// JSON has such runes in strings only, so it need not be parsed. A rune may be
// split between two writes.
func EscapeJSON(w io.Writer) io.Writer { return &jsonEscaper{w: w} }

type jsonEscaper struct {
	w     io.Writer
	row   marks
	split []byte // the beginning of a rune
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

// add writes a rune. Line ends and tabs lay the document out.
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
