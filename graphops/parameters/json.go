package parameters

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// maxHeader is the maximum length of the JSON in a safetensors file or index, in bytes. It is the
// limit of the reference implementation of the format.
const maxHeader = 100_000_000

// document reads JSON token by token, so that it is never in memory as a whole. It keeps the first
// error, after which it reads nothing more.
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

// token returns the next token. It returns nil after an error.
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

// text reads a string. It rejects the character U+FFFD, which the JSON decoder returns for invalid
// UTF-8.
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

// number reads an integer of at least 0.
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

// numbers reads a list of at most most integers.
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

// object reads an object. It calls member with each key, and member reads the value. A key that
// occurs twice is an error.
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

// skip skips a value, however deeply it is nested.
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

// end returns an error if anything except white space follows.
func (d *document) end() error {
	if d.err == nil {
		if _, err := d.d.Token(); !errors.Is(err, io.EOF) {
			d.fail("the JSON has more text after its end at byte %d", d.d.InputOffset())
		}
	}
	return d.err
}
