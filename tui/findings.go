package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

// finding is a message about a row of the model, such as an error or an axis whose size is fixed.
// Its texts have no control characters. A finding without a row is just a line of text.
type finding struct {
	spot  spot   // zero for a line of text
	where string // operator and name of the row
	text  string
	note  string // what can be done about it, or ""
	code  string // code of a problem
	looks theme.Looks
}

// findingList is a list of findings. It shows one line for each, and below the list the whole
// finding at the cursor.
type findingList struct {
	list []finding
	rows list.Window
	w, h int
}

// findingFoot is the number of lines below the list, including the rule above them.
const findingFoot = 8

// leads reports whether the finding has a row.
func (f *finding) leads() bool { return f != nil && f.spot.place != nil }

// line returns the finding in a line of w cells. A long name gets at most half of them.
func (f *finding) line(w int) string {
	if f.where == "" {
		return cells.Fit(f.text, w)
	}
	room := max(w/2, w-2-cells.Width(f.text))
	return cells.Fit(cells.CutMiddle(f.where, room)+"  "+f.text, w)
}

func (l *findingList) set(f []finding) {
	l.list = f
	l.rows.Reset(len(f), l.rows.Cursor)
}

func (l *findingList) resize(w, h int) {
	l.w, l.h = w, max(h, 0)
	l.rows.Resize(max(l.h-l.foot(), 1))
}

// foot is the number of lines below the list. In a low dialog it is less.
func (l *findingList) foot() int { return min(findingFoot, l.h/2) }

// at returns the finding at the cursor, or nil.
func (l *findingList) at() *finding {
	if l.rows.Cursor >= len(l.list) {
		return nil
	}
	return &l.list[l.rows.Cursor]
}

// spots returns the rows of all findings.
func (l *findingList) spots() []spot { return spotsOf(l.list) }

func (l *findingList) View(st theme.Styles) []string {
	var lines []string
	for i, to := l.rows.Visible(); i < to; i++ {
		f := &l.list[i]
		line := f.line(l.w)
		looks := st.Of(f.looks)
		if i == l.rows.Cursor {
			looks = st.Selected
		}
		lines = append(lines, looks.On(line))
	}
	lines = cells.Block(lines, l.w, max(l.h-l.foot(), 1))
	if f := l.at(); f != nil && l.foot() > 0 {
		lines = append(lines, st.Frame.On(cells.Rule(l.w)))
		lines = append(lines, f.tell(l.w, l.foot()-1)...)
	}
	return cells.Block(lines, l.w, l.h)
}

// tell returns the whole finding in at most n lines of w cells: where it is, its text, and what can
// be done about it.
func (f *finding) tell(w, n int) []string {
	var lines []string
	head := f.where
	if f.code != "" {
		head += " (" + f.code + ")"
	}
	for _, words := range present([]string{head, f.text, f.note}) {
		lines = append(lines, cells.WrapWords(words, w)...)
	}
	if n > 0 && len(lines) > n {
		lines = append(lines[:n-1], cells.Cut(lines[n-1]+" "+cells.Ellipsis, w))
	}
	return lines
}

func (l *findingList) Said() string {
	f := l.at()
	if f == nil {
		return ""
	}
	return fmt.Sprintf("%s, %d of %d", strings.Join(present([]string{f.where, f.text, f.note}), ", "), l.rows.Cursor+1, len(l.list))
}

// pointAt moves the cursor to the finding in line y of the visible part. It reports whether the
// cursor was already there, which makes a second click open the finding.
func (l *findingList) pointAt(y int) (again bool) {
	from, to := l.rows.Visible()
	if y < 0 || from+y >= to {
		return false
	}
	again = l.rows.Cursor == from+y
	l.rows.MoveTo(from + y)
	return again
}

// noNode says why it is not possible to go to a finding.
const noNode = "this line is not about a node"

const placeFindings actions.Place = "findings"

func findingsActions() []actions.Action {
	type it = *findingsDialog
	return shell.Closable("close", shell.Shut[it], func(d it, m list.Motion) { d.rows.Act(m) }, []actions.Row[it]{
		actions.New(shell.ActionAccept, "go there", actions.Keys("enter"), func(d it) tea.Cmd { return goToFinding(d.ws, d, d.at()) }, it.acceptRefusal),
	})
}

// findingsDialog lists findings about the model. Their rows are also highlighted, so that a key can
// go from one to the next without the dialog.
type findingsDialog struct {
	attached
	what  string // what the findings are
	model *graphops.Model
	findingList
}

func openFindings(ws *workspace, what string, list []finding) tea.Cmd {
	d := &findingsDialog{attached: attached{ws}, what: what, model: ws.model()}
	d.set(list)
	ws.host.Open(d)
	return ws.standOut(what, d.spots())
}

func (d *findingsDialog) Place() actions.Place          { return placeFindings }
func (d *findingsDialog) Title() string                 { return d.what }
func (d *findingsDialog) Box(s shell.Screen) cells.Rect { return s.Body }
func (d *findingsDialog) View(bool) []string            { return d.findingList.View(d.ws.styles) }
func (d *findingsDialog) Wheeled(by int)                { d.rows.Scroll(by) }

func (d *findingsDialog) acceptRefusal() string {
	if d.model != d.ws.model() {
		return "the model has changed since then"
	}
	return actions.Unless(d.at().leads(), noNode)
}

func (d *findingsDialog) Sync(w, h int) tea.Cmd {
	d.resize(w, h)
	return nil
}

// Clicked implements pointed. A click selects the finding, and on the selected one it goes to its
// row.
func (d *findingsDialog) Clicked(_, y int) tea.Cmd {
	if d.pointAt(y) {
		return d.ws.host.Perform(d, shell.ActionAccept)
	}
	return nil
}

// goToFinding closes the dialog and goes to the row of a finding. The detail is shown beside it if
// there is room.
func goToFinding(ws *workspace, d shell.Dialog, f *finding) tea.Cmd {
	if f == nil {
		return nil
	}
	ws.host.Close(d)
	ws.host.Look(placeNodes)
	return ws.jump(f.spot)
}
