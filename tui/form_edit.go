package tui

import (
	"fmt"
	"strconv"
)

// editGuesses fill in the options of a step that edits what the cursor stands
// on: its node, its values, or the marked ones.
func (ws *workspace) editGuesses(step string) map[string][]string {
	node, values := ws.nodeWord(), ws.editedValues()
	switch step {
	case "delete", "bypass", "attribute":
		return map[string][]string{"node": node}
	case "insert":
		return map[string][]string{"value": values[:min(len(values), 1)]}
	case "rename":
		return map[string][]string{"value": suffixed(values, "=")}
	case "annotate":
		return map[string][]string{"value": ws.typedValues(values)}
	default:
		return map[string][]string{}
	}
}

// nodeWord names the node at the cursor as the steps find it: by name, or by its
// position where the name does not tell. Empty where no node is.
func (ws *workspace) nodeWord() []string {
	n := ws.outline.node(ws.row())
	if n == nil {
		return nil
	}
	same := 0
	for _, other := range ws.outline.nodes {
		if other.Name() == n.Name() {
			same++
		}
	}
	if n.Name() != "" && same == 1 {
		return []string{n.Name()}
	}
	_, i := ws.outline.at(ws.row())
	return []string{"#" + strconv.Itoa(i)}
}

// editedValues are the marked values, else those that the row at the cursor
// makes; an output's row stands for the output.
func (ws *workspace) editedValues() []string {
	if len(ws.marks.names) > 0 {
		return ws.marks.names
	}
	if made := ws.outline.makes(ws.row()); len(made) > 0 {
		return made
	}
	return ws.outline.reads(ws.row())
}

// typedValues are values with the types they have, to be changed.
func (ws *workspace) typedValues(names []string) []string {
	x := ws.model().Graph().Index()
	var out []string
	for _, name := range names {
		if id, ok := x.Value(name); ok {
			out = append(out, fmt.Sprintf("%s=%s", name, x.Type(id).Declaration()))
		}
	}
	return out
}

func suffixed(words []string, suffix string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w + suffix
	}
	return out
}
