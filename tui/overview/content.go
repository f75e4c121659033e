package overview

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// line is a line of the pane, safe to print.
type line struct {
	text  string
	key   string // drawn before the text, "" for none
	looks theme.Looks
	// do does what the line says; nil if there is nothing to do. said is the line in words.
	do   func() tea.Cmd
	said string
	// group is the name of a group that holds others.
	group string
	holds bool
	slow  bool // the line is about one of the slowest nodes
}

// waiting is shown until the model is summed up.
const waiting = "working out what this model is"

// clauses returns the pieces of the sentence about a model, safe to print.
func clauses(s *reporting.Summary) []string {
	var out []string
	for _, c := range s.Clauses() {
		out = append(out, cells.Prose(c))
	}
	return out
}

// content makes the lines of the pane.
func (p *Pane) content() []line {
	b := builder{w: p.w - 2}
	t := p.ws.Types
	if t.Summary == nil {
		b.add(theme.Faint, waiting)
		return b.lines
	}
	for _, l := range t.Summary.PartLines() {
		first := len(b.lines)
		b.add(theme.Plain, cells.Prose(l.Text))
		p.leadTo(&b.lines[first], l)
	}
	p.cache(&b)
	b.pack(theme.Plain, p.facts())
	p.missing(&b)
	p.times(&b)
	p.ports(&b)
	p.problems(&b)
	b.head("next")
	b.lines = append(b.lines, p.next()...)
	p.slowest(&b)
	p.groups(&b)
	return b.lines
}

// builder collects lines of a width.
type builder struct {
	w     int
	lines []line
}

// add appends a text, wrapped. Further lines are indented.
func (b *builder) add(looks theme.Looks, s string) {
	for i, part := range cells.WrapWords(s, b.w-2) {
		if i > 0 {
			part = "  " + part
		}
		b.lines = append(b.lines, line{text: part, looks: looks})
	}
}

// pack appends short texts, as many on each line as fit.
func (b *builder) pack(looks theme.Looks, list []string) {
	line := ""
	for _, s := range list {
		if line != "" && cells.Width(line)+cells.Width(packed)+cells.Width(s) > b.w-2 {
			b.add(looks, line)
			line = ""
		}
		if line != "" {
			line += packed
		}
		line += s
	}
	if line != "" {
		b.add(looks, line)
	}
}

// packed separates short texts on one line.
const packed = " · "

// head begins a section.
func (b *builder) head(s string) {
	b.lines = append(b.lines, line{}, line{text: s, looks: theme.Heading})
}

// problems adds the number of problems and the first of them.
func (p *Pane) problems(b *builder) {
	c := p.ws.Types.Checkup
	if c == nil || c.Summary() == "" {
		return
	}
	b.lines = append(b.lines, line{})
	looks := theme.Warning
	if !check.OK(c.Problems) {
		looks = theme.Failure
	}
	b.lines = append(b.lines, line{
		key: p.ws.Keys.Key(shell.PlaceMain, workspace.ActionProblems), text: c.Summary(), said: c.Summary(), looks: looks,
		do: func() tea.Cmd { return p.ws.Host.PerformMain(workspace.ActionProblems) },
	})
	first := cells.WrapWords(c.Lines[0].Where+" "+c.Lines[0].Text, b.w-2)
	for i, l := range first[:min(len(first), maxProblem)] {
		if i == maxProblem-1 && len(first) > maxProblem {
			l = cells.Cut(l+" …", b.w-2)
		}
		b.lines = append(b.lines, line{text: "  " + l, looks: theme.Faint})
	}
}

// maxProblem is the maximum number of lines of the first problem.
const maxProblem = 3

// suggestion is a likely next action. The first few that make sense in the present state are shown.
type suggestion struct {
	action actions.Name
	text   string
	when   func(ws *workspace.Workspace) bool
}

