package overview

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session/reporting"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/list"
	"lathe/tui/shell"
	"lathe/tui/task"
	"lathe/tui/workspace"
)

// Place is the place of the pane.
const Place actions.Place = "overview"

// ActionOpen does what the line at the cursor says.
const ActionOpen actions.Name = "open"

// Panel describes the pane.
func Panel() workspace.Panel {
	type it = *Pane
	return workspace.Panel{
		Place: Place, Title: "overview", Region: shell.RegionRight,
		Actions: actions.Moving(it.move, []actions.Row[it]{
			actions.New(ActionOpen, "do this, or go to the nodes of this group", actions.Keys("enter"), it.open, it.openRefusal),
			actions.New(ActionLength, "what the cache takes at another length", actions.Keys("c"), it.askLength, it.lengthRefusal),
			actions.Now("unfold", "show what is in this group", actions.Keys("l", "right"), it.unfold, it.unfoldRefusal),
			actions.Now("fold", "hide what is in this group", actions.Keys("h", "left"), it.fold, it.foldRefusal),
		}),
		Make: func(ws *workspace.Workspace) shell.Pane { return &Pane{ws: ws, opened: map[string]bool{}} },
	}
}

// Pane shows what the model is.
type Pane struct {
	ws     *workspace.Workspace
	w, h   int
	shown  key
	lines  []line
	rows   list.Window
	opened map[string]bool // the groups whose content is shown, by name
	moved  bool            // the person has moved the cursor
	folds  int             // how often a group was opened or closed
	length int64           // for which the cache is shown; 0 for the one that the model states

	summarizing task.Task[*reporting.Summary]
	grouping    task.Task[*graph.Parts]
	asked       *graph.Costs // the costs for which the summary was requested
	wanted      groupsKey    // for which the groups were requested
	parts       *graph.Parts // nil until they are known
}

// key is everything that the lines depend on.
type key struct {
	w       int
	types   *graph.Typing
	summary *reporting.Summary
	checkup *graph.Checkup
	parts   *graph.Parts
	latency *graph.Latencies
	typed   *graph.Inferred
	tall    int
	marks   int
	timed   bool
	folds   int
	length  int64
}

// groupsKey is what the groups depend on.
type groupsKey struct {
	summary *reporting.Summary
	graph.Known
}

// Place implements shell.Pane.
func (p *Pane) Place() actions.Place { return Place }

// Sync implements shell.Pane. It asks for the summary even while the pane is not shown, because a
// narrow screen shows the beginning of it elsewhere.
func (p *Pane) Sync(w, h int) tea.Cmd {
	cmd := p.summarize()
	p.w, p.h = w, h
	if w == 0 {
		return cmd
	}
	cmd = tea.Batch(cmd, p.group())
	t := p.ws.Types
	now := key{w, t, t.Summary, t.Checkup, p.partsNow(), t.Latency.Load(), t.Inferred.Load(), portsFor(h), len(p.ws.Marks.Names), t.Times.Load() != nil, p.folds, p.length}
	if now != p.shown {
		p.shown = now
		p.lines = p.content()
		p.rows.N = len(p.lines)
		p.begin()
		p.step(0)
	}
	p.rows.Resize(h)
	return cmd
}

// summarize asks for the summary of the visible model once its costs are known.
func (p *Pane) summarize() tea.Cmd {
	t := p.ws.Types
	c := t.Costs.Load()
	if c == nil || c == p.asked {
		return nil
	}
	p.asked = c
	summarize := func(ctx context.Context) *reporting.Summary {
		s, err := reporting.SummaryOf(ctx, t.Model, c.Open, c.Sizes, nil)
		if err != nil {
			return nil // it was stopped
		}
		return s
	}
	return workspace.Ask(p.ws, &p.summarizing, "summing up the model", summarize, func(s *reporting.Summary) tea.Cmd {
		if s != nil {
			t.Summary = s
		}
		return nil
	})
}

// group asks for the groups, if what they depend on has changed.
func (p *Pane) group() tea.Cmd {
	t := p.ws.Types
	want := groupsKey{t.Summary, t.Known()}
	if want.summary == nil || want == p.wanted {
		return nil
	}
	p.wanted = want
	group := func(ctx context.Context) *graph.Parts {
		return graph.PartsOf(ctx, want.summary, want.Known)
	}
	return workspace.Ask(p.ws, &p.grouping, "grouping the nodes", group, func(parts *graph.Parts) tea.Cmd {
		p.parts = parts
		return nil
	})
}

