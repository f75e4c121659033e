package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"lathe/graphops"
)

// parser reads one file into a Config.
type parser struct {
	v Vocabulary
	c Config
}

// setting is a key of the file.
type setting struct {
	name string
	read func(p *parser, n *yaml.Node) error
}

// settings are all keys of the file, in the order in which WriteDefault writes them.
var settings = []setting{
	{"theme", func(p *parser, n *yaml.Node) error { return p.choice(&p.c.Theme, n, Themes) }},
	{"ascii", func(p *parser, n *yaml.Node) error { return p.flag(&p.c.ASCII, n) }},
	{"mouse", func(p *parser, n *yaml.Node) error { return p.flag(&p.c.Mouse, n) }},
	{"alt-screen", func(p *parser, n *yaml.Node) error { return p.flag(&p.c.AltScreen, n) }},
	{"screen-reader", func(p *parser, n *yaml.Node) error { return p.flag(&p.c.ScreenReader, n) }},
	{"columns", (*parser).columns},
	{"constants", func(p *parser, n *yaml.Node) error { return p.flag(&p.c.Constants, n) }},
	{"sort", (*parser).sort},
	{"keys", (*parser).keys},
}

// Parse reads the content of a settings file. If there is an error, it returns the defaults. The
// error has the form "LINE: TEXT", where TEXT is a complete message by itself.
func Parse(content []byte, v Vocabulary) (Config, error) {
	p := &parser{v: v, c: Defaults(v)}
	if err := p.document(content); err != nil {
		return Defaults(v), err
	}
	return p.c, nil
}

func (p *parser) document(content []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(content))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil // only comments
	case err != nil:
		return syntaxError(err)
	}
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return at(&more, "the file contains a second YAML document, expected one")
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
		return nil
	}
	names := make([]string, len(settings))
	for i, s := range settings {
		names[i] = s.name
	}
	return eachKey(root, func(key, value *yaml.Node) error {
		i := slices.Index(names, key.Value)
		if _, ok := p.v.binding(key.Value); ok && i < 0 {
			return at(key, "%q is an action; write it below keys:", key.Value)
		}
		if i < 0 {
			return unknown(key, "key", names)
		}
		return settings[i].read(p, value)
	})
}

func (p *parser) choice(to *string, n *yaml.Node, choices []string) error {
	s, err := word(n)
	if err != nil {
		return err
	}
	if !slices.Contains(choices, s) {
		return unknown(n, "value", choices)
	}
	*to = s
	return nil
}

func (p *parser) flag(to *bool, n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!bool" {
		return at(n, "%s, expected true or false", describe(n))
	}
	b, err := strconv.ParseBool(strings.ToLower(n.Value))
	if err != nil {
		return at(n, "%s, expected true or false", describe(n))
	}
	*to = b
	return nil
}

func (p *parser) columns(n *yaml.Node) error {
	items, err := words(n)
	if err != nil {
		return err
	}
	p.c.Columns = []string{}
	for _, item := range items {
		switch {
		case !slices.Contains(p.v.columnNames(), item.Value):
			return unknown(item, "column", p.v.columnNames())
		case slices.Contains(p.c.Columns, item.Value):
			return at(item, "column %q is named twice", item.Value)
		}
		p.c.Columns = append(p.c.Columns, item.Value)
	}
	return nil
}

func (p *parser) sort(n *yaml.Node) error {
	s, err := word(n)
	if err != nil {
		return err
	}
	column, descending := strings.CutPrefix(s, "-")
	if !slices.Contains(p.v.columnNames(), column) {
		return unknown(n, "column", p.v.columnNames())
	}
	p.c.Sort = Sort{column, descending}
	return nil
}

// eachKey visits the entries of a mapping, and rejects duplicate keys.
func eachKey(n *yaml.Node, f func(key, value *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return at(n, "%s, expected keys with values", describe(n))
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, err := word(key); err != nil {
			return err
		}
		if line, twice := seen[key.Value]; twice {
			return at(key, "key %q is in line %d too", key.Value, line)
		}
		seen[key.Value] = key.Line
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// word returns a single value as it is written in the file. So the key "1" is a character and not a
// number.
func word(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Value == "" || n.Style&yaml.TaggedStyle != 0 {
		return "", at(n, "%s, expected one value", describe(n))
	}
	return n.Value, nil
}

func words(n *yaml.Node) ([]*yaml.Node, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, at(n, "%s, expected a list, as [%s]", describe(n), orWord(n.Value, "a, b"))
	}
	for _, item := range n.Content {
		if _, err := word(item); err != nil {
			return nil, err
		}
	}
	return n.Content, nil
}

func orWord(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Value == "" {
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

// at returns an error that begins with its line, as in "7: …".
func at(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%d: "+format, append([]any{max(n.Line, 1)}, args...)...)
}

// fewChoices is the maximum number of names that a message lists completely.
const fewChoices = 10

// unknown says that a name does not exist, and which names are similar.
func unknown(n *yaml.Node, what string, names []string) error {
	near := graphops.NearestNames(n.Value, slices.Values(names))
	if len(near) > 0 {
		return at(n, "unknown %s %q; nearest: %s", what, n.Value, graphops.QuoteNames(near))
	}
	if len(names) <= fewChoices {
		return at(n, "unknown %s %q; expected one of %s", what, n.Value, strings.Join(names, ", "))
	}
	return at(n, "unknown %s %q; lathe config lists them all", what, n.Value)
}

// syntaxError returns an error that begins with its line if YAML gives one.
func syntaxError(err error) error {
	s := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(s, "line "); ok {
		return errors.New(rest)
	}
	return errors.New("1: " + s)
}