// suggestions are the actions in the order in which they are proposed.
var suggestions = []suggestion{
	{workspace.ActionPrune, "prune to the marks", func(ws *workspace.Workspace) bool { return len(ws.Marks.Names) > 0 }},
	{workspace.StepAction("axes"), "make the batch size free", func(ws *workspace.Workspace) bool { return ws.Types.Summary.Batch.Axis == "fixed" }},
	{workspace.StepAction("profile"), "measure where the time goes", func(ws *workspace.Workspace) bool {
		return ws.Types.Times.Load() == nil && !isCompiled(ws) && !hasErrors(ws)
	}},
	{"flame", "where the time goes, by module", func(ws *workspace.Workspace) bool { t := ws.Types.Times.Load(); return t != nil && t.Flame != nil }},
	{workspace.StepAction("bench"), "how long a run takes", func(ws *workspace.Workspace) bool { return ws.Types.Known().Latency == nil && !hasErrors(ws) }},
	{workspace.StepAction("validate"), "does it still compute the same", func(ws *workspace.Workspace) bool { return isChanged(ws) && !hasErrors(ws) }},
	{"quantize", "smaller weights: what it saves and costs", func(ws *workspace.Workspace) bool { return isFloat(ws.Types.Summary) && !isCompiled(ws) }},
	{"simplify", "what could be simpler", func(ws *workspace.Workspace) bool { return !isCompiled(ws) }},
	{workspace.StepAction("validate"), "compare with another model", func(ws *workspace.Workspace) bool { return !isChanged(ws) && !hasErrors(ws) }},
	{workspace.ActionMark, "mark an output here, then prune to it", func(ws *workspace.Workspace) bool { return len(ws.Marks.Names) == 0 }},
	{workspace.ActionFind, "find a node", func(*workspace.Workspace) bool { return true }},
}

// maxNext is the maximum number of actions that are proposed. In a low pane, times need the room of
// some of them.
func (p *Pane) maxNext() int {
	if parts := p.partsNow(); p.h < lowPane && parts != nil && parts.Timed {
		return 3
	}
	return 7
}

// next returns the lines of the proposed actions that the key table has, with their keys.
func (p *Pane) next() []line {
	var out []line
	for _, s := range suggestions {
		k := p.ws.Keys.Key(shell.PlaceMain, s.action)
		if len(out) == p.maxNext() || k == "" || !s.when(p.ws) {
			continue
		}
		out = append(out, line{key: k, text: s.text, said: s.text, do: func() tea.Cmd {
			if s.action == workspace.ActionMark || s.action == workspace.ActionPrune {
				p.ws.Host.Look(workspace.PlaceNodes)
			}
			return p.ws.Host.PerformMain(s.action)
		}})
	}
	return out
}

// isChanged reports whether the model is not the one that was opened.
func isChanged(ws *workspace.Workspace) bool { return ws.Model() != ws.Session.Original() }

// isCompiled reports whether a provider has compiled a part of the model.
func isCompiled(ws *workspace.Workspace) bool { return len(ws.Model().CompiledNodes()) > 0 }

// hasErrors reports whether checks found an error in the model.
func hasErrors(ws *workspace.Workspace) bool {
	c := ws.Types.Checkup
	return c != nil && !check.OK(c.Problems)
}

// isFloat reports whether most weights are floating-point numbers of 32 or 16 bits.
func isFloat(s *reporting.Summary) bool {
	return len(s.Weights) > 0 && slices.Contains([]string{"f32", "f16", "bf16", "f64"}, s.Weights[0].Type)
}

// columns are the columns of the groups, the most important ones first.
var columns = []struct {
	title string
	text  func(p *graph.Part) string
}{
	{"time", (*graph.Part).TimeText},
	{"share", func(p *graph.Part) string {
		if p.US < 0 {
			return ""
		}
		return fmt.Sprintf("%.1f %%", 100*p.Share)
	}},
	{"error", (*graph.Part).ErrorText},
	{graph.SNRColumn, (*graph.Part).SNRText},
	{ofLatency, (*graph.Part).EstimateText},
	{"params", func(p *graph.Part) string { return short(p.Params, text.Short) }},
	{"nodes", func(p *graph.Part) string { return text.Count(int64(len(p.Nodes))) }},
	{"weights", func(p *graph.Part) string { return short(p.Bytes, text.Bytes) }},
}

// columnGap is the number of blanks before a column.
const columnGap = 2

