package flame

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/scope"
	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// Place is the place of the chart of times.
const Place actions.Place = "flame"

// Actions are the actions of the chart of times.
func Actions() []actions.Action {
	type it = *Dialog
	return actions.Of([]actions.Row[it]{
		actions.Now("longest-inside", "down to the slowest module inside it", actions.Keys("j", "down"), it.goIn, it.inRefusal),
		actions.Now("around", "up, to what is around", actions.Keys("k", "up"), it.goOut, it.outRefusal),
		actions.Now("next-frame", "to the one on the right", actions.Keys("l", "right", "tab"), func(d it) { d.at++ }, it.rightRefusal),
		actions.Now("previous-frame", "to the one on the left", actions.Keys("h", "left", "shift+tab"), func(d it) { d.at-- }, it.leftRefusal),
		actions.Now("zoom-in", "zoom in: as wide as the screen", actions.Keys("enter", "space"), it.zoomIn, it.zoomInRefusal),
		actions.Now("zoom-out", "zoom out", actions.Keys("backspace", "-"), it.zoomOut, it.zoomOutRefusal),
		actions.New("module-nodes", "its nodes in the list", actions.Keys("o"), it.leave, it.leaveRefusal),
		actions.Now(shell.ActionClose, "close", actions.Keys("esc", "q"), shell.Shut[it]),
		shell.HelpRow[it](),
	})
}

// Dialog is a flame graph of the modules of a model: their widths are proportional to their
// times.
type Dialog struct {
	workspace.Attached
	of   *graph.NodeTimes
	root int // the module that fills the width
	// level and at are the indices of the selected frame in rows: its row and its position in the
	// row.
	level, at int
	rows      [][]graph.Frame
	w, h      int
}

// Open shows the flame graph of the last profile of the model. Without a profile, it opens the form of
// the step that measures one.
func Open(ws *workspace.Workspace) tea.Cmd {
	if ws.Types.Times.Load() == nil {
		return forms.FillWith(ws, measures, "no times of nodes are known yet")
	}
	ws.Host.Open(&Dialog{Attached: workspace.Attached{WS: ws}, of: ws.Types.Times.Load()})
	return nil
}

// measures is the step that measures the times of nodes.
const measures = "profile"

// Refusal says why there is no flame graph and none can be measured now, or "".
func Refusal(ws *workspace.Workspace) string {
	switch t := ws.Types.Times.Load(); {
	case t == nil:
		return ws.StepRefusal(measures)
	case t.Flame == nil:
		return "the profile contains no modules"
	}
	return ""
}

// Place implements shell.Pane.
func (d *Dialog) Place() actions.Place { return Place }

// Box implements shell.Dialog.
func (d *Dialog) Box(s shell.Screen) cells.Rect { return s.Body }

// Flame returns the chart.
func (d *Dialog) Flame() *graph.Flame { return d.of.Flame }

// Chosen returns the module at the cursor.
func (d *Dialog) Chosen() graph.Frame { return d.rows[d.level][d.at] }

// Title implements shell.Dialog.
func (d *Dialog) Title() string {
	if d.root == 0 {
		title := "where the time goes, by module"
		if d.of.Said != "" {
			title = "where the time goes: " + d.of.Said
		}
		return strings.Join(graph.Present([]string{title, d.of.Caveat}), "; ")
	}
	return "where the time goes in " + cells.Label(d.Flame().Modules[d.root].Path)
}

func (d *Dialog) inRefusal() string {
	return actions.Unless(d.below() >= 0, "there is nothing inside it")
}

func (d *Dialog) outRefusal() string {
	return actions.Unless(d.level > 0, "this is the outermost module shown here")
}

func (d *Dialog) rightRefusal() string {
	return actions.Unless(d.at < len(d.rows[d.level])-1, "there is no module on the right")
}

func (d *Dialog) leftRefusal() string {
	return actions.Unless(d.at > 0, "there is no module on the left")
}

func (d *Dialog) zoomInRefusal() string {
	return actions.Unless(d.zoomed() != d.root, "the module already fills the screen")
}

func (d *Dialog) zoomOutRefusal() string {
	return actions.Unless(d.root != 0, "this is the whole model")
}

func (d *Dialog) leaveRefusal() string {
	return actions.Unless(d.Chosen().Several == 0 && len(d.nodes()) > 0, "the nodes of this module are not in the visible list")
}

func (d *Dialog) goIn() { d.level, d.at = d.level+1, d.below() }

func (d *Dialog) goOut() { d.level, d.at = d.level-1, d.above() }

func (d *Dialog) zoomIn() { d.zoom(d.zoomed()) }

func (d *Dialog) zoomOut() { d.zoom(d.Flame().Modules[d.root].Parent) }

