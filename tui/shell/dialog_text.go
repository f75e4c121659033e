package shell

import (
	"strings"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// TextActions returns the actions of a text. The help has none for help.
func TextActions(hasHelp bool) []actions.Action {
	type it = *TextDialog
	move := func(d it, m list.Motion) { d.Scroll.Act(m) }
	if hasHelp {
		return Closable("close", Shut[it], move, nil)
	}
	return actions.Moving(move, []actions.Row[it]{actions.Now(ActionClose, "close", actions.Keys("esc", "q"), Shut[it])})
}

// TextDialog shows lines, which scroll if they do not fit.
type TextDialog struct {
	hosting
	at     actions.Place
	head   string
	Lines  []string // may be styled
	Scroll list.Scroll
	w, h   int
}

// NewTextDialog shows lines, which may be styled.
func NewTextDialog(h Host, at actions.Place, head string, lines []string) *TextDialog {
	return &TextDialog{hosting: hosting{h}, at: at, head: head, Lines: lines}
}

// Place implements Pane.
func (d *TextDialog) Place() actions.Place { return d.at }

// Title implements Dialog.
func (d *TextDialog) Title() string { return strings.TrimSpace(d.head + "  " + d.Scroll.More()) }

// Box implements Dialog.
func (d *TextDialog) Box(s Screen) cells.Rect {
	w := leastText
	for _, line := range d.Lines {
		w = max(w, cells.Width(line))
	}
	return s.Body.Centred(min(s.W-4, w+2*FramePad), len(d.Lines)+2)
}

// Said implements Pane.
func (d *TextDialog) Said() string { return d.head + "\n" + ansi.Strip(strings.Join(d.Lines, "\n")) }

// Sync implements Pane.
func (d *TextDialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.Scroll.Resize(len(d.Lines), h)
	return nil
}

// Clicked implements Pointed. There is nothing to click on.
func (d *TextDialog) Clicked(_, _ int) tea.Cmd { return nil }

// Wheeled implements Pointed.
func (d *TextDialog) Wheeled(by int) { d.Scroll.By(by) }

// View implements Pane.
func (d *TextDialog) View(bool) []string {
	from, to := d.Scroll.Visible()
	return cells.Block(d.Lines[from:to], d.w, d.h)
}

// leastText is the smallest width of a text.
const leastText = 60
