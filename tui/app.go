package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/comparison"
	"lathe/tui/forms"
	"lathe/tui/front"
	"lathe/tui/graph"
	"lathe/tui/overview"
	"lathe/tui/resume"
	"lathe/tui/sheet"
	"lathe/tui/shell"
	"lathe/tui/tour"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// App is the Bubble Tea model of the workbench. It routes messages to panes and dialogs and
// combines what they draw.
type App struct {
	ws      *workspace.Workspace
	w, h    int
	members []member
	at      int                // index of the focused member
	shown   [shell.Regions]int // the visible member of each region
	zoom    bool
	welcome welcome
	dialogs shell.Dialogs
	tour    tour.Player
	ahead   ahead
	flood   flood
	pace    pace
}

// New makes a workbench. All its background work ends when ctx ends.
func New(ctx context.Context, o workspace.Options) *App {
	a := &App{ws: workspace.New(ctx, o, newKeymap(o.Settings.Keys))}
	a.ws.Host, a.ws.TableOf, a.ws.OwnStep = a, tablesOf, values.OwnStep
	for i, v := range panels() {
		a.members = append(a.members, member{v, v.Make(a.ws)})
		if first := a.shown[v.Region]; a.members[first].Region != v.Region {
			a.shown[v.Region] = i
		}
	}
	a.Look(workspace.PlaceNodes)
	a.welcome.on = true
	return a
}

// Init implements tea.Model.
func (a *App) Init() tea.Cmd {
	return tea.Batch(
		// Over SSH, Bubble Tea does not ask whether the terminal supports synchronized output,
		// which avoids flicker. So the workbench asks.
		tea.Raw(ansi.RequestModeSynchronizedOutput),
		tea.RequestBackgroundColor,
		a.begin(),
	)
}

// begin starts the background work of the first screen: it resolves the graph, infers types and
// opens the journal. It also shows what the command line asked for: stored results, and a model to
// compare with.
func (a *App) begin() tea.Cmd {
	cmds := []tea.Cmd{a.ws.Resolve(), a.ws.Infer(), resume.BeginKeeping(a.ws)}
	if a.ws.Options.Tour {
		cmds = append(cmds, a.tour.Begin())
	}
	stored := a.ws.Options.Stored
	if r := stored.Times; r != nil {
		times := graph.NewNodeTimes(r, a.ws.Model())
		times.Said = stored.Name
		cmds = append(cmds, workspace.TakeTimes(a.ws, a.ws.Model(), times))
	}
	if stored.Times == nil && a.ws.Options.Earlier != nil {
		cmds = append(cmds, a.findEarlier())
	}
	workspace.TakeLatency(a.ws, a.ws.Model(), stored.Latency)
	if r := stored.Measured; r != nil {
		a.ws.Jobs.List = append(a.ws.Jobs.List, workspace.EarlierJob(r, stored.Command))
		cmds = append(cmds, forms.OpenResults(a.ws))
	}
	for _, line := range stored.Told {
		a.ws.Log.Say(line)
	}
	if other := a.ws.Options.Beside; other != "" {
		cmds = append(cmds, sheet.LayBeside(a.ws, other))
	}
	return tea.Batch(cmds...)
}

// findEarlier shows the last stored profile of the model, unless a newer one is measured first, and its
// stored latencies.
func (a *App) findEarlier() tea.Cmd {
	type answer struct {
		workspace.Stored
		times *graph.NodeTimes
	}
	m, t := a.ws.Model(), a.ws.Types
	find := func(ctx context.Context) answer {
		s := a.ws.Options.Earlier(ctx)
		if s.Times == nil {
			return answer{Stored: s}
		}
		return answer{s, graph.NewNodeTimes(s.Times, m)}
	}
	return workspace.Once(a.ws, "looking for an earlier profile", find, func(found answer) tea.Cmd {
		workspace.TakeLatency(a.ws, m, found.Latency)
		if found.times == nil || t.Times.Load() != nil {
			return nil
		}
		found.times.Said = found.Name
		for _, line := range found.Told {
			a.ws.Log.Say(line)
		}
		return workspace.TakeTimes(a.ws, m, found.times)
	})
}

// Look moves the focus to a pane.
func (a *App) Look(p actions.Place) {
	for i, m := range a.members {
		if m.Panel.Place == p {
			a.at, a.shown[m.Region] = i, i
		}
	}
}

// focused is the pane that gets the keys if no dialog is open.
func (a *App) focused() member { return a.members[a.at] }

// screen is the present layout.
func (a *App) screen() shell.Screen {
	return shell.Layout(a.w, a.h, shell.Mode{
		Focus: a.focused().Region, Zoom: a.zoom,
		Left: len(a.sharing(shell.RegionLeft)) > 0 && a.ws.HasModules, Notice: hasNotice(a.ws), Dock: a.dialogs.Dock(),
	})
}

// placed is a pane and its part of the screen. The part is empty if the pane is not visible.
type placed struct {
	member
	at cells.Rect
}

// panes returns all panes and their positions, in the order of the focus.
func (a *App) panes(s shell.Screen) []placed {
	out := make([]placed, len(a.members))
	for i, m := range a.members {
		out[i].member = m
		if a.shown[m.Region] == i {
			out[i].at = a.belowStrip(m.Region, s.At[m.Region])
		}
	}
	return out
}

// belowStrip returns the part of a region below its strip of titles.
func (a *App) belowStrip(r shell.Region, at cells.Rect) cells.Rect {
	if at.IsEmpty() || len(a.sharing(r)) < 2 {
		return at
	}
	return cells.Rect{X: at.X, Y: at.Y + 1, W: at.W, H: at.H - 1}
}

// sharing returns the indices in a.members of the panes that share a region. The overview has no
// title there while another pane is shown, because most screens are too narrow for all titles.
func (a *App) sharing(r shell.Region) []int {
	var out []int
	for i, m := range a.members {
		if m.Region == r && (m.Panel.Place != overview.Place || a.shown[r] == i) {
			out = append(out, i)
		}
	}
	return out
}

// everyone returns all panes and all open dialogs.
func (a *App) everyone() []shell.Pane {
	var out []shell.Pane
	for _, m := range a.members {
		out = append(out, m.Pane)
	}
	for _, d := range a.dialogs {
		out = append(out, d)
	}
	return out
}

// tablesOf returns a command that shows a report as tables or a chart, or nil if it has neither.
func tablesOf(r session.Report, shown *graphops.Model, path, command string) tea.Cmd {
	if cmd := comparison.ReadTables(r, shown, path, command); cmd != nil {
		return cmd
	}
	return front.Read(r)
}
