package tui

import (
	"fmt"
	"strconv"

	"lathe/graphops"
)

// editGuesses returns suggested options for steps that edit nodes or values: the place, the nodes
// in the selected range or at the cursor, and the marked values or those of the row at the cursor.
func editGuesses(ws *workspace, step string) map[string][]string {
	nodes, values := nodeWords(ws), editedValues(ws)
	out := map[string][]string{}
	if hops := ws.outline.Place.Hops(); len(hops) > 0 {
		out["in"] = hops
	}
	if isQuantize(step) && ws.span.on { // a single node is only the position of the cursor
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
		out["value"] = typedValues(ws, values)
	}
	return out
}

// nodeWords returns the nodes of the range or at the cursor as steps accept them: by name, or by
// position if the name is not unique.
func nodeWords(ws *workspace) []string {
	rows := ws.chosen()
	count := map[string]int{}
	for _, row := range rows {
		if n := ws.outline.Node(row); n != nil {
			count[n.Name()] = 0
		}
	}
	for _, n := range ws.outline.Nodes {
		if _, ok := count[n.Name()]; ok {
			count[n.Name()]++
		}
	}
	var out []string
	for _, row := range rows {
		n := ws.outline.Node(row)
		switch {
		case n == nil:
		case n.Name() != "" && count[n.Name()] == 1:
			out = append(out, n.Name())
		default:
			_, i := ws.outline.At(row)
			out = append(out, "#"+strconv.Itoa(i))
		}
	}
	return out
}

// editedValues returns the values that an editing step most likely is about: the marked ones, or
// else those that the row at the cursor makes or reads. Marks exist only in the main graph.
func editedValues(ws *workspace) []string {
	if len(ws.marks.names) > 0 && ws.outline.Place.Kind == graphops.MainGraph {
		return ws.marks.names
	}
	if made := ws.outline.Makes(ws.row()); len(made) > 0 {
		return made
	}
	return ws.outline.Reads(ws.row())
}

// typedValues returns each value as NAME=TYPE with its current type, so that the person can change
// the type.
func typedValues(ws *workspace, names []string) []string {
	x := ws.outline.Place.Graph.Index()
	var out []string
	for _, name := range names {
		if id, ok := x.Value(name); ok {
			out = append(out, fmt.Sprintf("%s=%s", name, ws.types.Of(ws.outline.Place, id).Declaration()))
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