// Table divides a line of the groups. Those that are inside others count only while they are shown.
func (p *Pane) Table() cells.Table {
	parts := p.partsNow()
	if parts == nil {
		return cells.Table{}
	}
	need, all := 0, make([]cells.Column, len(columns))
	for i := range all {
		all[i] = cells.Column{Title: columns[i].title, Gap: columnGap}
	}
	add := func(g *graph.Part, lead int) {
		need = max(need, lead+cells.Width(g.Name))
		for i := range all {
			all[i].Widest(columns[i].text(g))
		}
	}
	for i := range parts.List {
		g := &parts.List[i]
		add(g, len(foldGap))
		if p.opened[g.Name] {
			for k := range g.Inner {
				add(&g.Inner[k], len(innerGap))
			}
		}
	}
	return cells.Divide(p.w-4, need, all)
}

// What is before the name of a group: a mark or blanks, and more blanks for one inside another.
const (
	foldGap  = "  "
	innerGap = "    "
)

// short formats a number; "" for 0.
func short(n int64, write func(int64) string) string {
	if n == 0 {
		return ""
	}
	return write(n)
}

// groups adds the groups of nodes as a table.
func (p *Pane) groups(b *builder) {
	parts := p.partsNow()
	if parts == nil || len(parts.List) == 0 {
		return
	}
	t := p.Table()
	title := cells.Fit("groups", t.Name+t.Spare)
	for i, c := range t.Columns {
		title += t.Cell(i, c.Title, false)
	}
	b.head(title)
	if t := p.ws.Types.Times.Load(); parts.Timed && t != nil && t.Said != "" {
		b.add(theme.Faint, "times: "+t.Said)
	}
	if t := p.ws.Types.Times.Load(); parts.Timed && t != nil && t.Caveat != "" {
		b.add(theme.Faint, t.Caveat)
	}
	for i := range parts.List {
		g := &parts.List[i]
		b.lines = append(b.lines, p.groupLine(g, &t, foldGap))
		if p.opened[g.Name] {
			for k := range g.Inner {
				b.lines = append(b.lines, p.groupLine(&g.Inner[k], &t, innerGap))
			}
		}
	}
}

func (p *Pane) groupLine(g *graph.Part, t *cells.Table, lead string) line {
	l := line{group: g.Name, holds: len(g.Inner) > 0, said: g.Name}
	if l.holds {
		lead = map[bool]string{true: "▾ ", false: "▸ "}[p.opened[g.Name]]
	}
	l.text = cells.Fit(lead+cells.CutMiddle(g.Name, t.Name-cells.Width(lead)), t.Name+t.Spare)
	for i, c := range columns {
		s := c.text(g)
		l.text += t.Cell(i, s, false)
		if s != "" && t.Widths[i] > 0 {
			l.said += ", " + c.title + " " + s
		}
	}
	l.do = func() tea.Cmd { return p.show(g) }
	return l
}

// show goes to the first shown node of a group, and highlights its nodes.
func (p *Pane) show(g *graph.Part) tea.Cmd { return p.showNodes(g.Place, g.Nodes, g.Name) }

func (p *Pane) showNodes(place *graphops.Place, nodes []int32, name string) tea.Cmd {
	if len(nodes) == 0 {
		return nil
	}
	rows := graph.InputRows(place)
	spots := make([]graph.Spot, len(nodes))
	for i, n := range nodes {
		spots[i] = graph.Spot{Place: place, Row: rows + int(n)}
	}
	p.ws.Host.Look(workspace.PlaceNodes)
	return tea.Batch(p.ws.Jump(p.firstShown(spots)), p.ws.StandOut("nodes of "+name, spots))
}

// firstShown returns the first row that is not folded into the rows that read it.
func (p *Pane) firstShown(spots []graph.Spot) graph.Spot {
	o := p.ws.Outline
	if o.Place != spots[0].Place {
		o = graph.NewOutline(p.ws.Model(), spots[0].Place)
	}
	if at := slices.IndexFunc(spots, func(s graph.Spot) bool { return !o.Folds(s.Row) }); at >= 0 && p.ws.FoldsConstants() {
		return spots[at]
	}
	return spots[0]
}

// leadTo makes a line about a part lead to the first repetition of the part.
func (p *Pane) leadTo(to *line, l reporting.PartLine) {
	s := p.ws.Types.Summary
	if l.Part < 0 || s.Found == nil || len(s.Found.Parts[l.Part].Nodes) == 0 {
		return
	}
	to.said = cells.Prose(l.Text)
	to.do = func() tea.Cmd {
		return p.showNodes(s.Found.Place, s.Found.Parts[l.Part].Nodes[0], "the first "+cells.Prose(s.Parts[l.Part].Name()))
	}
}
