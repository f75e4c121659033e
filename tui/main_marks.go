package tui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/inplace"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// toggleMark marks or unmarks a value, and computes again what pruning to the marked values would do.
func toggleMark(ws *workspace.Workspace, name string) tea.Cmd {
	if i := slices.Index(ws.Marks.Names, name); i >= 0 {
		ws.Marks.Names = slices.Delete(ws.Marks.Names, i, i+1)
	} else {
		ws.Marks.Names = append(ws.Marks.Names, name)
	}
	return ws.PreviewPrune()
}

// markable returns the values of a row that can become outputs: the outputs of a node, or the value
// of an output row.
func markable(ws *workspace.Workspace, row int) []string { return ws.Outline.Markable(row) }

// markRange marks the first output of every node in the range, or unmarks them if all of them are
// marked.
func markRange(ws *workspace.Workspace) tea.Cmd {
	var names []string
	for _, row := range ws.Chosen() {
		if m := markable(ws, row); len(m) > 0 {
			names = append(names, m[0])
		}
	}
	ws.Span = workspace.Span{}
	isNew := func(name string) bool { return !ws.Marks.Has(name) }
	if slices.ContainsFunc(names, isNew) {
		ws.Marks.Names = append(ws.Marks.Names, slices.DeleteFunc(names, ws.Marks.Has)...)
	} else {
		ws.Marks.Names = slices.DeleteFunc(ws.Marks.Names, func(n string) bool { return slices.Contains(names, n) })
	}
	return ws.PreviewPrune()
}

// markLabel names a value in the list of values to mark.
func markLabel(ws *workspace.Workspace, name string) string {
	if ws.Marks.Has(name) {
		return cells.Label(name) + "  (marked)"
	}
	return cells.Label(name)
}

// mark toggles the marks of the range, or else of the selected row's value; it asks which one if
// the row has several.
func markHere(ws *workspace.Workspace) tea.Cmd {
	if ws.Span.On {
		return markRange(ws)
	}
	names := markable(ws, ws.Row())
	if len(names) == 1 {
		return toggleMark(ws, names[0])
	}
	choices := make([]shell.Choice, len(names))
	for i, name := range names {
		choices[i] = shell.Choice{Label: markLabel(ws, name), Do: func() tea.Cmd { return toggleMark(ws, name) }}
	}
	ws.Host.Open(shell.NewChooseDialog(ws.Host, "mark which output", choices))
	return nil
}

func markRefusal(ws *workspace.Workspace) string {
	switch {
	case ws.NewStep("prune") == nil:
		return "there is no step \"prune\", so outputs cannot be marked"
	case ws.Outline.Place.Kind != graphops.MainGraph:
		return "outputs are chosen in the main graph" + elsewhere(ws)
	case ws.Span.On:
		return ""
	}
	return actions.Unless(len(markable(ws, ws.Row())) > 0, "this row makes no value that could be an output")
}

func unmark(ws *workspace.Workspace) tea.Cmd {
	ws.Marks.Names = nil
	return ws.PreviewPrune()
}

func unmarkRefusal(ws *workspace.Workspace) string {
	return actions.Unless(len(ws.Marks.Names) > 0, "nothing is marked")
}

// prune prunes to the marks, or to the range, as a job.
func pruneNow(ws *workspace.Workspace) tea.Cmd {
	step, err := ws.PruneStep()
	if ws.Span.On {
		step, err = cutOut(ws)
	}
	if err != nil {
		ws.Log.Fail(err)
		return nil
	}
	ws.Span = workspace.Span{}
	return ws.Run(step)
}

func pruneRefusal(ws *workspace.Workspace) string {
	switch {
	case ws.Span.On && ws.Wiring == nil:
		return ws.WiringRefusal()
	case ws.Outline.Place.Kind != graphops.MainGraph && (ws.Span.On || len(ws.Marks.Names) == 0):
		return "only the main graph can be pruned" + elsewhere(ws)
	case !ws.Span.On && len(ws.Marks.Names) == 0:
		return fmt.Sprintf("first mark an output to keep, with %s", ws.Keys.Key(shell.PlaceMain, workspace.ActionMark))
	}
	return ws.StepRefusal("prune")
}

// elsewhere says how to get to the main graph, or how to get this branch into it.
func elsewhere(ws *workspace.Workspace) string {
	if inplace.BranchRefusal(ws) == "" {
		return "; " + ws.Keys.Key(shell.PlaceMain, workspace.ActionPalette) + string(inplace.ActionBranch) + " puts this branch in the place of the If"
	}
	return "; " + ws.Keys.Key(shell.PlaceMain, "leave-body") + " leads there"
}
