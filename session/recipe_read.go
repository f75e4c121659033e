package session

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ReadRecipe reads a recipe. An unknown key, a key given twice or an unknown
// version is an error that names its line.
func ReadRecipe(r io.Reader) (Recipe, error) {
	var doc yaml.Node
	if err := yaml.NewDecoder(io.LimitReader(r, 1<<20)).Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return Recipe{}, errors.New("the recipe is empty")
		}
		return Recipe{}, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	var recipe Recipe
	version := ""
	err := eachKey(doc.Content[0], func(key string, v *yaml.Node) error {
		var err error
		switch key {
		case "lathe":
			version, err = scalar(v)
		case "model":
			recipe.Model, err = scalar(v)
		case "steps":
			recipe.Steps, err = readSteps(v)
		default:
			err = fmt.Errorf("line %d: unknown key %q; one of lathe, model, steps", v.Line, key)
		}
		return err
	})
	if err == nil && version != fmt.Sprint(RecipeVersion) {
		err = fmt.Errorf("recipe version %q is not known; this is version %d (lathe: %d)", version, RecipeVersion, RecipeVersion)
	}
	return recipe, err
}

// eachKey walks over a mapping and refuses keys given twice.
func eachKey(n *yaml.Node, f func(key string, v *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: expected keys and values", n.Line)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || seen[key.Value] {
			return fmt.Errorf("line %d: key %q is given twice or is no name", key.Line, key.Value)
		}
		seen[key.Value] = true
		if err := f(key.Value, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

func scalar(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", fmt.Errorf("line %d: expected one value", n.Line)
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
	return call, eachKey(options, func(key string, v *yaml.Node) error {
		set := Setting{Name: key, line: v.Line}
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
