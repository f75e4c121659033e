package session

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxRecipe is the largest size of a recipe, in bytes.
const MaxRecipe = 1 << 20

// ReadRecipe reads a recipe. An unknown key, a repeated key and an unknown version are errors that
// name the line.
func ReadRecipe(r io.Reader) (Recipe, error) {
	doc, err := readDocument(r)
	if err != nil {
		return Recipe{}, err
	}
	var recipe Recipe
	version := ""
	err = eachKey(doc.Content[0], func(key, v *yaml.Node) error {
		var err error
		switch key.Value {
		case "lathe":
			version, err = scalar(v)
		case "model":
			recipe.Model, err = scalar(v)
		case "steps":
			recipe.Steps, err = readSteps(v)
		default:
			err = fmt.Errorf("line %d: unknown key %q; one of lathe, model, steps", key.Line, key.Value)
		}
		return err
	})
	if v, errVersion := strconv.Atoi(version); err == nil && (errVersion != nil || v < oldestRecipe || v > recipeVersion) {
		err = fmt.Errorf("recipe version %q is not known; expected lathe: %d, or an earlier version down to %d", version, recipeVersion, oldestRecipe)
	}
	for i, c := range recipe.Steps {
		recipe.Steps[i] = c.upgraded()
	}
	return recipe, err
}

// upgraded converts a call of an earlier recipe version to the present one. In version 1,
// "quantize" was one step with the option mode. Now each mode is a step of its own, such as
// "quantize static".
func (c Call) upgraded() Call {
	at := slices.IndexFunc(c.Options, func(s Setting) bool { return s.Name == "mode" && len(s.Values) == 1 })
	if c.Step != "quantize" || at < 0 {
		return c
	}
	c.Step += " " + c.Options[at].Values[0]
	c.Options = slices.Delete(slices.Clone(c.Options), at, at+1)
	return c
}

// readDocument reads a recipe, which is a single YAML document.
func readDocument(r io.Reader) (doc yaml.Node, err error) {
	content, err := io.ReadAll(io.LimitReader(r, MaxRecipe+1))
	if err != nil {
		return doc, err
	}
	if len(content) > MaxRecipe {
		return doc, fmt.Errorf("the recipe is larger than %d KiB", MaxRecipe>>10)
	}
	dec := yaml.NewDecoder(bytes.NewReader(content))
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return doc, errors.New("the recipe is empty")
	case err != nil:
		return doc, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var more yaml.Node
	if err := dec.Decode(&more); !errors.Is(err, io.EOF) {
		return doc, fmt.Errorf("line %d: a second YAML document begins; a recipe is one document", max(more.Line, 1))
	}
	return doc, nil
}

// eachKey calls f for each key of a mapping. A repeated key is an error.
func eachKey(n *yaml.Node, f func(key, v *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: expected keys with values, such as \"key: value\"", n.Line)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || seen[key.Value] {
			return fmt.Errorf("line %d: key %q is given twice or is not a name", key.Line, key.Value)
		}
		seen[key.Value] = true
		if err := f(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func scalar(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", fmt.Errorf("line %d: expected one value", n.Line)
	}
	if n.ShortTag() == "!!binary" { // invalid UTF-8 is written in this form
		b, err := base64.StdEncoding.DecodeString(n.Value)
		if err != nil {
			return "", fmt.Errorf("line %d: the value of !!binary is not base64: %w", n.Line, err)
		}
		return string(b), nil
	}
	return n.Value, nil
}

func readSteps(n *yaml.Node) ([]Call, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("line %d: steps is a list; start each with \"- \"", n.Line)
	}
	var calls []Call
	for _, item := range n.Content {
		call, err := readCall(item)
		if err != nil {
			return nil, err
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// readCall reads "name: {options}", or a name alone.
func readCall(n *yaml.Node) (Call, error) {
	if n.Kind == yaml.ScalarNode {
		return Call{Step: n.Value, line: n.Line}, nil
	}
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		return Call{}, fmt.Errorf("line %d: expected one step, as \"prune: {output: [h]}\"", n.Line)
	}
	call := Call{Step: n.Content[0].Value, line: n.Line}
	options := n.Content[1]
	if options.Tag == "!!null" {
		return call, nil
	}
	return call, eachKey(options, func(key, v *yaml.Node) error {
		set := Setting{Name: key.Value, line: key.Line}
		items := []*yaml.Node{v}
		if v.Kind == yaml.SequenceNode {
			items, set.list = v.Content, true
		}
		for _, item := range items {
			s, err := scalar(item)
			if err != nil {
				return err
			}
			set.Values = append(set.Values, s)
		}
		call.Options = append(call.Options, set)
		return nil
	})
}
