package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"lathe/graphops"
)

// keys reads the section of keys: an action, by itself or with its place, and a list of keys.
func (p *parser) keys(n *yaml.Node) error {
	taken := map[[2]string]string{} // place and key → action
	return eachKey(n, func(key, value *yaml.Node) error {
		b, ok := p.v.binding(key.Value)
		if !ok {
			return unknown(key, "action", p.v.actionNames())
		}
		items, err := words(value)
		if err != nil {
			return err
		}
		for _, item := range items {
			k, err := p.v.spelling(item.Value)
			if err != nil {
				return at(item, "%w", err)
			}
			if other, twice := taken[[2]string{b.Place, k}]; twice {
				return at(item, "key %q is bound to %s too", k, other)
			}
			taken[[2]string{b.Place, k}] = key.Value
			b.Keys = append(b.Keys, k)
		}
		p.c.Keys = append(p.c.Keys, b)
		return nil
	})
}

// binding returns the binding that a name in the section of keys refers to.
func (v Vocabulary) binding(name string) (b Binding, ok bool) {
	for _, a := range v.Actions {
		switch name {
		case a.Name:
			return Binding{Action: a.Name}, true
		case a.Place + "." + a.Name:
			return Binding{Place: a.Place, Action: a.Name}, true
		}
	}
	return b, false
}

// modifiers are listed in the order in which the terminal library spells them.
var modifiers = []string{"ctrl", "alt", "shift", "meta", "hyper", "super"}

// spelling returns a key as the terminal library spells it when it is pressed, with the modifiers
// in its order. A key that the library spells differently would never match, and is an error.
func (v Vocabulary) spelling(key string) (string, error) {
	base, held, err := v.split(key)
	if err != nil {
		return "", err
	}
	var out []string
	for _, m := range modifiers {
		if slices.Contains(held, m) {
			out = append(out, m)
		}
	}
	r, size := utf8.DecodeRuneInString(base)
	switch {
	case size < len(base): // a key with a name
	case slices.Equal(out, []string{"shift"}):
		return "", fmt.Errorf("key %q must be written as the character that it types, as in %q", key, strings.ToUpper(base))
	case len(out) > 0 && unicode.ToLower(r) != r:
		return "", fmt.Errorf("key %q must be written %q", key, strings.Join(append(out, strings.ToLower(base)), "+"))
	}
	return strings.Join(append(out, base), "+"), nil
}

// split separates the modifiers from a key: "ctrl+x" is x with ctrl held. "+" is a key as well.
func (v Vocabulary) split(key string) (base string, held []string, err error) {
	base = key
	for {
		m, rest, ok := strings.Cut(base, "+")
		if !ok || m == "" || rest == "" {
			break
		}
		if !slices.Contains(modifiers, m) {
			return "", nil, fmt.Errorf("key %q: %q is not one of %s", key, m, strings.Join(modifiers, ", "))
		}
		if slices.Contains(held, m) {
			return "", nil, fmt.Errorf("key %q contains %s twice", key, m)
		}
		held = append(held, m)
		base = rest
	}
	r, size := utf8.DecodeRuneInString(base)
	isCharacter := size == len(base) && r != utf8.RuneError && unicode.IsPrint(r) && r != ' '
	if isCharacter || slices.Contains(v.KeyNames, base) {
		return base, held, nil
	}
	if base == " " {
		return "", nil, fmt.Errorf("key %q must be written \"space\"", key)
	}
	if near := graphops.NearestNames(base, slices.Values(v.KeyNames)); len(near) > 0 {
		return "", nil, fmt.Errorf("unknown key %q; nearest: %s", key, graphops.QuoteNames(near))
	}
	return "", nil, fmt.Errorf("unknown key %q; expected a character or one of %s", key, strings.Join(v.KeyNames, ", "))
}
