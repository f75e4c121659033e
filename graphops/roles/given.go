package roles

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
)

// Given is a role that the user states.
type Given struct {
	Name  string // of an input or an output
	Kind  Kind
	Other string // of a past or present: the name of the other one of the pair, or ""
}

// ParseGiven reads a role as --role accepts it: NAME=ROLE, NAME=past:NAME or NAME=present:NAME. A
// name may contain = and a colon.
func ParseGiven(s string) (Given, error) {
	for i := strings.LastIndexByte(s, '='); i > 0; i = strings.LastIndexByte(s[:i], '=') {
		word, other, has := strings.Cut(s[i+1:], ":")
		k, ok := kindNamed(word)
		if !ok || has && k != Past && k != Present {
			continue
		}
		if has && other == "" {
			return Given{}, fmt.Errorf("%s names no other input or output after the colon", graphops.ShortQuoted(s))
		}
		return Given{Name: s[:i], Kind: k, Other: other}, nil
	}
	return Given{}, fmt.Errorf("%s is not NAME=ROLE, where ROLE is one of %s; past:NAME and present:NAME name the other one of the pair", graphops.ShortQuoted(s), strings.Join(Words(), ", "))
}

// Words returns the words for roles, in the order of the kinds.
func Words() []string {
	var out []string
	for k := range kinds {
		out = append(out, k.String())
	}
	return out
}

func kindNamed(word string) (Kind, bool) {
	for k := range kinds {
		if words[k].word == word {
			return k, true
		}
	}
	return Unknown, false
}

// give replaces roles by those that the user states.
func (f *finder) give(list []Given) error {
	for _, g := range list {
		port, other, err := f.givenPorts(g)
		if err != nil {
			return err
		}
		f.detach(port)
		*port = Port{Name: port.Name, Kind: g.Kind, Pair: -1, Evidence: []Evidence{{ByUser, "--role says so"}}}
		if g.Kind == Lengths {
			port.Offset = -1
		}
		if g.Kind != Past && g.Kind != Present {
			continue
		}
		pair := Pair{Form: given, Growth: given.Growth, Axis: -1}
		content := contentInName(g.Name)
		port.Pair = len(f.roles.Pairs)
		if content != NoContent {
			port.Content, pair.Content = content, content
			port.Assumed = []string{content.String() + ": only its name says so"}
		}
		if other != nil {
			f.detach(other)
			*other = Port{Name: other.Name, Kind: Past + Present - g.Kind, Content: content, Pair: port.Pair, Evidence: port.Evidence, Assumed: port.Assumed}
		}
		pair.Past, pair.Present = g.Name, g.Other
		if g.Kind == Present {
			pair.Past, pair.Present = g.Other, g.Name
		}
		f.growthOfGiven(&pair)
		f.roles.Pairs = append(f.roles.Pairs, pair)
	}
	f.dropEmpty()
	return nil
}

// growthOfGiven finds out by the sizes how a pair that the user states changes.
func (f *finder) growthOfGiven(p *Pair) {
	in := slices.IndexFunc(f.roles.Inputs, func(x Port) bool { return x.Name == p.Past })
	out := slices.IndexFunc(f.roles.Outputs, func(x Port) bool { return x.Name == p.Present })
	if in < 0 || out < 0 {
		return
	}
	if axis := f.axisBySizes(in, out); axis >= 0 {
		p.Axis, p.Growth = axis, Grows
	}
}

// givenPorts returns the ports that a given role is about.
func (f *finder) givenPorts(g Given) (port, other *Port, err error) {
	port = f.roles.Input(g.Name)
	isInput := port != nil
	if port == nil {
		port = f.roles.Output(g.Name)
	}
	if port == nil {
		return nil, nil, fmt.Errorf("--role: the model has no input or output %s%s", graphops.ShortQuoted(g.Name), f.nearest(g.Name))
	}
	if isInput && !g.Kind.ofInput() || !isInput && !g.Kind.ofOutput() {
		what := "an output"
		if isInput {
			what = "an input"
		}
		return nil, nil, fmt.Errorf("--role: %s is %s, which cannot be %s", graphops.ShortQuoted(g.Name), what, g.Kind)
	}
	if g.Other == "" {
		return port, nil, nil
	}
	side := "output"
	if other = f.roles.Output(g.Other); g.Kind == Present {
		side = "input"
		other = f.roles.Input(g.Other)
	}
	if other == nil {
		return nil, nil, fmt.Errorf("--role: the model has no %s %s%s", side, graphops.ShortQuoted(g.Other), f.nearest(g.Other))
	}
	return port, other, nil
}

// nearest returns a hint with the names that are like a name.
func (f *finder) nearest(name string) string {
	var names []string
	for _, list := range [][]Port{f.roles.Inputs, f.roles.Outputs} {
		for i := range list {
			names = append(names, list[i].Name)
		}
	}
	near := graphops.NearestNames(name, slices.Values(names))
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + graphops.QuoteNames(near) + "?"
}

// detach takes a port out of its pair. The other one of the pair keeps its role alone.
func (f *finder) detach(p *Port) {
	if p.Pair < 0 {
		return
	}
	pair := &f.roles.Pairs[p.Pair]
	if p.Kind == Past {
		pair.Past = ""
	} else {
		pair.Present = ""
	}
}

// dropEmpty removes the pairs that have neither a past nor a present.
func (f *finder) dropEmpty() {
	position := make([]int, len(f.roles.Pairs))
	var kept []Pair
	for i, p := range f.roles.Pairs {
		position[i] = len(kept)
		if p.Past != "" || p.Present != "" {
			f.order[len(kept)] = f.order[i]
			kept = append(kept, p)
		}
	}
	f.roles.Pairs = kept
	for _, list := range [][]Port{f.roles.Inputs, f.roles.Outputs} {
		for i := range list {
			if list[i].Pair >= 0 {
				list[i].Pair = position[list[i].Pair]
			}
		}
	}
}

// slotName returns the name that the standard, or ONNX Runtime, gives a slot of an operator.
func slotName(n *graphops.Node, slot int, output bool) string {
	if name := schemaSlot(n, slot, output); name != "" {
		return name
	}
	if output {
		return fmt.Sprintf("output %d", slot)
	}
	return fmt.Sprintf("input %d", slot)
}
