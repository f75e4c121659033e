package text

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Lines is a writer that makes text safe to print on a terminal before it writes it to W. It
// escapes what CleanLine would escape, except line breaks. A rune may be split between two writes.
type Lines struct {
	W io.Writer
	// Changed is true if something was escaped.
	Changed bool

	row   marks
	split []byte // the first bytes of a rune whose other bytes are in the next write
	out   strings.Builder
}

// Write implements io.Writer.
func (l *Lines) Write(p []byte) (int, error) {
	l.out.Reset()
	for i, c := range p {
		if len(l.split) == 0 && c >= 0x20 && c < 0x7f {
			l.row = 0
			l.out.WriteByte(c)
			continue
		}
		l.split = append(l.split, p[i])
		for len(l.split) > 0 && utf8.FullRune(l.split) {
			r, n := utf8.DecodeRune(l.split)
			l.add(r, l.split[:n])
			l.split = append(l.split[:0], l.split[n:]...)
		}
	}
	if _, err := io.WriteString(l.W, l.out.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// add writes a rune, escaped if necessary. b are its bytes; a byte that is not valid UTF-8 is
// written as \xNN.
func (l *Lines) add(r rune, b []byte) {
	switch {
	case r == utf8.RuneError && len(b) == 1:
		fmt.Fprintf(&l.out, `\x%02x`, b[0])
	case l.row.print(r), r == '\n':
		l.out.WriteRune(r)
		return
	default:
		writeEscaped(&l.out, r)
	}
	l.Changed = true
}
