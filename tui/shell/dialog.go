package shell

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/list"
)

// hosted is a dialog of the workbench.
type hosted interface {
	Dialog
	Desk() Host
	Help() tea.Cmd
}

// Shut closes a dialog that needs nothing else for it.
func Shut[T hosted](d T) { d.Desk().Close(d) }

// Closable returns the actions of a dialog: the movements, its own rows, the one that closes it, and
// help. word describes what closing does.
func Closable[T hosted](word string, end func(T), move func(T, list.Motion), rows []actions.Row[T]) []actions.Action {
	return actions.Moving(move, append(rows, actions.Now(ActionClose, word, actions.Keys("esc", "q"), end), HelpRow[T]()))
}

// HelpRow is the row of the key that opens the help.
func HelpRow[T hosted]() actions.Row[T] {
	return actions.New(ActionHelp, "help", actions.Keys("?"), T.Help)
}

// LineRows returns the rows of a dialog that asks for one line of text: its own, Enter and Esc.
func LineRows[T any](accept actions.Row[T], end func(T), rows ...actions.Row[T]) []actions.Row[T] {
	return append(rows, accept, actions.Now(ActionClose, "cancel", actions.Keys("esc"), end))
}

// PickRows are the rows that move through the list below a line of text. The letters are needed for
// typing, so only arrows and Ctrl keys are used.
func PickRows[T any](move func(T, list.Motion)) []actions.Row[T] {
	return []actions.Row[T]{
		actions.Now(ActionNext, "next", actions.Keys("down", "ctrl+n"), func(d T) { move(d, list.Down) }),
		actions.Now(ActionPrev, "previous", actions.Keys("up", "ctrl+p"), func(d T) { move(d, list.Up) }),
	}
}

// OneLine is the text field of a dialog that reads the text only when it is accepted.
type OneLine struct {
	Field *Textfield
	W     int
}

// Typed implements Typist.
func (l *OneLine) Typed(k tea.KeyPressMsg) tea.Cmd { return l.edit(k) }

// Pasted implements Typist.
func (l *OneLine) Pasted(s string) tea.Cmd { return l.edit(tea.PasteMsg{Content: s}) }

func (l *OneLine) edit(msg tea.Msg) tea.Cmd {
	l.Field.Typed(msg)
	return nil
}

// Cursor implements Typist.
func (l *OneLine) Cursor() (x, y int) {
	_, x = l.Field.View(l.W)
	return x, 0
}
