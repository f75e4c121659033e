package origin

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// Place is the place of the pane.
const Place actions.Place = "origin"

// Panel describes the pane.
func Panel() workspace.Panel {
	type it = *Pane
	return workspace.Panel{
		Place: Place, Title: "origin", Region: shell.RegionRight,
		Actions: actions.Moving(func(p it, m list.Motion) { p.Scroll.Act(m) }, []actions.Row[it]{
			actions.Now("whole-model", "where the whole model comes from, or this row again", actions.Keys("m"), it.toggleWhole),
		}),
		Make: func(ws *workspace.Workspace) shell.Pane { return &Pane{ws: ws} },
	}
}

// Pane shows where the selected row or the whole model comes from. Known metadata of
// exporters is shown in readable form, followed by all metadata as it is in the file.
type Pane struct {
	ws       *workspace.Workspace
	w, h     int
	whole    bool
	Asked    Key // what is shown or being computed
	Lines    []graph.DetailLine
	Scroll   list.Scroll
	question task.Task[[]graph.DetailLine]
}

// Key identifies what the pane describes.
type Key struct {
	Model   *graphops.Model
	Outline *graph.Outline
	Row, W  int // the row is -1 for the whole model
	Costs   *graph.Costs
}

// Place implements shell.Pane.
func (p *Pane) Place() actions.Place { return Place }
func (p *Pane) toggleWhole()         { p.whole, p.Scroll.Top = !p.whole, 0 }

// Sync starts to describe another row in the background, because metadata can be large and source
// files are read. The old text stays until the new one is ready.
func (p *Pane) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	p.Scroll.Resize(len(p.Lines), h)
	key := Key{p.ws.Model(), p.ws.Outline, p.ws.Row(), w, nil}
	if p.whole || p.ws.Outline.Len() == 0 {
		key.Row, key.Costs = -1, p.ws.Types.Costs.Load()
	}
	if w == 0 || key == p.Asked {
		return nil
	}
	p.Asked = key
	describe := func(ctx context.Context) []graph.DetailLine { return LinesOf(ctx, key) }
	return workspace.Ask(p.ws, &p.question, "reading metadata", describe, func(lines []graph.DetailLine) tea.Cmd {
		p.Lines, p.Scroll.Top = lines, 0
		p.Scroll.Resize(len(p.Lines), p.h)
		return nil
	})
}

// LinesOf describes where a row or a model comes from, in lines for a pane.
func LinesOf(ctx context.Context, key Key) []graph.DetailLine {
	s := Story{Page: graph.Page{W: key.W - 2}, Ctx: ctx, model: key.Model, place: key.Outline.Place, costs: key.Costs}
	if key.Row < 0 {
		s.whole()
	} else if n := key.Outline.Node(key.Row); n != nil {
		s.node(n)
	} else {
		s.port(key.Outline.Port(key.Row))
	}
	return s.Lines
}

// View implements shell.Pane.
func (p *Pane) View(focused bool) []string {
	st := p.ws.Styles
	from, to := p.Scroll.Visible()
	out := make([]string, 0, p.h)
	for i, line := range p.Lines[from:to] {
		lead := " "
		if focused && i == 0 {
			lead = st.Key.On(shell.Cursor)
		}
		out = append(out, lead+st.Of(line.Looks).On(cells.Cut(line.Text, p.w-2)))
	}
	if more := p.Scroll.More(); more != "" && len(out) > 0 {
		out[len(out)-1] = cells.Blanks(p.w-len(more)-1) + st.Faint.On(more)
	}
	return cells.Block(out, p.w, p.h)
}

// Said returns the whole text.
func (p *Pane) Said() string {
	var b strings.Builder
	for _, line := range p.Lines {
		b.WriteString(line.Text + "\n")
	}
	return strings.TrimSpace(b.String())
}

// Clicked implements shell.Pointed: there is nothing to click on.
func (p *Pane) Clicked(_, _ int) tea.Cmd { return nil }

// Wheeled implements shell.Pointed.
func (p *Pane) Wheeled(by int) { p.Scroll.By(by) }
