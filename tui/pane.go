package tui

import (
	"lathe/tui/cells"

	tea "charm.land/bubbletea/v2"
)

// pane is a part of the screen, such as the list of nodes. It has its own actions, state and drawing.
// What it shares with other panes is in the workspace.
type pane interface {
	// place identifies the pane's actions in the key table.
	place() place
	// sync is called after every message, with the current size of the pane. The size is 0 while
	// the pane is not shown. A pane computes here what it draws, if something that the drawing
	// depends on has changed. It returns slow work as a command.
	sync(w, h int) tea.Cmd
	// view draws the pane, with as many lines as it is high, each as wide as it is. It changes no
	// state.
	view(focused bool) []string
	// said returns what a screen reader should say: the line at the cursor in words, or all text in
	// the pane.
	said() string
}

// pointed is a pane or dialog that reacts to the mouse. Positions are relative to its upper left
// corner.
type pointed interface {
	clicked(x, y int) tea.Cmd
	// wheeled scrolls by a number of lines.
	wheeled(by int)
}

// worker is a pane that works in the background.
type worker interface {
	// interrupted stops the work at the user's wish; it returns false if there is none.
	interrupted() bool
}

// dialog is a pane that floats above the others. The topmost dialog gets every key.
type dialog interface {
	pane
	// title is shown in the frame; "" for a dialog without a title.
	title() string
	// box returns the dialog's rectangle, frame included.
	box(s screen) cells.Rect
}

// docked is a dialog at the bottom of the screen. The panes become shorter, so that the dialog
// covers none of their lines.
type docked interface {
	// docks returns the number of lines that it wants, including the status line.
	docks() int
}

// explained is a dialog whose help page has more than its keys.
type explained interface{ page() []string }

// typist is a dialog with a text field: it gets the keys that have no action in the key table, and
// shows the terminal's cursor.
type typist interface {
	typed(k tea.KeyPressMsg) tea.Cmd
	pasted(text string) tea.Cmd
	// cursor returns where the next character goes, relative to the dialog's inner upper left
	// corner.
	cursor() (x, y int)
}

// dialogs is the stack of open dialogs, the topmost one last.
type dialogs []dialog

func (d *dialogs) open(x dialog) { *d = append(*d, x) }

// close removes a dialog from anywhere in the stack.
func (d *dialogs) close(x dialog) {
	kept := make(dialogs, 0, len(*d))
	for _, y := range *d {
		if y != x {
			kept = append(kept, y)
		}
	}
	*d = kept
}

// dock returns the number of lines that dialogs want at the bottom.
func (d dialogs) dock() int {
	n := 0
	for _, x := range d {
		if x, ok := x.(docked); ok {
			n = max(n, x.docks())
		}
	}
	return n
}

// top returns the dialog that gets the keys, or nil.
func (d dialogs) top() dialog {
	if len(d) == 0 {
		return nil
	}
	return d[len(d)-1]
}