// partsNow returns the groups of the visible model, or nil while they are not known.
func (p *Pane) partsNow() *graph.Parts {
	if p.parts == nil || p.parts.Of != p.ws.Types.Summary {
		return nil
	}
	return p.parts
}

// begin puts the cursor on the slowest node, or else on the first line that has a key, until it is
// moved. The times of an earlier session do not scroll the pane, because the first thing that it
// answers is what the model is.
func (p *Pane) begin() {
	t := p.ws.Types.Times.Load()
	earlier := t != nil && t.Said != ""
	for _, is := range []func(l line) bool{
		func(l line) bool { return l.slow },
		func(l line) bool { return l.key != "" },
	} {
		i := slices.IndexFunc(p.lines, is)
		if earlier && i >= p.rows.Height {
			continue
		}
		if i >= 0 && !p.moved {
			p.rows.Top = 0
			p.rows.MoveTo(i)
			return
		}
	}
}

// move moves the cursor. It skips lines on which nothing can be done.
func (p *Pane) move(m list.Motion) {
	from := p.rows.Cursor
	p.moved = true
	p.rows.Act(m)
	by := 1
	if p.rows.Cursor < from || m == list.Bottom {
		by = -1
	}
	p.step(by)
}

// step moves the cursor to a line on which something can be done, if there is one: in the given
// direction, or else the nearest one.
func (p *Pane) step(by int) {
	at := p.rows.Cursor
	for _, d := range []int{by, -by, 1, -1} {
		for i := at; d != 0 && i >= 0 && i < len(p.lines); i += d {
			if p.lines[i].do != nil {
				p.rows.MoveTo(i)
				return
			}
		}
	}
}

// At returns the number of lines above the cursor on which something can be done.
func (p *Pane) At() int {
	n := 0
	for _, l := range p.lines[:min(p.rows.Cursor, len(p.lines))] {
		if l.do != nil {
			n++
		}
	}
	return n
}

// here returns the line at the cursor, or nil.
func (p *Pane) here() *line {
	if i := p.rows.Cursor; i < len(p.lines) && p.lines[i].do != nil {
		return &p.lines[i]
	}
	return nil
}

func (p *Pane) open() tea.Cmd { return p.here().do() }

func (p *Pane) openRefusal() string {
	if p.ws.Types.Summary == nil {
		return "the overview is still being computed"
	}
	return actions.Unless(p.here() != nil, "there is nothing to do in this line")
}

func (p *Pane) unfold() { p.toggle(true) }
func (p *Pane) fold()   { p.toggle(false) }

func (p *Pane) toggle(open bool) {
	p.opened[p.here().group] = open
	p.folds++
}

func (p *Pane) unfoldRefusal() string {
	l := p.here()
	return actions.Unless(l != nil && l.holds && !p.opened[l.group], "this contains no groups that are hidden")
}

func (p *Pane) foldRefusal() string {
	l := p.here()
	return actions.Unless(l != nil && l.holds && p.opened[l.group], "this is not an open group")
}

// Said implements shell.Pane.
func (p *Pane) Said() string {
	if l := p.here(); l != nil && p.ws.Host.Focus() == Place && p.rows.Cursor > 0 {
		return l.said
	}
	if s := p.ws.Types.Summary; s != nil {
		return Sentence(s)
	}
	return waiting
}

// Clicked implements shell.Pointed: a click on a line does what it says.
func (p *Pane) Clicked(_, y int) tea.Cmd {
	if i := p.rows.Top + y; i < len(p.lines) && p.lines[i].do != nil {
		p.rows.MoveTo(i)
		return p.ws.Host.Perform(p, ActionOpen)
	}
	return nil
}

// Wheeled implements shell.Pointed.
func (p *Pane) Wheeled(by int) { p.rows.Scroll(by) }

// Sentence says what the model is, safe to print.
func Sentence(s *reporting.Summary) string { return strings.Join(clauses(s), " · ") }
