package tui

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/list"
)

// Actions that several dialogs have.
const (
	actionClose    action = "close"
	actionAccept   action = "accept"
	actionCopy     action = "copy-command"
	actionNext     action = "next"
	actionPrev     action = "previous"
	actionComplete action = "complete" // accepts the offered completion
	actionToggle   action = "toggle"
	actionSort     action = "sort"
	actionReset    action = "reset"
	actionEdit     action = "edit-step"
	actionCancel   action = "cancel-job"
	actionTake     action = "take-step"
	actionAside    action = "look-behind"
	actionLookAt   action = "look-at-values"
)

// attached is what every dialog has: the workspace, which also leads to the workbench around it.
type attached struct{ ws *workspace }

func (d attached) desk() host { return d.ws.host }

func (d attached) help() tea.Cmd { return d.ws.host.help() }

// hosted is a dialog of the workbench.
type hosted interface {
	dialog
	desk() host
	help() tea.Cmd
}

// shut closes a dialog that needs nothing else for it.
func shut[T hosted](d T) { d.desk().close(d) }

// closable returns the actions of a dialog: the movements, its own rows, the one that closes it, and
// help. word describes what closing does.
func closable[T hosted](word string, end func(T), move func(T, list.Motion), rows []row[T]) []actions.Action {
	return actions.Moving(move, append(rows, actions.Now(actionClose, word, keys("esc", "q"), end), helpRow[T]()))
}

func helpRow[T hosted]() row[T] { return actions.New(actionHelp, "help", keys("?"), T.help) }

// lineRows returns the rows of a dialog that asks for one line of text: its own, Enter and Esc.
func lineRows[T any](accept row[T], end func(T), rows ...row[T]) []row[T] {
	return append(rows, accept, actions.Now(actionClose, "cancel", keys("esc"), end))
}

// pickRows are the rows that move through the list below a line of text. The letters are needed for
// typing, so only arrows and Ctrl keys are used.
func pickRows[T any](move func(T, list.Motion)) []row[T] {
	return []row[T]{
		actions.Now(actionNext, "next", keys("down", "ctrl+n"), func(d T) { move(d, list.Down) }),
		actions.Now(actionPrev, "previous", keys("up", "ctrl+p"), func(d T) { move(d, list.Up) }),
	}
}

// oneLine is the text field of a dialog that reads the text only when it is accepted.
type oneLine struct {
	field *textfield
	w     int
}

func (l *oneLine) typed(k tea.KeyPressMsg) tea.Cmd { return l.edit(k) }

func (l *oneLine) pasted(s string) tea.Cmd { return l.edit(tea.PasteMsg{Content: s}) }

func (l *oneLine) edit(msg tea.Msg) tea.Cmd {
	l.field.typed(msg)
	return nil
}

func (l *oneLine) cursor() (x, y int) {
	_, x = l.field.view(l.w)
	return x, 0
}