// leave shows only the nodes of the selected module in the list, with the cursor on the first. For the
// whole model it shows the list as it is.
func (d *Dialog) leave() tea.Cmd {
	ws, nodes := d.WS, slices.Sorted(slices.Values(d.nodes()))
	spots := make([]graph.Spot, len(nodes))
	for i, n := range nodes {
		spots[i] = graph.Spot{Place: ws.Outline.Place, Row: ws.Outline.NodeRow(int(n))}
	}
	ws.Host.Close(d)
	if m := d.Flame().Modules[d.Chosen().Module]; m.Parent >= 0 {
		lit := ws.StandOut(m.Path, spots)
		o := ws.Listing.Order
		o.Only = true
		return tea.Batch(lit, ws.GoTo(ws.Standing(spots[0].Row)), ws.Reorder(o))
	}
	return ws.GoTo(ws.Standing(spots[0].Row))
}

// zoomed returns the module that zooming in would show. For a frame that combines several narrow
// modules, it is their parent.
func (d *Dialog) zoomed() int {
	fr := d.Chosen()
	if fr.Several > 0 {
		return d.Flame().Modules[fr.Module].Parent
	}
	return fr.Module
}

// zoom makes a module fill the width, and selects it.
func (d *Dialog) zoom(module int) {
	d.root, d.level, d.at = max(module, 0), 0, 0
	d.lay()
}

// below returns the first frame inside the selected one on the next row, or -1.
func (d *Dialog) below() int {
	fr := d.Chosen()
	if d.level+1 >= len(d.rows) || fr.Several > 0 {
		return -1
	}
	return slices.IndexFunc(d.rows[d.level+1], func(c graph.Frame) bool { return d.Flame().Modules[c.Module].Parent == fr.Module })
}

// above returns the index of the frame of the parent module, in the row above the selected frame.
func (d *Dialog) above() int {
	parent := d.Flame().Modules[d.Chosen().Module].Parent
	return max(slices.IndexFunc(d.rows[d.level-1], func(c graph.Frame) bool { return c.Several == 0 && c.Module == parent }), 0)
}

// nodes returns the rows of the list that belong to the selected module. It returns nil if the list
// shows another place or if modules are not known.
func (d *Dialog) nodes() []int32 {
	ws := d.WS
	m, first := d.Flame().Modules[d.Chosen().Module], d.Flame().First(d.Chosen().Module)
	switch {
	case ws.Outline.Place != d.of.Place:
		return nil
	case m.Parent < 0 && len(ws.Outline.Nodes) > 0:
		return []int32{0}
	case ws.Modules == nil:
		return nil
	}
	for i := range ws.Modules.Scopes {
		if id := scope.ID(i); ws.Modules.Path(id) == first {
			return ws.Modules.Nodes(id)
		}
	}
	return nil
}

// Sync implements shell.Pane.
func (d *Dialog) Sync(w, h int) tea.Cmd {
	d.w, d.h = w, h
	d.lay()
	return nil
}

// flameFoot is the number of lines below the frames: a rule and text.
const flameFoot = 3

// lay computes the rows of frames again, and keeps the selection if it is visible.
func (d *Dialog) lay() {
	d.rows = d.Flame().Rows(d.root, max(d.w, 1), max(d.h-flameFoot, 1))
	d.level = min(d.level, len(d.rows)-1)
	d.at = min(d.at, len(d.rows[d.level])-1)
}

// View implements shell.Pane.
func (d *Dialog) View(bool) []string {
	var lines []string
	for level, row := range d.rows {
		var b strings.Builder
		at := 0
		for i, fr := range row {
			b.WriteString(strings.Repeat(" ", fr.From-at))
			b.WriteString(d.drawn(fr, level == d.level && i == d.at))
			at = fr.To
		}
		lines = append(lines, b.String()+strings.Repeat(" ", max(d.w-at, 0)))
	}
	lines = cells.Block(lines, d.w, max(d.h-flameFoot, 1))
	lines = append(lines, d.WS.Styles.Frame.On(cells.Rule(d.w)))
	for _, l := range cells.WrapWords(cells.Prose(d.Flame().Words(d.Chosen())), d.w) {
		lines = append(lines, cells.Cut(l, d.w))
	}
	return cells.Block(lines, d.w, d.h)
}

// drawn draws a frame at its width, in a colour that says how much time it takes. The first cell is
// marked, so that adjacent frames can be distinguished without colours.
func (d *Dialog) drawn(fr graph.Frame, chosen bool) string {
	st := d.WS.Styles
	share := fr.Us / max(float64(d.Flame().Modules[0].US), 1e-12)
	room := fr.To - fr.From - 1
	name := cells.Label(d.Flame().Name(fr))
	if with := name + "  " + d.Flame().Share(fr); cells.Width(with) <= room {
		name = with
	}
	name = cells.Fit(name, room)
	if chosen {
		return st.Selected.On("›" + name)
	}
	return st.Heat[min(int(share*theme.HeatSteps), theme.HeatSteps-1)].On("▌") + name
}

// Said describes the selected frame and what is inside it, for a screen reader.
func (d *Dialog) Said() string {
	words := []string{d.Title(), d.Flame().Words(d.Chosen())}
	for _, c := range d.Flame().Children[d.Chosen().Module] {
		if d.Chosen().Several == 0 {
			m := d.Flame().Modules[c]
			words = append(words, fmt.Sprintf("inside: %s", d.Flame().Words(graph.Frame{Module: c, Us: float64(m.US)})))
		}
	}
	return cells.Prose(strings.Join(words, "\n"))
}
