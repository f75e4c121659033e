package modules

import (
	"fmt"
	"strings"

	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

// The columns of the tree.
const (
	columnNodes = iota
	columnCost
)

// Cells of the tree: what a cost takes at least, so that the column does not move while costs are
// computed; what is left to names beside a cost, because the pane is narrow and costs say which
// modules matter; the least that is shown of a class, and how much of it comes before the number
// of nodes.
const (
	countWidth = 5
	costWidth  = 6
	bytesWidth = 10
	minModule  = 16
	minClass   = 6
	someClass  = 10
)

// Table divides a line of the tree.
func (p *Pane) Table() cells.Table { return cells.Divide(p.w, p.need.cells, p.columns()) }

// columns returns the columns beside names. The whole has the largest numbers, and no cost if no
// module has one.
func (p *Pane) columns() []cells.Column {
	out := []cells.Column{columnNodes: {Title: "nodes", Gap: 1, Rank: 1}, columnCost: {Title: moduleCostNames[p.cost], Gap: 1, Floor: minModule}}
	if p.Count() > 0 {
		out[columnNodes].Width = countWidth
	}
	if p.BranchCount() == 0 {
		return out // other places have no costs
	}
	if s := p.costText(RootBranch); s != "" {
		least := costWidth
		if p.cost == costBytes || p.cost == costMemory {
			least = bytesWidth
		}
		out[columnCost].Width = max(least, cells.Width(s), cells.Width(out[columnCost].Title))
	}
	return out
}

// needed is the width of the longest line without its numbers, and what it depends on. It is that of
// all lines and not of those in view, so that columns do not move while the tree scrolls.
type needed struct {
	shown     *branches
	changes   int
	outline   *graph.Outline
	paneWidth int
	cells     int
}

// fitNames finds the longest line, if lines have changed.
func (p *Pane) fitNames() {
	now := needed{shown: p.Shown, outline: p.outline, paneWidth: p.w, cells: p.need.cells}
	if p.Shown != nil {
		now.changes = p.Shown.changes
	}
	if now == p.need {
		return
	}
	now.cells = len(modulesHeading)
	for i := range p.BranchCount() {
		b := p.Shown.Lines[i]
		line := 1 + cells.Width(p.lead(b)) + cells.Width(p.Name(b)) + cells.Width(p.members(b))
		if c := cells.Width(p.classOf(b)); c > 0 {
			line += classGap + min(c, someClass)
		}
		now.cells = max(now.cells, line)
	}
	for _, d := range p.Doors {
		now.cells = max(now.cells, 1+cells.Width(p.doorLead(d))+d.Width())
	}
	p.need = now
}

// View draws only the lines in view.
func (p *Pane) View(focused bool) []string {
	t, st := p.Table(), p.ws.Styles
	lines := []string{st.Heading.On(p.head(&t))}
	for _, n := range p.notes {
		lines = append(lines, st.Faint.On(cells.Cut(" "+n, p.w)))
	}
	from, to := p.Rows.Visible()
	for i := from; i < to; i++ {
		sign, bar := p.looks(i, focused)
		if n := p.BranchCount(); i >= n {
			lines = append(lines, p.doorLine(p.Doors[i-n], &t, sign, bar))
		} else {
			lines = append(lines, p.branchLine(p.Shown.Lines[i], &t, sign, bar))
		}
	}
	return cells.Block(lines, p.w, p.h+1+len(p.notes))
}

// head draws the line of column names.
func (p *Pane) head(t *cells.Table) string {
	title := modulesHeading
	if p.Tree == nil {
		title += " …"
	}
	head := cells.Fit(title, t.Name+t.Spare)
	for i, c := range t.Columns {
		head += t.Cell(i, c.Title, false)
	}
	return head
}

// modulesHeading is the heading of the names.
const modulesHeading = " modules"

// looks returns the sign before a line, and the style if the line is a bar. In the pane with the
// focus the line at the cursor is a bar, and the line of the row that is selected in the list has
// a sign. Otherwise that line is the bar.
func (p *Pane) looks(line int, focused bool) (sign string, bar theme.Paint) {
	st := p.ws.Styles
	switch {
	case focused && line == p.Rows.Cursor:
		return shell.Cursor, st.Selected
	case focused && p.isHere(line):
		return shell.Selection, ""
	case p.isHere(line):
		return shell.Selection, st.Idle
	default:
		return " ", ""
	}
}

func (p *Pane) isHere(line int) bool {
	return line < p.BranchCount() && p.Shown.Lines[line] == p.Here
}

// branchLine draws the line of a module: its name, its class if there is room, and its totals.
func (p *Pane) branchLine(b branch, t *cells.Table, sign string, bar theme.Paint) string {
	st := p.ws.Styles
	lead := sign + p.lead(b)
	room := t.Name + t.Spare - cells.Width(lead)
	name, extra := p.Name(b), p.Extra(b)
	if b != p.Here && cells.Width(name+extra) > room {
		extra = "" // the name says how many, too
	}
	name = cells.CutMiddle(name, max(room-cells.Width(extra), 1))
	room -= cells.Width(name) + cells.Width(extra)
	class := p.class(b, room)
	gap := cells.Blanks(room - cells.Width(class))
	if bar != "" {
		return bar.On(lead + name + extra + class + gap + p.numbers(b, t))
	}
	return st.Tap.On(lead) + st.Name.On(name) + st.Key.On(extra) + st.Type.On(class+gap+p.numbers(b, t))
}

// lead returns the text between the sign before a line and its name: the indentation, and a mark
// if the line can be opened.
func (p *Pane) lead(b branch) string {
	if b == RootBranch {
		return ""
	}
	mark := "  "
	switch {
	case !p.Shown.Holds(b):
	case p.Shown.IsOpen(b):
		mark = "▾ "
	default:
		mark = "▸ "
	}
	return cells.Blanks(p.indent(b)-1) + mark
}

// indent returns the cell of a line's fold mark. Deep lines are no longer indented further when
// names would have no room left.
func (p *Pane) indent(b branch) int {
	return 1 + min(p.step()*(b.depth-1), p.w/3)
}

// wideTree is the width of the pane from which each level is indented by two cells instead of one.
const wideTree = 34

func (p *Pane) step() int {
	if p.w < wideTree {
		return 1
	}
	return 2
}

// Name returns the name of a branch as the list shows it.
func (p *Pane) Name(b branch) string {
	switch {
	case b == RootBranch:
		return "/"
	case b.fold >= 0:
		return cells.Label(p.Tree.Folds[b.fold].Label)
	default:
		return cells.Label(p.Tree.Scopes[b.scope].Name)
	}
}

// Extra returns the text after the name of a fold: the number of its members, or which member
// contains the selected row.
func (p *Pane) Extra(b branch) string {
	if b.fold < 0 {
		return ""
	}
	if m, ok := p.Shown.memberAround(b.fold, p.at); ok && b == p.Here {
		return " ▸" + cells.Cut(cells.Label(NumberIn(p.Tree.Folds[b.fold].Pattern, p.Tree.Scopes[m].Name)), 8)
	}
	return p.members(b)
}

// members returns the number of members of a fold, "" for a scope.
func (p *Pane) members(b branch) string {
	if b.fold < 0 {
		return ""
	}
	return fmt.Sprintf(" ×%d", len(p.Tree.Folds[b.fold].Members))
}

// NumberIn returns the part of a member's name that the star in the fold's pattern replaces, such
// as "3" in "layers.3".
func NumberIn(pattern, name string) string {
	// Names can contain stars too. The star of the number is the first position at which name and
	// pattern differ.
	n := 0
	for n < min(len(pattern), len(name)) && pattern[n] == name[n] {
		n++
	}
	return strings.TrimSuffix(name[n:], pattern[min(n+1, len(pattern)):])
}

// class returns a module's class in short form; "" if it does not fit.
func (p *Pane) class(b branch, room int) string {
	c := p.classOf(b)
	if c == "" || room < min(minClass, cells.Width(c))+classGap {
		return ""
	}
	return " " + cells.Cut(c, room-classGap)
}

// classGap is the number of blanks around a class.
const classGap = 2

// classOf returns the class of a module, "" if it is not known.
func (p *Pane) classOf(b branch) string {
	return cells.Label(shortClass(p.Tree.Scopes[b.scope].Class))
}

// shortClass returns a class without its packages.
func shortClass(c string) string { return c[strings.LastIndexByte(c, '.')+1:] }

// numbers returns the columns at the end of a line: the number of nodes and the cost.
func (p *Pane) numbers(b branch, t *cells.Table) string {
	return t.Cell(columnNodes, text.Short(int64(p.NodesOf(b))), false) + t.Cell(columnCost, p.costText(b), false)
}

// moduleCost says which cost the tree shows for each module.
type moduleCost int

const (
	costParams moduleCost = iota
	costBytes
	costMACs
	costMemory
)

// moduleCostNames are the headings of the column.
var moduleCostNames = [...]string{costParams: "params", costBytes: "bytes", costMACs: "macs", costMemory: "memory"}

func (p *Pane) costText(b branch) string {
	params, bytes := p.costOf(b)
	total, ok := costOfModule(p.ws, p.Tree, b)
	switch {
	case p.cost == costParams:
		return graph.BlankZero(params, text.Short)
	case p.cost == costBytes:
		return graph.BlankZero(bytes, text.Bytes)
	case !ok:
		return "…"
	case p.cost == costMACs:
		return graph.SumText(total.MACs, text.Short)
	default:
		return graph.SumText(total.Written, text.Bytes)
	}
}

// NodesOf returns the number of nodes in a branch.
func (p *Pane) NodesOf(b branch) int {
	if b.fold >= 0 {
		return p.Tree.Folds[b.fold].Nodes
	}
	return p.Tree.Scopes[b.scope].Nodes
}

func (p *Pane) costOf(b branch) (params, bytes int64) {
	if b.fold >= 0 {
		f := &p.Tree.Folds[b.fold]
		return f.Parameters, f.Bytes
	}
	s := &p.Tree.Scopes[b.scope]
	return s.Parameters, s.Bytes
}

func (p *Pane) costSaid(b branch) string {
	params, bytes := p.costOf(b)
	out := text.Short(params) + " parameters, " + text.Bytes(bytes)
	if total, ok := costOfModule(p.ws, p.Tree, b); ok {
		out += ", " + graph.TotalText(total.MACs, text.Short) + " MACs"
	}
	return out
}

// doorLine draws the line of another place.
func (p *Pane) doorLine(d graph.Door, t *cells.Table, sign string, bar theme.Paint) string {
	st := p.ws.Styles
	lead := sign + p.doorLead(d)
	room := t.Name + t.Spare - cells.Width(lead)
	name := d.Cut(max(room, 1))
	gap := cells.Blanks(room - cells.Width(name))
	nodes := t.Cell(columnNodes, text.Short(int64(len(d.Place.Graph.Nodes()))), false)
	if bar != "" {
		return bar.On(lead + name + gap + nodes)
	}
	return st.Tap.On(lead) + st.Name.On(name) + st.Type.On(gap+nodes)
}

// doorLead returns the text between the sign before a line and the name of another place.
func (p *Pane) doorLead(d graph.Door) string {
	return cells.Blanks(min(p.step()*d.Depth, p.w/3)) + d.Glyph() + " "
}
