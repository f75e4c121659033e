package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
)

// toggleMark marks or unmarks a value, and computes again what pruning to the marked values would do.
func toggleMark(ws *workspace, name string) tea.Cmd {
	if i := slices.Index(ws.marks.names, name); i >= 0 {
		ws.marks.names = slices.Delete(ws.marks.names, i, i+1)
	} else {
		ws.marks.names = append(ws.marks.names, name)
	}
	return ws.previewPrune()
}

// markable returns the values of a row that can become outputs: the outputs of a node, or the value
// of an output row.
func markable(ws *workspace, row int) []string { return ws.outline.Markable(row) }

// markRange marks the first output of every node in the range, or unmarks them if all of them are
// marked.
func markRange(ws *workspace) tea.Cmd {
	var names []string
	for _, row := range ws.chosen() {
		if m := markable(ws, row); len(m) > 0 {
			names = append(names, m[0])
		}
	}
	ws.span = span{}
	isNew := func(name string) bool { return !ws.marks.has(name) }
	if slices.ContainsFunc(names, isNew) {
		ws.marks.names = append(ws.marks.names, slices.DeleteFunc(names, ws.marks.has)...)
	} else {
		ws.marks.names = slices.DeleteFunc(ws.marks.names, func(n string) bool { return slices.Contains(names, n) })
	}
	return ws.previewPrune()
}

// markLabel names a value in the list of values to mark.
func markLabel(ws *workspace, name string) string {
	if ws.marks.has(name) {
		return cells.Label(name) + "  (marked)"
	}
	return cells.Label(name)
}

// mark toggles the marks of the range, or else of the selected row's value; it asks which one if
// the row has several.
func markHere(ws *workspace) tea.Cmd {
	if ws.span.on {
		return markRange(ws)
	}
	names := markable(ws, ws.row())
	if len(names) == 1 {
		return toggleMark(ws, names[0])
	}
	choices := make([]shell.Choice, len(names))
	for i, name := range names {
		choices[i] = shell.Choice{Label: markLabel(ws, name), Do: func() tea.Cmd { return toggleMark(ws, name) }}
	}
	ws.host.Open(shell.NewChooseDialog(ws.host, "mark which output", choices))
	return nil
}

func markRefusal(ws *workspace) string {
	switch {
	case ws.newStep("prune") == nil:
		return "there is no step \"prune\", so outputs cannot be marked"
	case ws.outline.Place.Kind != graphops.MainGraph:
		return "outputs are chosen in the main graph; " + ws.keys.Key(shell.PlaceMain, "leave-body") + " leads there"
	case ws.span.on:
		return ""
	}
	return actions.Unless(len(markable(ws, ws.row())) > 0, "this row makes no value that could be an output")
}

func unmark(ws *workspace) tea.Cmd {
	ws.marks.names = nil
	return ws.previewPrune()
}

func unmarkRefusal(ws *workspace) string {
	return actions.Unless(len(ws.marks.names) > 0, "nothing is marked")
}

// prune prunes to the marks, or to the range, as a job.
func pruneNow(ws *workspace) tea.Cmd {
	step, err := ws.pruneStep()
	if ws.span.on {
		step, err = cutOut(ws)
	}
	if err != nil {
		ws.log.Fail(err)
		return nil
	}
	ws.span = span{}
	return ws.run(step)
}

func pruneRefusal(ws *workspace) string {
	switch {
	case ws.span.on && ws.wiring == nil:
		return ws.wiringRefusal()
	case ws.outline.Place.Kind != graphops.MainGraph && (ws.span.on || len(ws.marks.names) == 0):
		return "only the main graph can be pruned; " + ws.keys.Key(shell.PlaceMain, "leave-body") + " leads there"
	case !ws.span.on && len(ws.marks.names) == 0:
		return fmt.Sprintf("first mark an output to keep, with %s", ws.keys.Key(shell.PlaceMain, actionMark))
	}
	return ws.stepRefusal("prune")
}
