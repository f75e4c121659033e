package tui

import (
	"cmp"
	"fmt"
	"math"

	tea "charm.land/bubbletea/v2"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/plot"
	"lathe/tui/theme"
)

// timeColumns are the columns that show a profile. They are added to the list when the first
// profile is available.
var timeColumns = []string{"time", "share", "provider", "bound"}

// nodeTimes are the times of the nodes of a main graph, as the last profile measured them. They are
// immutable.
type nodeTimes struct {
	place *graphops.Place
	nodes []profile.Cell
	scale plot.Scale
	flame *flame // nil if the profile contains no modules
}

// newNodeTimes assigns the times of a profile to the nodes of a model.
func newNodeTimes(r session.Timed, m *graphops.Model) *nodeTimes {
	place := m.Places()[0]
	t := &nodeTimes{place: place, nodes: r.Cells(len(place.Graph.Nodes())), flame: newFlame(r.ByModule())}
	t.scale = plot.Scale{Low: math.Inf(1), High: 0, Logarithmic: true, Steps: theme.HeatSteps}
	for _, c := range t.nodes {
		if c.US > 0 {
			t.scale.Low, t.scale.High = min(t.scale.Low, c.US), max(t.scale.High, c.US)
		}
	}
	return t
}

// at returns the profile of a row's node and the index of the node. known is false if the profile
// does not contain the node.
func (t *nodeTimes) at(w *wiring, row int) (c profile.Cell, index int, known bool) {
	k, i := w.outline.at(row)
	if t == nil || k != kindNode || w.outline.place != t.place || i >= len(t.nodes) {
		return profile.Cell{}, -1, false
	}
	return t.nodes[i], i, t.nodes[i].With >= 0
}

// timeText returns the time of a node, or names the node that its work is a part of.
func (w *wiring) timeText(row int) string {
	c, i, known := w.types.times.Load().at(w, row)
	switch {
	case !known:
		return ""
	case c.With != i:
		n := w.outline.place.Graph.Nodes()[c.With]
		return cells.Label("in " + cmp.Or(n.Name(), fmt.Sprintf("%s %d", n.OpType(), c.With)))
	}
	return microseconds(c.US)
}

// microseconds writes a time with three digits and a unit that fits.
func microseconds(us float64) string {
	switch {
	case us >= 1e6:
		return fmt.Sprintf("%.3g s", us/1e6)
	case us >= 1e3:
		return fmt.Sprintf("%.3g ms", us/1e3)
	}
	return fmt.Sprintf("%.3g µs", us)
}

func (w *wiring) timeNumber(row int) float64 {
	c, i, known := w.types.times.Load().at(w, row)
	if !known || c.With != i {
		return -1
	}
	return c.US
}

func (w *wiring) shareText(row int) string {
	if w.timeNumber(row) < 0 {
		return ""
	}
	c, _, _ := w.types.times.Load().at(w, row)
	return fmt.Sprintf("%.1f %%", 100*c.Share)
}

func (w *wiring) providerText(row int) string {
	c, _, _ := w.types.times.Load().at(w, row)
	return cells.Label(c.Provider)
}

func (w *wiring) boundText(row int) string {
	c, _, _ := w.types.times.Load().at(w, row)
	return cells.Label(string(c.Bound))
}

// timeStep returns the position of a row's time on the color scale, which is the same for all rows.
// It is -1 if the row has no time.
func (w *wiring) timeStep(row int) int {
	x := w.timeNumber(row)
	if x <= 0 {
		return -1
	}
	return w.types.times.Load().scale.Step(x)
}

// takeTimes stores the times of a model's nodes and shows them.
func takeTimes(ws *workspace, m *graphops.Model, times *nodeTimes) tea.Cmd {
	if times == nil {
		return nil
	}
	for _, t := range ws.typings.list {
		if t.model == m {
			t.times.Store(times)
		}
	}
	for _, name := range timeColumns {
		if !showsColumn(ws, name) && !ws.timesShown {
			toggleColumn(ws, name)
		}
	}
	ws.timesShown = true // from now on the user chooses
	return ws.arrange()
}
