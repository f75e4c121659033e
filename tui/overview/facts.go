package overview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/bench"
	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// facts returns short texts about the whole model, safe to print: its size, its batch, and its file.
func (p *Pane) facts() []string {
	m, s := p.ws.Model(), p.ws.Types.Summary
	out := s.FigureClauses()
	if free := slices.Sorted(maps.Keys(s.Sizes)); len(free) > 0 {
		names := strings.Join(free[:min(len(free), maxFree)], ", ")
		if len(free) > maxFree {
			names += fmt.Sprintf(" and %d more", len(free)-maxFree)
		}
		out = append(out, "free sizes "+names)
	}
	if p.ws.Session.CanUndo() == "" && m.FileBytes() > 0 {
		out = append(out, "file "+text.Bytes(m.FileBytes()))
	}
	versions := fmt.Sprintf("IR %d", m.IRVersion())
	if v, ok := m.Opset(graphops.DefaultDomain); ok {
		versions = fmt.Sprintf("opset %d, ", v) + versions
	}
	out = append(out, versions)
	if name, version := m.Producer(); name != "" {
		out = append(out, strings.TrimSpace(name+" "+version))
	}
	if n := len(m.CompiledNodes()); n > 0 {
		out = append(out, text.Plural(n, "part")+" compiled for a device")
	}
	if m.HasExternalData() {
		out = append(out, "weights in other files")
	}
	for i := range out {
		out[i] = cells.Prose(out[i])
	}
	return out
}

// maxFree is the maximum number of free sizes that are named.
const maxFree = 4

// missing adds the first file of weights that cannot be read.
func (p *Pane) missing(b *builder) {
	if missing := p.ws.Model().MissingExternal(); len(missing) > 0 {
		b.add(theme.Failure, cells.Prose(missing[0].Error()))
	}
}

// ofLatency is the title of the column of a group's share of the model's latency.
const ofLatency = "of p50"

// times adds how long a run of the model takes, and what the columns of the groups are about.
func (p *Pane) times(b *builder) {
	t := p.ws.Types
	known := t.Known()
	latency := known.Latency.Like(known.Times)
	if latency != nil {
		b.pack(theme.Plain, latencyFacts(latency))
	}
	if p.hasColumn(ofLatency) && latency != nil {
		said := "~ " + ofLatency + ": estimated as share × p50"
		switch c := p.partsNow().Times.Conditions; {
		case c == nil:
			said += "; how the profile ran is not known"
		case c.Beside(latency.Conditions) != "":
			said += "; the profile ran " + cells.Prose(c.Beside(latency.Conditions))
		}
		b.add(theme.Faint, said)
	}
	if p.hasColumn(graph.SNRColumn) && known.Signals != nil {
		b.add(theme.Faint, graph.SNRColumn+": "+known.Signals.How+"; a group has that of its worst node")
	}
}

// hasColumn reports whether the groups are shown with a column.
func (p *Pane) hasColumn(title string) bool {
	t := p.Table()
	i := slices.IndexFunc(t.Columns, func(c cells.Column) bool { return c.Title == title })
	return i >= 0 && t.Widths[i] > 0
}

// latencyFacts say how long a run of the model takes, and under which conditions.
func latencyFacts(l *graph.Latency) []string {
	out := []string{"p50 " + bench.MedianText(l.P50, l.CI95)}
	if l.Noise != "" {
		out[0] += ", noisy"
	}
	on := l.Provider
	if l.Machine != "" {
		on += " by " + l.Machine
	}
	out = append(out, cells.Prose(fmt.Sprintf("%s, batch %d, %s", on, l.Batch, l.ThreadsText())))
	if !l.At.IsZero() {
		out = append(out, l.At.Local().Format("2 Jan 2006"))
	}
	return out
}

// lowPane is the height below which a pane shows less of everything.
const lowPane = 28

// portsFor returns how many inputs, and how many outputs, a pane of a height shows.
func portsFor(h int) int {
	switch {
	case h < lowPane:
		return 2
	case h < 40:
		return 4
	}
	return 8
}

// ports adds the inputs and outputs of the model with their types.
func (p *Pane) ports(b *builder) {
	main := p.ws.Model().Places()[0]
	roles := map[string]string{}
	for _, in := range p.ws.Types.Summary.Inputs {
		for _, name := range in.Names {
			roles[name] = in.Role
		}
	}
	ins, outs := main.Graph.FeedInputs(), main.Graph.Outputs()
	first := graph.InputRows(main) + len(main.Graph.Nodes())
	shown := []port{}
	for _, side := range []struct {
		word string
		list []*graphops.ValueInfo
		row  int
	}{{"in", ins, 0}, {"out", outs, first}} {
		most := portsFor(p.h)
		if len(side.list) == most+1 {
			most++ // instead of a line that says "and 1 more"
		}
		for i, v := range side.list[:min(len(side.list), most)] {
			x := port{name: cells.Label(v.Name()), row: side.row + i, typ: p.typeOf(main, v)}
			if i == 0 {
				x.side = side.word
			}
			if side.word == "in" {
				x.role = cells.Label(roles[v.Name()])
			}
			shown = append(shown, x)
		}
		if more := len(side.list) - most; more > 0 {
			shown = append(shown, port{name: fmt.Sprintf("and %d more", more), row: -1})
		}
	}
	name, typ := 0, 0
	for _, x := range shown {
		if x.row < 0 {
			continue
		}
		name, typ = max(name, cells.Width(x.name)), max(typ, cells.Width(x.typ))
	}
	free := b.w - 2 - portSide
	name = max(min(name, max(free-1-min(typ, free/2), min(cells.LeastName, free))), 1)
	for _, x := range shown {
		if x.row < 0 {
			b.lines = append(b.lines, line{text: cells.Blanks(portSide) + x.name, looks: theme.Faint})
			continue
		}
		l := line{text: cells.Fit(x.side, portSide) + cells.Fit(cells.CutMiddle(x.name, name), name) + " " + graph.CutType(x.typ, max(free-name-1, 0))}
		if rest := free - name - 1 - max(typ, cells.Width(x.typ)); x.role != "" && rest >= cells.Width(x.role)+2 {
			l.text = cells.Fit(l.text, portSide+name+1+typ) + "  " + x.role
		}
		l.said = strings.TrimSpace(x.side + " " + x.name + " " + x.typ)
		l.do = func() tea.Cmd {
			p.ws.Host.Look(workspace.PlaceNodes)
			return p.ws.Jump(graph.Spot{Place: main, Row: x.row})
		}
		b.lines = append(b.lines, l)
	}
}

// port is a line about an input or an output of the model, safe to print.
type port struct {
	side, name, typ, role string
	row                   int // in the list of nodes; -1 for a line about further ones
}

// portSide is the width of the words "in" and "out".
const portSide = 4

// typeOf returns the type of an input or an output, as it was inferred or else declared.
func (p *Pane) typeOf(main *graphops.Place, v *graphops.ValueInfo) string {
	if id, ok := main.Graph.Index().Value(v.Name()); ok {
		return graph.TypeText(p.ws.Types.Of(main, id))
	}
	return graph.TypeText(v.Type())
}
