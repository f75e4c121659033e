package detail

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session/reporting"
	"lathe/tui/actions"
	"lathe/tui/boxes"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/inplace"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

const (
	ActionFollow  actions.Name = "follow-box"
	ActionBoxNext actions.Name = "next-box"
)

// Panel describes the pane.
func Panel() workspace.Panel {
	return workspace.Panel{
		Place: workspace.PlaceDetail, Title: "detail", Region: shell.RegionRight, Actions: detailActions(),
		Make: func(ws *workspace.Workspace) shell.Pane { return &Pane{ws: ws, hops: 1, at: -1} },
	}
}

func detailActions() []actions.Action {
	type it = *Pane
	return actions.Moving(it.move, []actions.Row[it]{
		actions.Now(ActionBoxNext, "next box", actions.Keys("l", "right"), func(p it) { p.point(p.Around.along(1)) }, it.boxesRefusal),
		actions.Now("previous-box", "previous box", actions.Keys("h", "left"), func(p it) { p.point(p.Around.along(-1)) }, it.boxesRefusal),
		actions.Now("box-below", "box below", actions.Keys("J"), func(p it) { p.point(p.Around.across(1)) }, it.boxesRefusal),
		actions.Now("box-above", "box above", actions.Keys("K"), func(p it) { p.point(p.Around.across(-1)) }, it.boxesRefusal),
		actions.New(ActionFollow, "edit the line; go to the node of the input or the box; into the body of this one", actions.Keys("enter"), it.follow, it.followRefusal),
		actions.New("edit-line", "edit the line at the cursor, or this row", actions.Keys("e"), it.editLine, func(p it) string { return inplace.Refusal(p.ws) }),
		actions.Now("steps", "neighbours one or two steps away", actions.Keys("z"), func(p it) { p.hops = 3 - p.hops }, it.boxesRefusal),
		actions.Now("fold-boxes", "fold the boxes away, or show them", actions.Keys("f"), func(p it) { p.folded = !p.folded }, it.roomRefusal),
	})
}

// Pane shows everything about the selected row: boxes for the rows around it, and below them
// what the model says about the row.
type Pane struct {
	ws     *workspace.Workspace
	w, h   int
	hops   int
	folded bool
	made   detailKey
	Around neighbourhood
	Lines  []graph.DetailLine
	marks  []mark
	at     int // the mark at the cursor, an index of marks; -1 if the cursor is on the boxes
	Scroll list.Scroll
	// Values holds the elements of the row's small constants, once they are read.
	Values  peeked
	part    *reporting.CompiledPart // what a provider has compiled, once its blob is read
	peeking task.Task[background]
}

// detailKey identifies the state from which the lines were made. If it changes, they are made
// again.
type detailKey struct {
	outline *graph.Outline
	wiring  *graph.Wiring
	types   *graph.Inferred
	costs   *graph.Costs
	times   *graph.NodeTimes
	summary *reporting.Summary
	row, w  int
	hops    int // 0 without boxes
	blame   *graph.Blame
}

// leastDrawn is the minimum height of a pane that has room for boxes.
const leastDrawn = 15

// Place implements shell.Pane.
func (p *Pane) Place() actions.Place { return workspace.PlaceDetail }

func (p *Pane) roomRefusal() string {
	return actions.Unless(p.h >= leastDrawn, "the pane has no room for boxes")
}

func (p *Pane) boxesRefusal() string {
	return cmp.Or(p.roomRefusal(), actions.Unless(p.Around.IsDrawn(), "the boxes are hidden"))
}

func (p *Pane) followRefusal() string {
	switch {
	case p.at < 0:
		return cmp.Or(p.boxesRefusal(), p.homeRefusal())
	case p.marks[p.at].leads:
		return ""
	}
	return inplace.Refusal(p.ws)
}

func (p *Pane) homeRefusal() string {
	return actions.Unless(!p.Around.isHome() || p.ws.EnterRefusal() == "", "the cursor is on this node itself; "+p.ws.Keys.Key(workspace.PlaceDetail, ActionBoxNext)+" leads to the next box")
}

// move moves the cursor to the next or previous marked line, if that is on the screen. Otherwise it
// scrolls. At the end of the text, the cursor is on the last marked line, and at the beginning on the
// boxes.
func (p *Pane) move(m list.Motion) {
	switch to := p.beside(m); {
	case m == list.Up && p.at == 0 && p.Scroll.Top == 0:
		p.at = -1 // back to the boxes
	case to >= 0:
		p.at = to
	default:
		p.Scroll.Act(m)
		if m == list.Bottom {
			p.at = len(p.marks) - 1
		}
		if m == list.Top {
			p.at = -1
		}
	}
}

// beside returns the next or previous mark whose line is on the screen, or -1.
func (p *Pane) beside(m list.Motion) int {
	from, to := p.Scroll.Visible()
	at := p.at
	if at >= 0 && (p.lineOf(at) < from || p.lineOf(at) >= to) {
		at = -1
	}
	onScreen := func(i int) bool { return p.lineOf(i) >= from && p.lineOf(i) < to }
	switch {
	case m == list.Down:
		for i := at + 1; i < len(p.marks); i++ {
			if onScreen(i) {
				return i
			}
		}
	case m == list.Up && at > 0 && onScreen(at-1):
		return at - 1
	}
	return -1
}

// lineOf returns the line of the pane that a mark marks.
func (p *Pane) lineOf(mark int) int { return p.Around.Height() + p.marks[mark].line }

// editLine edits the row. If the line at the cursor can be edited, the focus is on it.
func (p *Pane) editLine() tea.Cmd {
	if p.at < 0 || p.marks[p.at].leads {
		return inplace.Open(p.ws)
	}
	return inplace.OpenAt(p.ws, p.marks[p.at].at)
}

