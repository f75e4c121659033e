package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/list"
	"lathe/tui/shell"
)

const (
	actionOpen actions.Name = "open"
)

func nodesPanel() panel {
	type it = *nodesPane
	return panel{
		place: placeNodes, title: "nodes", region: shell.RegionCentre,
		actions: actions.Moving(it.move, []actions.Row[it]{
			actions.New(actionOpen, "enter the body, open the group, else the detail", actions.Keys("enter"), it.open),
		}),
		make: func(ws *workspace) shell.Pane { return &nodesPane{ws: ws} },
	}
}

// nodesPane is the list of nodes with the lanes that connect them. It builds only the rows in view,
// so that its speed does not depend on the size of the model.
type nodesPane struct {
	ws   *workspace
	w, h int // size of the list, without the line of headings
}

func (p *nodesPane) Place() actions.Place { return placeNodes }

// move moves the cursor. Before it goes to either end, its row becomes one to go back to.
func (p *nodesPane) move(m list.Motion) {
	if m == list.Top || m == list.Bottom {
		p.ws.trail.Leave(p.ws.here())
	}
	p.ws.rows.Act(m)
}

// open opens or closes the group at the cursor, or enters the body or function of the node. For
// other rows it moves the focus to the detail pane.
func (p *nodesPane) open() tea.Cmd {
	if g := p.ws.groupAt(p.ws.rows.Cursor); g != nil {
		p.ws.toggleGroup(g)
		return nil
	}
	if p.ws.enterRefusal() == "" {
		return p.ws.enterBody()
	}
	p.ws.host.Look(placeDetail)
	return nil
}

// Sync adapts the list to the height of the pane. While the pane is not shown it keeps the old
// height, so that the list does not scroll.
func (p *nodesPane) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	if p.hasHead() {
		p.h--
	}
	if p.h > 0 && p.h != p.ws.rows.Height {
		p.ws.rows.Resize(p.h)
	}
	return nil
}

// hasHead reports whether the list has a line with the names of its columns. It has one if it shows
// additional columns or if rows are not in the order of the graph.
func (p *nodesPane) hasHead() bool {
	return !p.ws.listing.order.IsGraph() || len(extraColumns(p.ws)) > 0
}

func (p *nodesPane) View(focused bool) []string {
	var lines []string
	c := p.columns()
	if p.hasHead() {
		lines = append(lines, p.ws.styles.Heading.On(p.head(c)))
	}
	from, to := p.ws.rows.Visible()
	for line := from; line < to; line++ {
		lines = append(lines, p.line(line, c, focused))
	}
	if p.ws.rows.N == 0 {
		lines = append(lines, p.ws.styles.Faint.On(cells.Cut("  "+p.emptiness(), p.w)))
	}
	return cells.Block(lines, p.w, p.h+p.headRows())
}

func (p *nodesPane) headRows() int {
	if p.hasHead() {
		return 1
	}
	return 0
}

func (p *nodesPane) emptiness() string {
	if p.ws.listing.order.Only {
		return "nothing matches; " + p.ws.keys.Key(shell.PlaceMain, "only-matches") + " shows everything again"
	}
	return "the graph is empty: no inputs, nodes or outputs"
}

// Said describes the selected row: its name, the type of its value, what is known about it, and its
// position.
func (p *nodesPane) Said() string {
	ws := p.ws
	if ws.rows.N == 0 {
		return p.emptiness()
	}
	if g := ws.groupAt(ws.rows.Cursor); g != nil {
		return fmt.Sprintf("group %s, %s", g.Name, text.Plural(len(g.Rows), "row"))
	}
	row := ws.row()
	words := []string{ws.outline.Op(row) + " " + ws.outline.Name(row)}
	if ws.wiring != nil {
		if t := ws.wiring.RowType(row); t != "" {
			words = append(words, t)
		}
	}
	for _, f := range []struct {
		word  string
		holds bool
	}{
		{"marked", ws.isMarked(row)},
		{"has values with NaN or infinity", isOdd(ws, row)},
		{"would be dropped", ws.drops(row)},
		{"match", ws.found.matches(row)},
		{"in the range", ws.inSpan(ws.rows.Cursor)},
		{"has a body", isHolder(ws, row)},
	} {
		if f.holds {
			words = append(words, f.word)
		}
	}
	return strings.Join(append(words, fmt.Sprintf("row %d of %d", ws.rows.Cursor+1, ws.rows.N)), ", ")
}

// Clicked implements pointed: a click selects a row; a click on the selected row opens it.
func (p *nodesPane) Clicked(_, y int) tea.Cmd {
	line := p.ws.rows.Top + y - p.headRows()
	if line < p.ws.rows.Top || line >= p.ws.rows.N {
		return nil
	}
	if line == p.ws.rows.Cursor {
		return p.open()
	}
	p.ws.rows.MoveTo(line)
	return nil
}

// Wheeled implements pointed.
func (p *nodesPane) Wheeled(by int) { p.ws.rows.Scroll(by) }
