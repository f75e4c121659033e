package tui

import (
	"fmt"
	"strconv"

	"lathe/graphops"
)

// editGuesses fill in the options of a step that edits what the cursor stands
// on: its place, its nodes, its values, or the marked ones.
func (ws *workspace) editGuesses(step string) map[string][]string {
	nodes, values := ws.nodeWords(), ws.editedValues()
	out := map[string][]string{}
	if hops := ws.outline.place.Hops(); len(hops) > 0 {
		out["in"] = hops
	}
	if isQuantize(step) && ws.span.on { // one node alone is where the person happens to be
		out["exclude"] = nodes
	}
	switch step {
	case "delete", "bypass", "attribute":
		out["node"] = nodes
	case "insert":
		out["value"] = values[:min(len(values), 1)]
	case "rename":
		out["value"] = suffixed(values, "=")
	case "annotate":
		out["value"] = ws.typedValues(values)
	}
	return out
}

// nodeWords name the nodes of the range, or that at the cursor, as the steps find
// them: by name, or by position where the name does not tell.
func (ws *workspace) nodeWords() []string {
	rows := ws.chosen()
	count := map[string]int{}
	for _, row := range rows {
		if n := ws.outline.node(row); n != nil {
			count[n.Name()] = 0
		}
	}
	for _, n := range ws.outline.nodes {
		if _, ok := count[n.Name()]; ok {
			count[n.Name()]++
		}
	}
	var out []string
	for _, row := range rows {
		n := ws.outline.node(row)
		switch {
		case n == nil:
		case n.Name() != "" && count[n.Name()] == 1:
			out = append(out, n.Name())
		default:
			_, i := ws.outline.at(row)
			out = append(out, "#"+strconv.Itoa(i))
		}
	}
	return out
}

// editedValues are the marked values, else those that the row at the cursor
// makes; an output's row stands for the output. Marks are of the main graph.
func (ws *workspace) editedValues() []string {
	if len(ws.marks.names) > 0 && ws.outline.place.Kind == graphops.MainGraph {
		return ws.marks.names
	}
	if made := ws.outline.makes(ws.row()); len(made) > 0 {
		return made
	}
	return ws.outline.reads(ws.row())
}

// typedValues are values with the types they have, to be changed.
func (ws *workspace) typedValues(names []string) []string {
	x := ws.outline.place.Graph.Index()
	var out []string
	for _, name := range names {
		if id, ok := x.Value(name); ok {
			out = append(out, fmt.Sprintf("%s=%s", name, ws.types.of(ws.outline.place, id).Declaration()))
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
