package onnxtext

import (
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops"
	"lathe/graphops/fieldnum"
)

// Parse reads a model from its text. The error for a mistake in the text is an *Error. A text
// without mistakes can still describe an invalid model, for which Parse returns an error of
// graphops.Decode. External data cannot be read, because a text has no folder in which to look for
// it.
func Parse(text string) (*graphops.Model, error) {
	b, err := encode(text)
	if err != nil {
		return nil, err
	}
	return graphops.Decode(b)
}

// Serialize returns the serialized ModelProto for a text. A mistake is reported as
// "name:line:column: …", as editors and compilers do.
func Serialize(name, text string) ([]byte, error) {
	b, err := encode(text)
	var mistake *Error
	if errors.As(err, &mistake) {
		return nil, fmt.Errorf("%s:%d:%d: %s", name, mistake.Line, mistake.Column, mistake.message())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}

// encode returns the serialized ModelProto for a text.
func encode(text string) ([]byte, error) {
	p := &parser{in: text}
	if err := p.model(); err != nil {
		return nil, err
	}
	return p.out, nil
}

// maxDepth is the maximum nesting of bodies, the same as for a serialized model.
const maxDepth = 64

// parser reads a text and writes the serialized message as it goes.
type parser struct {
	in    string
	pos   int
	out   []byte
	depth int
}

// message writes a field with the content that f writes.
func (p *parser) message(num protowire.Number, f func() error) error {
	p.out = protowire.AppendTag(p.out, num, protowire.BytesType)
	start := len(p.out)
	if err := f(); err != nil {
		return err
	}
	p.prefix(start)
	return nil
}

// prefix inserts the length of the message that was written from start on, in front of it.
func (p *parser) prefix(start int) {
	n := len(p.out) - start
	var length [10]byte
	prefix := protowire.AppendVarint(length[:0], uint64(n))
	p.out = append(p.out, prefix...)
	copy(p.out[start+len(prefix):], p.out[start:start+n])
	copy(p.out[start:], prefix)
}

func (p *parser) setText(num protowire.Number, s string) {
	p.out = protowire.AppendTag(p.out, num, protowire.BytesType)
	p.out = protowire.AppendString(p.out, s)
}

func (p *parser) setInt(num protowire.Number, v int64) {
	p.out = protowire.AppendTag(p.out, num, protowire.VarintType)
	p.out = protowire.AppendVarint(p.out, uint64(v))
}

// keyed reads an optional list of keys and values, such as <ir_version: 8, ...>. set reads the
// value of a key, which is always one of keys.
func (p *parser) keyed(keys []string, set func(key string) error) error {
	if !p.accept('<') {
		return nil
	}
	for {
		p.skip()
		at := p.pos
		key := p.word()
		if !slices.Contains(keys, key) {
			return p.errorAt(at, oneOf(keys))
		}
		if err := p.expect(':', `":" after `+key); err != nil {
			return err
		}
		if err := set(key); err != nil {
			return err
		}
		if p.accept(',') {
			continue
		}
		return p.expect('>', `"," or ">"`)
	}
}

func oneOf(words []string) string {
	s := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			s += " or "
		default:
			s += ", "
		}
		s += w
	}
	return s
}

// entries reads pairs of strings in brackets. If they are the location of external data, there must
// be at least one.
func (p *parser) entries(num protowire.Number) error {
	if err := p.expect('[', `"["`); err != nil {
		return err
	}
	if num == fieldnum.TensorExternal && p.next() == ']' {
		return p.expected("a key in quotes")
	}
	return p.list(']', `"," or "]"`, func() error {
		return p.message(num, func() error {
			key, err := p.string("a key in quotes")
			if err != nil {
				return err
			}
			p.setText(fieldnum.EntryKey, key)
			if err := p.expect(':', `":" after the key`); err != nil {
				return err
			}
			value, err := p.string("a value in quotes")
			p.setText(fieldnum.EntryValue, value)
			return err
		})
	})
}

// opsets reads quoted domains and their versions, in brackets.
func (p *parser) opsets(num protowire.Number) error {
	if err := p.expect('[', `"["`); err != nil {
		return err
	}
	return p.list(']', `"," or "]"`, func() error {
		return p.message(num, func() error {
			domain, err := p.string("a domain in quotes")
			if err != nil {
				return err
			}
			p.setText(fieldnum.OpsetDomain, domain)
			if err := p.expect(':', `":" after the domain`); err != nil {
				return err
			}
			return p.putInt(fieldnum.OpsetVersion, "the version of an operator set")
		})
	})
}
