package tui

import (
	"lathe/tui/cells"

	tea "charm.land/bubbletea/v2"
)

// doer carries out actions of the key table.
type doer interface {
	// do carries out an action of its place. What is slow it returns as a
	// command.
	do(a action) tea.Cmd
	// refusal says why an action cannot be carried out now, "" if it can. The
	// status line tells it, and the palette.
	refusal(a action) string
}

// pane is one part of the screen. It owns its keys, its state and what it
// draws; what it shares with others is in the workspace.
type pane interface {
	doer
	// place names its rows of the key table.
	place() place
	// sync is called after every message, with the size that the pane has now,
	// which is 0 while it does not show. A pane that draws something derived makes
	// it here, if it has changed; what is slow it returns as a command.
	sync(w, h int) tea.Cmd
	// view draws the pane: as many lines as it is high, each as wide as it is.
	// It changes nothing.
	view(focused bool) []string
	// said is what a person who hears the screen must know of where they are: the
	// line at the cursor in words, or the text that shows.
	said() string
}

// listener is a pane or dialog with messages of its own: answers to its
// commands. It gets every message that is no key, and leaves those of others.
type listener interface {
	update(msg tea.Msg) tea.Cmd
}

// pointed is a pane or dialog that a mouse works on. Positions are from its
// upper left corner.
type pointed interface {
	clicked(x, y int) tea.Cmd
	// wheeled scrolls by a number of lines.
	wheeled(by int)
}

// worker is a pane that works beside the screen.
type worker interface {
	// interrupted ends the work because the person wants it to; it reports false
	// where none is done.
	interrupted() bool
}

// dialog is a pane that floats above the others. The top one gets every key.
type dialog interface {
	pane
	// title stands in the frame, "" for a dialog without one.
	title() string
	// box is where the dialog stands, its frame included.
	box(s screen) cells.Rect
}

// docked is a dialog at the bottom of the screen. The panes end above it, so that
// it hides none of their lines.
type docked interface {
	// docks is how many lines it would take, the status line among them.
	docks() int
}

// explained is a dialog with more to its help than its keys.
type explained interface{ page() []string }

// typist is a dialog with a text field: it gets the keys that the table has no
// action for, and shows the terminal's cursor.
type typist interface {
	typed(k tea.KeyPressMsg) tea.Cmd
	pasted(text string) tea.Cmd
	// cursor is where the next character goes, from the dialog's inner corner.
	cursor() (x, y int)
}

// dialogs is the stack of open dialogs, the top one last.
type dialogs []dialog

func (d *dialogs) open(x dialog) { *d = append(*d, x) }

// close takes a dialog away, wherever it is.
func (d *dialogs) close(x dialog) {
	kept := make(dialogs, 0, len(*d))
	for _, y := range *d {
		if y != x {
			kept = append(kept, y)
		}
	}
	*d = kept
}

// dock is how many lines at the bottom dialogs want.
func (d dialogs) dock() int {
	n := 0
	for _, x := range d {
		if x, ok := x.(docked); ok {
			n = max(n, x.docks())
		}
	}
	return n
}

// top is the dialog that gets the keys, nil where none is open.
func (d dialogs) top() dialog {
	if len(d) == 0 {
		return nil
	}
	return d[len(d)-1]
}
