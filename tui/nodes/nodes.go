package nodes

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

const (
	ActionOpen actions.Name = "open-row"
)

// Panel describes the pane.
func Panel() workspace.Panel {
	type it = *Pane
	return workspace.Panel{
		Place: workspace.PlaceNodes, Title: "nodes", Region: shell.RegionCentre,
		Actions: actions.Moving(it.move, []actions.Row[it]{
			actions.New(ActionOpen, "enter the body, open the group, else the detail", actions.Keys("enter"), it.open),
		}),
		Make: func(ws *workspace.Workspace) shell.Pane { return &Pane{ws: ws} },
	}
}

// Pane is the list of nodes with the lanes that connect them. It builds only the rows in view,
// so that its speed does not depend on the size of the model.
type Pane struct {
	ws   *workspace.Workspace
	w, h int // size of the list, without the line of headings
	// asked is what was last asked about the widths of texts.
	asked   *graph.Widths
	fitting task.Task[*graph.Widths]
}

// Place implements shell.Pane.
func (p *Pane) Place() actions.Place { return workspace.PlaceNodes }

// move moves the cursor. Before it goes to either end, its row becomes one to go back to.
func (p *Pane) move(m list.Motion) {
	if m == list.Top || m == list.Bottom {
		p.ws.Trail.Leave(p.ws.Here())
	}
	p.ws.Rows.Act(m)
}

// open opens or closes the group at the cursor, or enters the body or function of the node. For
// other rows it moves the focus to the detail pane.
func (p *Pane) open() tea.Cmd {
	if g := p.ws.GroupAt(p.ws.Rows.Cursor); g != nil {
		p.ws.ToggleGroup(g)
		return nil
	}
	if p.ws.EnterRefusal() == "" {
		return p.ws.EnterBody()
	}
	p.ws.Host.Look(workspace.PlaceDetail)
	return nil
}

// Sync adapts the list to the height of the pane. While the pane is not shown it keeps the old
// height, so that the list does not scroll.
func (p *Pane) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	if p.hasHead() {
		p.h--
	}
	if p.h > 0 && p.h != p.ws.Rows.Height {
		p.ws.Rows.Resize(p.h)
	}
	return p.fitColumns()
}

// hasHead reports whether the list has a line with the names of its columns. It has one if it shows
// additional columns or if rows are not in the order of the graph.
func (p *Pane) hasHead() bool {
	return !p.ws.Listing.Order.IsGraph() || len(workspace.ExtraColumns(p.ws)) > 0
}

// View implements shell.Pane.
func (p *Pane) View(focused bool) []string {
	var lines []string
	c := p.Columns()
	if p.hasHead() {
		lines = append(lines, p.ws.Styles.Heading.On(p.head(c)))
	}
	from, to := p.ws.Rows.Visible()
	for line := from; line < to; line++ {
		lines = append(lines, p.line(line, c, focused))
	}
	if p.ws.Rows.N == 0 {
		lines = append(lines, p.ws.Styles.Faint.On(cells.Cut("  "+p.emptiness(), p.w)))
	}
	return cells.Block(lines, p.w, p.h+p.headRows())
}

func (p *Pane) headRows() int {
	if p.hasHead() {
		return 1
	}
	return 0
}

func (p *Pane) emptiness() string {
	if p.ws.Listing.Order.Only {
		return "nothing matches; " + p.ws.Keys.Key(shell.PlaceMain, "only-matches") + " shows everything again"
	}
	return "the graph is empty: no inputs, nodes or outputs"
}

// Said describes the selected row: its name, the type of its value, what is known about it, and its
// position.
func (p *Pane) Said() string {
	ws := p.ws
	if ws.Rows.N == 0 {
		return p.emptiness()
	}
	if g := ws.GroupAt(ws.Rows.Cursor); g != nil {
		return fmt.Sprintf("group %s, %s", g.Name, text.Plural(len(g.Rows), "row"))
	}
	row := ws.Row()
	words := []string{ws.Outline.Op(row) + " " + ws.Outline.Name(row)}
	if ws.Wiring != nil {
		if t := ws.Wiring.RowType(row); t != "" {
			words = append(words, t)
		}
	}
	for _, f := range []struct {
		word  string
		holds bool
	}{
		{"marked", ws.IsMarked(row)},
		{"has values with NaN or infinity", values.IsOdd(ws, row)},
		{"would be dropped", ws.Drops(row)},
		{"match", ws.Found.Matches(row)},
		{"in the range", ws.InSpan(ws.Rows.Cursor)},
		{"has a body", workspace.IsHolder(ws, row)},
	} {
		if f.holds {
			words = append(words, f.word)
		}
	}
	return strings.Join(append(words, fmt.Sprintf("row %d of %d", ws.Rows.Cursor+1, ws.Rows.N)), ", ")
}

// Clicked implements shell.Pointed: a click selects a row; a click on the selected row opens it.
func (p *Pane) Clicked(_, y int) tea.Cmd {
	line := p.ws.Rows.Top + y - p.headRows()
	if line < p.ws.Rows.Top || line >= p.ws.Rows.N {
		return nil
	}
	if line == p.ws.Rows.Cursor {
		return p.open()
	}
	p.ws.Rows.MoveTo(line)
	return nil
}

// Wheeled implements shell.Pointed.
func (p *Pane) Wheeled(by int) { p.ws.Rows.Scroll(by) }
