package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/actions"
)

// span is the range of lines that a person is selecting. It reaches from the line where the
// selection began to the cursor.
type span struct {
	on   bool
	from int // the line of the list where the selection began
}

// spanLines returns the first and the last line of the range.
func (ws *workspace) spanLines() (from, to int) {
	return min(ws.span.from, ws.rows.Cursor), max(ws.span.from, ws.rows.Cursor)
}

// inSpan reports whether a line is in the range.
func (ws *workspace) inSpan(line int) bool {
	from, to := ws.spanLines()
	return ws.span.on && line >= from && line <= to
}

// chosen returns the rows of the range, or else the selected row.
func (ws *workspace) chosen() []int {
	if !ws.span.on {
		return []int{ws.row()}
	}
	var out []int
	from, to := ws.spanLines()
	for line := from; line <= to; line++ {
		if ws.groupAt(line) == nil {
			out = append(out, ws.rowAt(line))
		}
	}
	return out
}

func (ws *workspace) rangeRefusal() string {
	return actions.Unless(ws.rows.N > 0, "there are no rows")
}

func (ws *workspace) toggleRange() tea.Cmd {
	ws.span = span{!ws.span.on, ws.rows.Cursor}
	return nil
}

// cutOut returns a prune step that keeps only the nodes of the range. Values that they read from
// other nodes become inputs. Values that other nodes or no nodes read become outputs.
func (ws *workspace) cutOut() (session.Step, error) {
	step := ws.newStep("prune")
	if step == nil {
		return nil, errNoPrune
	}
	inputs, outputs := ws.boundary(ws.chosen())
	if len(outputs) == 0 {
		return nil, fmt.Errorf("the nodes of the range make no value that could be an output")
	}
	if err := setOption(step, "output", outputs...); err != nil {
		return nil, err
	}
	return step, setOption(step, "input", inputs...)
}

// boundary returns the values that flow into the nodes of some rows, and out of them.
func (ws *workspace) boundary(rows []int) (inputs, outputs []string) {
	within := map[int]bool{}
	for _, row := range rows {
		within[row] = ws.outline.node(row) != nil
	}
	seen := map[graphops.ValueID]bool{}
	for _, row := range rows {
		if !within[row] {
			continue
		}
		for _, name := range ws.outline.reads(row) {
			id, ok := ws.wiring.index.Value(name)
			if maker := ws.wiring.maker(id); ok && !seen[id] && maker >= 0 && !within[maker] {
				inputs = append(inputs, name)
				seen[id] = true
			}
		}
		for _, name := range ws.outline.makes(row) {
			if id, ok := ws.wiring.index.Value(name); ok && ws.leaves(id, within) {
				outputs = append(outputs, name)
			}
		}
	}
	return inputs, outputs
}

// leaves reports whether a value is read by a row that is not in within, or by no row at all. Such
// a value becomes an output of the range.
func (ws *workspace) leaves(id graphops.ValueID, within map[int]bool) bool {
	readers := ws.wiring.readers(id)
	for _, r := range readers {
		if !within[r] {
			return true
		}
	}
	return len(readers) == 0
}
