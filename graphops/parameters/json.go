package parameters

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxHeader is how long the JSON of a safetensors file, or of an index, may be: the
// limit of the format's own readers.
const maxHeader = 100_000_000

// document reads JSON a token at a time: what a file claims is never held as a whole.
// The first error stays.
type document struct {
	d   *json.Decoder
	err error
}

func newDocument(r io.Reader) *document {
	d := json.NewDecoder(r)
	d.UseNumber()
	return &document{d: d}
}

func (d *document) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// token is the next one, nil after an error.
func (d *document) token() json.Token {
	if d.err != nil {
		return nil
	}
	t, err := d.d.Token()
	switch {
	case errors.Is(err, io.EOF):
		d.fail("the JSON ends before it is complete")
	case err != nil:
		d.fail("at byte %d of the JSON: %w", d.d.InputOffset(), err)
	}
	return t
}

func (d *document) expect(delim json.Delim) {
	if t := d.token(); d.err == nil && t != delim {
		d.fail("at byte %d of the JSON: expected %q", d.d.InputOffset(), rune(delim))
	}
}

// text is a string. What was no UTF-8 in the file has become U+FFFD, which nobody writes.
func (d *document) text() string {
	t := d.token()
	s, ok := t.(string)
	switch {
	case d.err != nil:
	case !ok:
		d.fail("at byte %d of the JSON: expected a string", d.d.InputOffset())
	case strings.ContainsRune(s, utf8.RuneError):
		d.fail("%q is no UTF-8", brief(s))
	}
	return s
}

// number is a whole number from 0 on.
func (d *document) number() int64 {
	t := d.token()
	if d.err != nil {
		return 0
	}
	n, ok := t.(json.Number)
	v, err := n.Int64()
	if !ok || err != nil || v < 0 || strings.HasPrefix(string(n), "-") {
		d.fail("at byte %d of the JSON: expected a whole number from 0 on", d.d.InputOffset())
		return 0
	}
	return v
}

// numbers is a list of at most so many of them.
func (d *document) numbers(most int) []int64 {
	d.expect('[')
	out := []int64{}
	for d.err == nil && d.d.More() {
		if len(out) == most {
			d.fail("at byte %d of the JSON: a list of more than %d numbers", d.d.InputOffset(), most)
		}
		out = append(out, d.number())
	}
	d.expect(']')
	return out
}

// object calls member with every key, each of which may stand once; member reads the
// value.
func (d *document) object(member func(key string)) {
	d.expect('{')
	seen := named{}
	for d.err == nil && d.d.More() {
		key := d.text()
		if d.err != nil {
			return
		}
		if err := seen.add(key); err != nil {
			d.fail("%w", err)
			return
		}
		member(key)
	}
	d.expect('}')
}

// skip passes over a value, however deep it nests.
func (d *document) skip() {
	depth := 0
	for {
		t := d.token()
		if d.err != nil {
			return
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return
		}
	}
}

// end makes sure that nothing follows but blanks.
func (d *document) end() error {
	if d.err == nil {
		if _, err := d.d.Token(); !errors.Is(err, io.EOF) {
			d.fail("the JSON goes on behind its end at byte %d", d.d.InputOffset())
		}
	}
	return d.err
}
