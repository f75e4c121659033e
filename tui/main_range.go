package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/workspace"
)

func rangeRefusal(ws *workspace.Workspace) string {
	return actions.Unless(ws.Rows.N > 0, "there are no rows")
}

func toggleRange(ws *workspace.Workspace) tea.Cmd {
	ws.Span = workspace.Span{On: !ws.Span.On, From: ws.Rows.Cursor}
	return nil
}

// cutOut returns a prune step that keeps only the nodes of the range. Values that they read from
// other nodes become inputs. Values that other nodes or no nodes read become outputs.
func cutOut(ws *workspace.Workspace) (session.Step, error) {
	step := ws.NewStep("prune")
	if step == nil {
		return nil, workspace.ErrNoPrune
	}
	inputs, outputs := boundaryOf(ws, ws.Chosen())
	if len(outputs) == 0 {
		return nil, fmt.Errorf("the nodes of the range make no value that could be an output")
	}
	if err := workspace.SetOption(step, "output", outputs...); err != nil {
		return nil, err
	}
	return step, workspace.SetOption(step, "input", inputs...)
}

// boundaryOf returns the values that flow into the nodes of some rows, and out of them.
func boundaryOf(ws *workspace.Workspace, rows []int) (inputs, outputs []string) {
	within, folds := map[int]bool{}, ws.FoldsConstants()
	for _, row := range rows {
		within[row] = ws.Outline.Node(row) != nil
	}
	seen := map[graphops.ValueID]bool{}
	for _, row := range rows {
		if !within[row] {
			continue
		}
		for _, name := range ws.Outline.Reads(row) {
			id, ok := ws.Wiring.Index.Value(name)
			// A constant that is folded into the range stays in it.
			if maker := ws.Wiring.Maker(id); ok && !seen[id] && maker >= 0 && !within[maker] && !(folds && ws.Outline.Folds(maker)) {
				inputs = append(inputs, name)
				seen[id] = true
			}
		}
		for _, name := range ws.Outline.Makes(row) {
			if id, ok := ws.Wiring.Index.Value(name); ok && leavesRange(ws, id, within) {
				outputs = append(outputs, name)
			}
		}
	}
	return inputs, outputs
}

// leavesRange reports whether a value is read by a row that is not in within, or by no row at all. Such
// a value becomes an output of the range.
func leavesRange(ws *workspace.Workspace, id graphops.ValueID, within map[int]bool) bool {
	readers := ws.Wiring.Readers(id)
	for _, r := range readers {
		if !within[r] {
			return true
		}
	}
	return len(readers) == 0
}
