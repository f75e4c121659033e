package tui

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

const placeOrigin actions.Place = "origin"

func originPanel() workspace.Panel {
	type it = *originPane
	return workspace.Panel{
		Place: placeOrigin, Title: "origin", Region: shell.RegionRight,
		Actions: actions.Moving(func(p it, m list.Motion) { p.scroll.Act(m) }, []actions.Row[it]{
			actions.Now("whole-model", "where the whole model comes from, or this row again", actions.Keys("m"), it.toggleWhole),
		}),
		Make: func(ws *workspace.Workspace) shell.Pane { return &originPane{ws: ws} },
	}
}

// originPane shows where the selected row or the whole model comes from. Known metadata of
// exporters is shown in readable form, followed by all metadata as it is in the file.
type originPane struct {
	ws       *workspace.Workspace
	w, h     int
	whole    bool
	asked    originKey // what is shown or being computed
	lines    []graph.DetailLine
	scroll   list.Scroll
	question task.Task[[]graph.DetailLine]
}

// originKey identifies what the pane describes.
type originKey struct {
	model   *graphops.Model
	outline *graph.Outline
	row, w  int // the row is -1 for the whole model
	costs   *graph.Costs
}

func (p *originPane) Place() actions.Place { return placeOrigin }
func (p *originPane) toggleWhole()         { p.whole, p.scroll.Top = !p.whole, 0 }

// Sync starts to describe another row in the background, because metadata can be large and source
// files are read. The old text stays until the new one is ready.
func (p *originPane) Sync(w, h int) tea.Cmd {
	p.w, p.h = w, h
	p.scroll.Resize(len(p.lines), h)
	key := originKey{p.ws.Model(), p.ws.Outline, p.ws.Row(), w, nil}
	if p.whole || p.ws.Outline.Len() == 0 {
		key.row, key.costs = -1, p.ws.Types.Costs.Load()
	}
	if w == 0 || key == p.asked {
		return nil
	}
	p.asked = key
	describe := func(ctx context.Context) []graph.DetailLine { return originOfKey(ctx, key) }
	return workspace.Ask(p.ws, &p.question, "reading metadata", describe, func(lines []graph.DetailLine) tea.Cmd {
		p.lines, p.scroll.Top = lines, 0
		p.scroll.Resize(len(p.lines), p.h)
		return nil
	})
}

// originOfKey describes where a row or a model comes from, in lines for a pane.
func originOfKey(ctx context.Context, key originKey) []graph.DetailLine {
	s := story{Page: graph.Page{W: key.w - 2}, ctx: ctx, model: key.model, place: key.outline.Place, costs: key.costs}
	if key.row < 0 {
		s.whole()
	} else if n := key.outline.Node(key.row); n != nil {
		s.node(n)
	} else {
		s.port(key.outline.Port(key.row))
	}
	return s.Lines
}

func (p *originPane) View(focused bool) []string {
	st := p.ws.Styles
	from, to := p.scroll.Visible()
	out := make([]string, 0, p.h)
	for i, line := range p.lines[from:to] {
		lead := " "
		if focused && i == 0 {
			lead = st.Key.On("›")
		}
		out = append(out, lead+st.Of(line.Looks).On(cells.Cut(line.Text, p.w-2)))
	}
	if more := p.scroll.More(); more != "" && len(out) > 0 {
		out[len(out)-1] = cells.Blanks(p.w-len(more)-1) + st.Faint.On(more)
	}
	return cells.Block(out, p.w, p.h)
}

// Said returns the whole text.
func (p *originPane) Said() string {
	var b strings.Builder
	for _, line := range p.lines {
		b.WriteString(line.Text + "\n")
	}
	return strings.TrimSpace(b.String())
}

// Clicked implements pointed: there is nothing to click on.
func (p *originPane) Clicked(_, _ int) tea.Cmd { return nil }

// Wheeled implements pointed.
func (p *originPane) Wheeled(by int) { p.scroll.By(by) }
