package overview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

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
	for _, c := range clauses(t.Summary) {
		b.add(theme.Plain, c)
	}
	p.whole(&b)
	p.problems(&b)
	b.head("next")
	b.lines = append(b.lines, p.next()...)
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

// head begins a section.
func (b *builder) head(s string) {
	b.lines = append(b.lines, line{}, line{text: s, looks: theme.Heading})
}

// whole adds what concerns the whole model: sizes that are free, compiled parts, and weights in other
// files.
func (p *Pane) whole(b *builder) {
	m := p.ws.Model()
	if free := slices.Sorted(maps.Keys(p.ws.Types.Summary.Sizes)); len(free) > 0 {
		names := cells.Prose(strings.Join(free[:min(len(free), maxFree)], ", "))
		if len(free) > maxFree {
			names += fmt.Sprintf(" and %d more", len(free)-maxFree)
		}
		b.add(theme.Plain, "free sizes "+names)
	}
	if n := len(m.CompiledNodes()); n > 0 {
		b.add(theme.Plain, text.Plural(n, "part")+" compiled for a device")
	}
	if m.HasExternalData() {
		b.add(theme.Plain, "weights in other files")
	}
	if missing := m.MissingExternal(); len(missing) > 0 {
		b.add(theme.Failure, cells.Prose(missing[0].Error()))
	}
}

// maxFree is the maximum number of free sizes that are named.
const maxFree = 4

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
	{workspace.StepAction("profile"), "measure where the time goes", func(ws *workspace.Workspace) bool { return ws.Types.Times.Load() == nil && !isCompiled(ws) }},
	{"flame", "where the time goes, by module", func(ws *workspace.Workspace) bool { t := ws.Types.Times.Load(); return t != nil && t.Flame != nil }},
	{"quantize", "smaller weights: what it saves and costs", func(ws *workspace.Workspace) bool { return isFloat(ws.Types.Summary) && !isCompiled(ws) }},
	{"simplify", "what could be simpler", func(ws *workspace.Workspace) bool { return !isCompiled(ws) }},
	{workspace.ActionMark, "mark an output here, then prune to it", func(ws *workspace.Workspace) bool { return len(ws.Marks.Names) == 0 }},
	{workspace.ActionFind, "find a node", func(*workspace.Workspace) bool { return true }},
}

// maxNext is the maximum number of actions that are proposed.
const maxNext = 5

// next returns the lines of the proposed actions that the key table has, with their keys.
func (p *Pane) next() []line {
	var out []line
	for _, s := range suggestions {
		k := p.ws.Keys.Key(shell.PlaceMain, s.action)
		if len(out) == maxNext || k == "" || !s.when(p.ws) {
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

// isCompiled reports whether a provider has compiled a part of the model.
func isCompiled(ws *workspace.Workspace) bool { return len(ws.Model().CompiledNodes()) > 0 }

// isFloat reports whether most weights are floating-point numbers of 32 or 16 bits.
func isFloat(s *reporting.Summary) bool {
	return len(s.Weights) > 0 && slices.Contains([]string{"f32", "f16", "bf16", "f64"}, s.Weights[0].Type)
}

// column is a column of the groups.
type column struct {
	title string
	w     int
	text  func(p *graph.Part) string
}

// columns returns the columns that fit beside names, without those that would be empty. The most
// important ones come first.
func columns(parts *graph.Parts, w int) []column {
	all := []column{
		{"time", 9, (*graph.Part).TimeText},
		{"share", 7, func(p *graph.Part) string {
			if p.US < 0 {
				return ""
			}
			return fmt.Sprintf("%.1f %%", 100*p.Share)
		}},
		{"error", 10, (*graph.Part).ErrorText},
		{"params", 7, func(p *graph.Part) string { return short(p.Params, text.Short) }},
		{"nodes", 6, func(p *graph.Part) string { return text.Count(int64(len(p.Nodes))) }},
		{"weights", 11, func(p *graph.Part) string { return short(p.Bytes, text.Bytes) }},
	}
	var out []column
	for _, c := range all {
		known := c.title != "time" && c.title != "share" || parts.Timed
		known = known && (c.title != "error" || parts.Erring)
		if known && w-c.w >= minName {
			out = append(out, c)
			w -= c.w
		}
	}
	return out
}

// minName is the smallest width of the names of groups.
const minName = 18

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
	shown := columns(parts, b.w-2)
	name := b.w - 2
	for _, c := range shown {
		name -= c.w
	}
	title := cells.Fit("groups", name)
	for _, c := range shown {
		title += cells.FitRight(c.title, c.w)
	}
	b.head(title)
	if t := p.ws.Types.Times.Load(); parts.Timed && t != nil && t.Said != "" {
		b.add(theme.Faint, "times: "+t.Said)
	}
	for i := range parts.List {
		g := &parts.List[i]
		b.lines = append(b.lines, p.groupLine(g, shown, name, ""))
		if p.opened[g.Name] {
			for k := range g.Inner {
				b.lines = append(b.lines, p.groupLine(&g.Inner[k], shown, name, "    "))
			}
		}
	}
}

func (p *Pane) groupLine(g *graph.Part, shown []column, name int, indent string) line {
	l := line{group: g.Name, holds: len(g.Inner) > 0, said: g.Name}
	lead := indent
	if indent == "" {
		lead = "  "
		if l.holds {
			lead = map[bool]string{true: "▾ ", false: "▸ "}[p.opened[g.Name]]
		}
	}
	l.text = cells.Fit(cells.Cut(lead+g.Name, name-1), name)
	for _, c := range shown {
		s := c.text(g)
		l.text += cells.FitRight(s, c.w)
		if s != "" {
			l.said += ", " + c.title + " " + s
		}
	}
	l.do = func() tea.Cmd { return p.show(g) }
	return l
}

// show goes to the first node of a group, and highlights its nodes.
func (p *Pane) show(g *graph.Part) tea.Cmd {
	if len(g.Nodes) == 0 {
		return nil
	}
	rows := graph.InputRows(g.Place)
	spots := make([]graph.Spot, len(g.Nodes))
	for i, n := range g.Nodes {
		spots[i] = graph.Spot{Place: g.Place, Row: rows + int(n)}
	}
	p.ws.Host.Look(workspace.PlaceNodes)
	return tea.Batch(p.ws.Jump(spots[0]), p.ws.StandOut("nodes of "+g.Name, spots))
}
