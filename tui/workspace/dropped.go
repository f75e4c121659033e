package workspace

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/task"
)

// ActionDropped lists what pruning to the marks would remove.
const ActionDropped actions.Name = "list-dropped"

var droppedRows Slot[task.Task[[]graph.Finding]]

// DroppedRefusal says why there is nothing that a prune would remove, or "".
func DroppedRefusal(ws *Workspace) string {
	switch {
	case len(ws.Marks.Names) == 0:
		return "nothing is marked, so a prune would remove nothing"
	case ws.Marks.dropped == nil:
		return "the preview of the prune is not complete yet"
	}
	return ""
}

// ListDropped lists the nodes, inputs and outputs that pruning to the marks would remove. They are also
// highlighted.
func ListDropped(ws *Workspace) tea.Cmd {
	main, dropped := ws.mainOutline(), ws.Marks.dropped
	list := func(context.Context) (out []graph.Finding) {
		for row, drops := range dropped {
			if drops {
				out = append(out, graph.Finding{Spot: graph.Spot{Place: main.Place, Row: row}, Where: main.Called(row), Text: weightsOf(main, row)})
			}
		}
		return out
	}
	return Ask(ws, droppedRows.In(ws), "listing what the prune drops", list, func(found []graph.Finding) tea.Cmd {
		if len(found) == 0 {
			ws.Log.Say("a prune to the marks would remove nothing")
			return nil
		}
		return OpenFindings(ws, text.Plural(len(found), "row")+" that the prune would remove", found)
	})
}

// weightsOf says how many bytes of weights a node reads, or "".
func weightsOf(o *graph.Outline, row int) string {
	if o.Node(row) == nil {
		return ""
	}
	x, sum := o.Place.Graph.Index(), int64(0)
	for _, id := range x.Reads(row - len(o.Inputs)) {
		if t := x.Initializer(id); t != nil {
			if n, err := t.ByteLen(); err == nil {
				sum += n
			}
		}
	}
	if sum == 0 {
		return ""
	}
	return cells.Prose(text.Bytes(sum) + " of weights")
}
