package shell

import (
	"lathe/tui/actions"
	"lathe/tui/cells"

	tea "charm.land/bubbletea/v2"
)

// Pane is a part of the screen, such as the list of nodes. It has its own actions, state and drawing.
// What it shares with other panes is in the workspace.
type Pane interface {
	// Place identifies the pane's actions in the key table.
	Place() actions.Place
	// Sync is called after every message, with the current size of the pane. The size is 0 while
	// the pane is not shown. A pane computes here what it draws, if something that the drawing
	// depends on has changed. It returns slow work as a command.
	Sync(w, h int) tea.Cmd
	// View draws the pane, with as many lines as it is high, each as wide as it is. It changes no
	// state.
	View(focused bool) []string
	// Said returns what a screen reader should say: the line at the cursor in words, or all text in
	// the pane.
	Said() string
}

// Pointed is a pane or dialog that reacts to the mouse. Positions are relative to its upper left
// corner.
type Pointed interface {
	Clicked(x, y int) tea.Cmd
	// Wheeled scrolls by a number of lines.
	Wheeled(by int)
}

// Worker is a pane that works in the background.
type Worker interface {
	// Interrupted stops the work at the user's wish; it returns false if nothing is running.
	Interrupted() bool
}

// Drafted is a dialog that keeps what was typed when it is closed.
type Drafted interface {
	// Discard closes the dialog and forgets what was typed.
	Discard()
}

// Dialog is a pane that floats above the others. The topmost dialog gets every key.
type Dialog interface {
	Pane
	// Title is shown in the frame; "" for a dialog without a title.
	Title() string
	// Box returns the dialog's rectangle, frame included.
	Box(s Screen) cells.Rect
}

// docked is a dialog at the bottom of the screen. The panes become shorter, so that the dialog
// covers none of their lines.
type docked interface {
	// Docks returns the number of lines that it wants, including the status line.
	Docks() int
}

// Explained is a dialog whose help page has more than its keys.
type Explained interface{ Page() []string }

// Typist is a dialog with a text field: it gets the keys that have no action in the key table, and
// shows the terminal's cursor.
type Typist interface {
	Typed(k tea.KeyPressMsg) tea.Cmd
	Pasted(text string) tea.Cmd
	// Cursor returns where the next character goes, relative to the dialog's inner upper left
	// corner.
	Cursor() (x, y int)
}

// Dialogs is the stack of open dialogs, the topmost one last.
type Dialogs []Dialog

// Open adds a dialog on top.
func (d *Dialogs) Open(x Dialog) { *d = append(*d, x) }

// Close removes a dialog from anywhere in the stack.
func (d *Dialogs) Close(x Dialog) {
	kept := make(Dialogs, 0, len(*d))
	for _, y := range *d {
		if y != x {
			kept = append(kept, y)
		}
	}
	*d = kept
}

// Dock returns the number of lines that dialogs want at the bottom.
func (d Dialogs) Dock() int {
	n := 0
	for _, x := range d {
		if x, ok := x.(docked); ok {
			n = max(n, x.Docks())
		}
	}
	return n
}

// Top returns the dialog that gets the keys, or nil.
func (d Dialogs) Top() Dialog {
	if len(d) == 0 {
		return nil
	}
	return d[len(d)-1]
}
