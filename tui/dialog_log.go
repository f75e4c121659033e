package tui

import (
	"strings"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/theme"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

const placeLog place = "log"

// textActions returns the actions of a text. The help has none for help.
func textActions(hasHelp bool) []actions.Action {
	type it = *textDialog
	move := func(d it, m list.Motion) { d.scroll.Act(m) }
	if hasHelp {
		return closable("close", shut[it], move, nil)
	}
	return actions.Moving(move, []row[it]{actions.Now(actionClose, "close", keys("esc", "q"), shut[it])})
}

// textDialog shows lines, which scroll if they do not fit.
type textDialog struct {
	attached
	at     place
	head   string
	lines  []string // may be styled
	scroll list.Scroll
	w, h   int
}

func (d *textDialog) place() place  { return d.at }
func (d *textDialog) title() string { return strings.TrimSpace(d.head + "  " + d.scroll.More()) }
func (d *textDialog) box(s screen) cells.Rect {
	w := leastText
	for _, line := range d.lines {
		w = max(w, cells.Width(line))
	}
	return s.body.Centred(min(s.w-4, w+2*framePad), len(d.lines)+2)
}

func (d *textDialog) said() string { return d.head + "\n" + ansi.Strip(strings.Join(d.lines, "\n")) }

func (d *textDialog) sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.scroll.Resize(len(d.lines), h)
	return nil
}

// clicked implements pointed. There is nothing to click on.
func (d *textDialog) clicked(_, _ int) tea.Cmd { return nil }

// wheeled implements pointed.
func (d *textDialog) wheeled(by int) { d.scroll.By(by) }

func (d *textDialog) view(bool) []string {
	from, to := d.scroll.Visible()
	return cells.Block(d.lines[from:to], d.w, d.h)
}

// leastText is the smallest width of a text.
const leastText = 60

// newLogDialog shows all messages, the latest first.
func newLogDialog(ws *workspace) *textDialog {
	st := ws.styles
	var lines []string
	for i := len(ws.log.entries) - 1; i >= 0; i-- {
		e := ws.log.entries[i]
		looks := theme.Paint("")
		if e.failed {
			looks = st.Bad
		}
		var folded list.Folded
		folded.Fold(e.lines, max(ws.host.width()-4-2*framePad-len("15:04:05 "), minWidth/2))
		for j, line := range folded.Lines {
			at := e.at.Format("15:04:05")
			if j > 0 {
				at = cells.Blanks(len(at))
			}
			lines = append(lines, st.Faint.On(at)+" "+looks.On(line))
		}
	}
	if len(lines) == 0 {
		lines = []string{"there are no messages yet"}
	}
	return &textDialog{attached: attached{ws}, at: placeLog, head: "log", lines: lines}
}
