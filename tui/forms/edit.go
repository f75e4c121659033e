package forms

import (
	"fmt"

	"lathe/graphops"
	"lathe/tui/workspace"
)

// EditGuesses returns suggested options for steps that edit nodes or values: the place, the nodes
// in the selected range or at the cursor, and the marked values or those of the row at the cursor.
func EditGuesses(ws *workspace.Workspace, step string) map[string][]string {
	nodes, values := ws.Outline.NodeWords(ws.Chosen()...), editedValues(ws)
	out := map[string][]string{}
	if hops := ws.Outline.Place.Hops(); len(hops) > 0 {
		out["in"] = hops
	}
	if workspace.IsQuantize(step) && ws.Span.On { // a single node is only the position of the cursor
		out["exclude"] = nodes
	}
	switch step {
	case "delete", "bypass", "attribute", "replace":
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

// editedValues returns the values that an editing step most likely is about: the marked ones, or
// else those that the row at the cursor makes or reads. Marks exist only in the main graph.
func editedValues(ws *workspace.Workspace) []string {
	if len(ws.Marks.Names) > 0 && ws.Outline.Place.Kind == graphops.MainGraph {
		return ws.Marks.Names
	}
	if made := ws.Outline.Makes(ws.Row()); len(made) > 0 {
		return made
	}
	return ws.Outline.Reads(ws.Row())
}

// typedValues returns each value as NAME=TYPE with its current type, so that the person can change
// the type.
func typedValues(ws *workspace.Workspace, names []string) []string {
	x := ws.Outline.Place.Graph.Index()
	var out []string
	for _, name := range names {
		if id, ok := x.Value(name); ok {
			out = append(out, fmt.Sprintf("%s=%s", name, ws.Types.Of(ws.Outline.Place, id).Declaration()))
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
