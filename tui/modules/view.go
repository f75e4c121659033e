package modules

import (
	"fmt"
	"strings"

	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
)

// Widths of the columns of the tree, including the blank before each. If less than minModule would
// be left for the names, the number of nodes is dropped, and then the cost.
const (
	nodesWidth  = 6
	paramsWidth = 7
	bytesWidth  = 11
	minModule   = 16
	minClass    = 6
)

// moduleColumns holds the widths of the columns of the tree, in cells. A column without room has
// the width 0.
type moduleColumns struct{ name, nodes, cost int }

func (p *Pane) columns() moduleColumns {
	c := moduleColumns{name: p.w}
	cost := bytesWidth
	if p.cost == costParams {
		cost = paramsWidth
	}
	if c.name-cost >= minModule && !p.isFree() {
		c.cost = cost
		c.name -= cost
	}
	if c.name-nodesWidth >= minModule {
		c.nodes = nodesWidth
		c.name -= nodesWidth
	}
	return c
}

// isFree reports whether no module has the cost that the column would show: the whole has none.
func (p *Pane) isFree() bool { return p.Tree != nil && p.costText(RootBranch) == "" }

// View draws only the lines in view.
func (p *Pane) View(focused bool) []string {
	c, st := p.columns(), p.ws.Styles
	lines := []string{st.Heading.On(p.head(c))}
	for _, n := range p.notes {
		lines = append(lines, st.Faint.On(cells.Cut(" "+n, p.w)))
	}
	from, to := p.Rows.Visible()
	for i := from; i < to; i++ {
		looks := p.looks(i, focused)
		if n := p.BranchCount(); i >= n {
			lines = append(lines, p.doorLine(p.Doors[i-n], c, looks))
		} else {
			lines = append(lines, p.branchLine(p.Shown.Lines[i], c, looks))
		}
	}
	return cells.Block(lines, p.w, p.h+1+len(p.notes))
}

// head draws the line of column names.
func (p *Pane) head(c moduleColumns) string {
	title := " modules"
	if p.Tree == nil {
		title += " …"
	}
	return cells.Fit(title, c.name) + right("nodes", c.nodes) + right(moduleCostNames[p.cost], c.cost)
}

// right returns text aligned in a column at the right; "" for a column of width 0.
func right(s string, w int) string {
	if w == 0 {
		return ""
	}
	return " " + cells.FitRight(s, w-1)
}

// looks returns the style of a line's name: it marks the cursor while the pane has the focus, and
// otherwise the line of the selected row.
func (p *Pane) looks(line int, focused bool) theme.Paint {
	st := p.ws.Styles
	switch {
	case focused && line == p.Rows.Cursor:
		return st.Selected
	case !focused && p.isHere(line):
		return st.Idle
	default:
		return st.Name
	}
}

func (p *Pane) isHere(line int) bool {
	return line < p.BranchCount() && p.Shown.Lines[line] == p.Here
}

// branchLine draws the line of a module: its name, its class if there is room, and its totals.
func (p *Pane) branchLine(b branch, c moduleColumns, looks theme.Paint) string {
	st := p.ws.Styles
	lead := p.lead(b)
	room := c.name - cells.Width(lead)
	name, extra := p.Name(b), p.Extra(b)
	if b != p.Here && cells.Width(name+extra) > room {
		extra = "" // the name says how many, too
	}
	name = cells.CutMiddle(name, max(room-cells.Width(extra), 1))
	room -= cells.Width(name) + cells.Width(extra)
	class := p.class(b, room)
	gap := cells.Blanks(room - cells.Width(class))
	return st.Tap.On(lead) + looks.On(name) + st.Key.On(extra) + st.Type.On(class+gap+p.numbers(b, c))
}

// lead returns the text before a name: a sign if the line contains the selected row, the
// indentation, and a sign that says whether the line can be opened.
func (p *Pane) lead(b branch) string {
	here := " "
	if b == p.Here {
		here = "›"
	}
	if b == RootBranch {
		return here
	}
	mark := "  "
	switch {
	case !p.Shown.Holds(b):
	case p.Shown.IsOpen(b):
		mark = "▾ "
	default:
		mark = "▸ "
	}
	return here + cells.Blanks(p.indent(b)-1) + mark
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
	c := cells.Label(shortClass(p.Tree.Scopes[b.scope].Class))
	if c == "" || room < min(minClass, cells.Width(c))+2 {
		return ""
	}
	return " " + cells.Cut(c, room-2)
}

// shortClass returns a class without its packages.
func shortClass(c string) string { return c[strings.LastIndexByte(c, '.')+1:] }

// numbers returns the columns at the end of a line: the number of nodes and the cost.
func (p *Pane) numbers(b branch, c moduleColumns) string {
	return right(text.Short(int64(p.NodesOf(b))), c.nodes) + right(p.costText(b), c.cost)
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
func (p *Pane) doorLine(d graph.Door, c moduleColumns, looks theme.Paint) string {
	st := p.ws.Styles
	lead := " " + cells.Blanks(min(p.step()*d.Depth, p.w/3)) + d.Glyph() + " "
	name := d.Cut(max(c.name-cells.Width(lead), 1))
	gap := cells.Blanks(c.name - cells.Width(lead) - cells.Width(name))
	nodes := right(text.Short(int64(len(d.Place.Graph.Nodes()))), c.nodes)
	return st.Tap.On(lead) + looks.On(name) + st.Type.On(gap+nodes)
}
