package session

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// recipeVersion is the version in which recipes are written. Earlier versions can be read.
const recipeVersion = 2

const oldestRecipe = 1

// Recipe is a list of steps on a model.
type Recipe struct {
	Model string
	Steps []Call
	// Digest identifies the content of the file that OpenRecipe read.
	Digest string
}

// DigestOf returns the Digest of a recipe file with this content.
func DigestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Call is one step with the options that were given.
type Call struct {
	Step    string
	Options []Setting
	line    int // the line in the recipe file
	order   int // the position in the session that recorded it
}

// Setting is one option's name and its values.
type Setting struct {
	Name   string
	Values []string
	list   bool
	line   int
}

// CallOf returns the call that the present options of a step describe.
func CallOf(s Command) Call {
	c := Call{Step: s.Name()}
	for _, o := range s.Options() {
		if v := o.Values(); len(v) > 0 {
			c.Options = append(c.Options, Setting{Name: o.Name, Values: slices.Clone(v), list: o.IsList()})
		}
	}
	return c
}

// Apply sets the call's options in a step. Relative paths are relative to dir.
func (c Call) Apply(s Command, dir string) error {
	options := s.Options()
	for _, set := range c.Options {
		i := slices.IndexFunc(options, func(o Option) bool { return o.called(set.Name) })
		if i < 0 {
			return fmt.Errorf("%s%s: unknown option %q; one of %s", lineOf(set.line), c.Step, set.Name, optionNames(options))
		}
		o := options[i]
		if len(set.Values) != 1 && !o.IsList() {
			return fmt.Errorf("%s%s: %s takes one value, got %d", lineOf(set.line), c.Step, set.Name, len(set.Values))
		}
		o.Reset()
		for _, v := range set.Values {
			if v == "" && (o.Kind == KindPath || o.Kind == KindPaths) {
				return fmt.Errorf("%s%s: %s: expected the name of a file", lineOf(set.line), c.Step, set.Name)
			}
			v = o.WithPath(v, func(path string) string { return From(dir, path) })
			if err := o.Set(v); err != nil {
				return fmt.Errorf("%s%s: %w", lineOf(set.line), c.Step, err)
			}
		}
	}
	for _, o := range options {
		if o.Required && len(o.Values()) == 0 {
			return fmt.Errorf("%s%s: %s is required", lineOf(c.line), c.Step, o.Name)
		}
	}
	return nil
}

// From resolves the path of a file that a recipe in the folder dir names. Absolute paths and "-"
// are returned unchanged.
func From(dir, path string) string {
	if dir == "" || filepath.IsAbs(path) || path == "-" {
		return path
	}
	return filepath.Join(dir, path)
}

// Line returns where the call is in the recipe file, as the beginning of an error message, such as
// "line 7: ". It is "" if the call was not read from a file.
func (c Call) Line() string { return lineOf(c.line) }

func lineOf(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("line %d: ", n)
}

func optionNames(options []Option) string {
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = o.Name
	}
	return strings.Join(names, ", ")
}

// WriteTo writes the recipe as YAML that ReadRecipe reads.
func (r Recipe) WriteTo(w io.Writer) (int64, error) {
	steps := &yaml.Node{Kind: yaml.SequenceNode}
	for _, c := range r.Steps {
		steps.Content = append(steps.Content, c.yaml())
	}
	doc := &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		word("lathe"),
		{Kind: yaml.ScalarNode, Value: fmt.Sprint(recipeVersion)},
		word("model"), word(r.Model),
		word("steps"), steps,
	}}
	var buf bytes.Buffer
	enc := yaml.NewEncoder(&buf)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return 0, err
	}
	n, err := w.Write(buf.Bytes())
	return int64(n), err
}

// word returns a YAML node for a string. The encoder quotes it if YAML would otherwise read it as
// another type.
func word(s string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(s)
	return n
}

func (c Call) yaml() *yaml.Node {
	options := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, s := range c.Options {
		var v *yaml.Node
		if s.list || len(s.Values) != 1 {
			v = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle}
			for _, x := range s.Values {
				v.Content = append(v.Content, word(x))
			}
		} else {
			v = word(s.Values[0])
		}
		options.Content = append(options.Content, word(s.Name), v)
	}
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{word(c.Step), options}}
}

// Relative returns the recipe with paths below dir made relative to dir, as a recipe file in dir
// needs them. option returns an option of a step, or false if the step has no option of this name.
func (r Recipe) Relative(dir string, option func(step, name string) (Option, bool)) Recipe {
	r.Model = relative(dir, r.Model)
	r.Steps = slices.Clone(r.Steps)
	for i, c := range r.Steps {
		c.Options = slices.Clone(c.Options)
		for j, s := range c.Options {
			if o, ok := option(c.Step, s.Name); ok {
				s.Values = slices.Clone(s.Values)
				for k, v := range s.Values {
					s.Values[k] = o.WithPath(v, func(path string) string { return relative(dir, path) })
				}
			}
			c.Options[j] = s
		}
		r.Steps[i] = c
	}
	return r
}

// relative makes a path relative to dir. If that is not possible, it makes the path absolute.
func relative(dir, path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	base, err := filepath.Abs(dir)
	if err != nil {
		return abs
	}
	if rel, err := filepath.Rel(base, abs); err == nil {
		return rel
	}
	return abs
}

// Set gives an option one value, which replaces the values it has in the recipe.
func (c *Call) Set(option, value string) {
	i := slices.IndexFunc(c.Options, func(s Setting) bool { return s.Name == option })
	if i < 0 {
		c.Options = append(slices.Clip(c.Options), Setting{Name: option})
		i = len(c.Options) - 1
	}
	c.Options[i].Values = []string{value}
}
