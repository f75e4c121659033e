package tui

import (
	"context"
	"lathe/tui/cells"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// App is the workbench as Bubble Tea runs it. It routes messages to panes and
// dialogs and puts together what they draw.
type App struct {
	ws      *workspace
	w, h    int
	nodes   *nodesPane
	detail  *detailPane
	focus   pane
	dialogs dialogs
}

// New makes a workbench. Its commands end with ctx.
func New(ctx context.Context, o Options) *App {
	ws := newWorkspace(ctx, o)
	a := &App{ws: ws, nodes: &nodesPane{ws: ws}, detail: &detailPane{ws: ws}}
	a.focus = a.nodes
	return a
}

// Init implements tea.Model.
func (a *App) Init() tea.Cmd {
	return tea.Batch(
		// Over SSH the library does not ask by itself whether the terminal can
		// take a frame at once, which spares flicker.
		tea.Raw(ansi.RequestModeSynchronizedOutput),
		tea.RequestBackgroundColor,
		resolve(a.ws.outline),
	)
}

// screen is where everything stands now.
func (a *App) screen() screen {
	return layout(a.w, a.h, mode{detail: a.focus == a.detail, notice: len(a.ws.marks.names) > 0})
}

// panes are all panes and where they stand, in the order of the focus.
func (a *App) panes(s screen) []placed {
	return []placed{{a.nodes, s.nodes}, {a.detail, s.detail}}
}

// everyone is all panes and all open dialogs.
func (a *App) everyone() []pane {
	var out []pane
	for _, p := range a.panes(a.screen()) {
		out = append(out, p.pane)
	}
	for _, d := range a.dialogs {
		out = append(out, d)
	}
	return out
}

// placed is a pane and its part of the screen.
type placed struct {
	pane
	at cells.Rect
}
