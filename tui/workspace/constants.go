package workspace

import (
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/shell"
)

// ActionConstants folds constants into the rows that read them, or gives them rows.
const ActionConstants actions.Name = "constants"

// FoldsConstants reports whether rows of constants are left out of the list. They are listed if rows
// are sorted, grouped or filtered.
func (ws *Workspace) FoldsConstants() bool {
	return !ws.Constants && !ws.revealed && ws.Listing.Order.IsGraph() && ws.Outline.Folded() > 0
}

// ToggleConstants folds constants into the rows that read them, or gives them rows.
func ToggleConstants(ws *Workspace) {
	key := ws.Keys.Key(shell.PlaceMain, ActionConstants)
	many := text.Plural(ws.Outline.Folded(), "constant")
	if ws.FoldsConstants() {
		ws.Constants = true
		ws.Log.Say(many + " shown as rows; " + key + " folds them")
	} else {
		ws.Constants, ws.revealed = false, false
		ws.Log.Say(many + " folded into the nodes that read them; " + key + " shows them")
	}
	ws.unfold(ws.Row())
}

// ConstantsRefusal says why no constants can be folded or shown, or "".
func ConstantsRefusal(ws *Workspace) string {
	switch {
	case ws.Outline.Folded() == 0:
		return "no node here is a Constant that another one reads"
	case !ws.Listing.Order.IsGraph():
		return "constants are folded only in the order of the graph"
	}
	return ""
}

// reveal gives constants rows and selects a row, which may be one of them.
func (ws *Workspace) reveal(row int) {
	ws.revealed = true
	ws.unfold(row)
	ws.Rows.GoTo(row)
}

// ConstantsHint says how many constants are folded and what shows them. It is "" if nothing is folded.
func ConstantsHint(ws *Workspace) string {
	if !ws.FoldsConstants() {
		return ""
	}
	return text.Plural(ws.Outline.Folded(), "constant") + " folded, " + ws.Keys.Key(shell.PlaceMain, ActionConstants) + " shows them"
}

// Standing returns a row, or the next one that has a line if the row is folded.
func (ws *Workspace) Standing(row int) int {
	if ws.FoldsConstants() {
		return ws.Outline.Standing(row)
	}
	return row
}