// follow goes to the row of the box at the cursor, or to the row that makes the input there. For the
// box of the selected row itself, it enters the node's body or function. Another line is edited.
func (p *Pane) follow() tea.Cmd {
	switch {
	case p.at >= 0 && p.marks[p.at].leads:
		return p.ws.Jump(graph.Spot{Place: p.ws.Outline.Place, Row: p.marks[p.at].row})
	case p.at >= 0:
		return p.editLine()
	case p.Around.isHome():
		return p.ws.EnterBody()
	}
	return p.ws.Jump(p.Around.spot())
}

// point puts the cursor on a box and scrolls the box into view.
func (p *Pane) point(at boxes.At, _ bool) {
	p.at = -1
	p.Around.Cursor = at
	r := p.Around.Picture.Rects[at.Layer][at.Box]
	p.Scroll.Top = min(p.Scroll.Top, r.Y)
	p.Scroll.By(max(r.Y+r.H-p.Scroll.Top-p.Scroll.Height, 0))
}

// Sync implements shell.Pane.
func (p *Pane) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	t := p.ws.Types
	key := detailKey{p.ws.Outline, p.ws.Wiring, t.Inferred.Load(), t.Costs.Load(), t.Times.Load(), t.Summary, p.ws.Row(), w, p.hops, nil}
	if p.ws.Outline.Len() > 0 {
		key.blame = p.ws.BlameAt(key.row)
	}
	if p.folded || h < leastDrawn || p.ws.Outline.Len() == 0 {
		key.hops = 0
	}
	var cmd tea.Cmd
	if w > 0 && key != p.made {
		if key.row != p.made.row || key.outline != p.made.outline {
			p.Scroll.Top, p.Values, p.part, p.at = 0, nil, nil, -1
		}
		if key.row != p.made.row || key.wiring != p.made.wiring {
			cmd = p.peek(key)
		}
		p.made = key
		p.describe()
	}
	p.Scroll.Resize(p.Around.Height()+len(p.Lines), h)
	return cmd
}

// describe draws the boxes around the selected row and writes the text below them.
func (p *Pane) describe() {
	p.Around = neighbourhood{}
	if p.made.hops > 0 {
		p.Around = newNeighbourhood(p.ws, p.made.row, p.made.hops, p.w-2)
	}
	p.write()
}

// write computes the text.
func (p *Pane) write() {
	p.Lines, p.marks = describe(p.ws, p.made.row, p.w-2, &p.Around, background{p.Values, p.part})
	if p.Around.IsDrawn() && len(p.Lines) > 0 && p.Lines[0].Text == "" {
		p.Lines = p.Lines[1:] // the caption separates as well as a blank line
		for i := range p.marks {
			p.marks[i].line--
		}
	}
	p.at = min(p.at, len(p.marks)-1)
}

// View implements shell.Pane.
func (p *Pane) View(focused bool) []string {
	st := p.ws.Styles
	from, to := p.Scroll.Visible()
	out := make([]string, 0, p.h)
	for i := from; i < to; i++ {
		lead := " "
		if focused && (p.at < 0 && i == from || p.at >= 0 && i == p.lineOf(p.at)) {
			lead = st.Key.On(shell.Cursor)
		}
		out = append(out, lead+p.line(i, focused))
	}
	if more := p.Scroll.More(); more != "" && len(out) > 0 {
		out[len(out)-1] = cells.Blanks(p.w-len(more)-1) + st.Faint.On(more)
	}
	return cells.Block(out, p.w, p.h)
}

// line draws a line of the boxes or of the text.
func (p *Pane) line(i int, focused bool) string {
	if n := p.Around.Height(); i >= n {
		line := p.Lines[i-n]
		if focused && p.at >= 0 && p.marks[p.at].line == i-n {
			return p.ws.Styles.Selected.On(cells.Fit(line.Text, p.w-2))
		}
		return p.ws.Styles.Of(line.Looks).On(cells.Cut(line.Text, p.w-2))
	}
	return cells.Cut(p.Around.line(p.ws, i, focused), p.w-2)
}

// Said returns the box at the cursor, or else the whole text.
func (p *Pane) Said() string {
	if p.at >= 0 {
		return p.Lines[p.marks[p.at].line].Text
	}
	if p.Around.IsDrawn() && !p.Around.isHome() {
		return p.Around.Said(p.ws)
	}
	var b strings.Builder
	lines, _ := describe(p.ws, p.ws.Row(), 100, &neighbourhood{}, background{p.Values, p.part})
	for _, line := range lines {
		b.WriteString(line.Text + "\n")
	}
	return strings.TrimSpace(b.String())
}

// Clicked implements shell.Pointed: a click puts the cursor on a box or a line; a click on the box at
// the cursor goes to its node, and one on the line at the cursor edits it.
func (p *Pane) Clicked(x, y int) tea.Cmd {
	line := y + p.Scroll.Top - p.Around.Height()
	if i := slices.IndexFunc(p.marks, func(m mark) bool { return m.line == line }); i >= 0 {
		was := p.at
		if p.at = i; was == i {
			return p.ws.Host.Perform(p, ActionFollow)
		}
		return nil
	}
	at, ok := p.Around.under(x-1, y+p.Scroll.Top)
	switch {
	case !ok:
		return nil
	case at == p.Around.Cursor:
		return p.ws.Host.Perform(p, ActionFollow)
	}
	p.point(at, true)
	return nil
}

// Wheeled implements shell.Pointed.
func (p *Pane) Wheeled(by int) { p.Scroll.By(by) }
