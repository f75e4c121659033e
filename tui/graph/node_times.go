package graph

import (
	"cmp"
	"fmt"
	"math"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/plot"
	"lathe/tui/theme"
)

// TimeColumns are the columns that show a profile. They are added to the list when the first
// profile is available.
var TimeColumns = []string{"time", "share", "provider", "bound"}

// NodeTimes are the times of the nodes of a main graph, as the last profile measured them. They are
// immutable.
type NodeTimes struct {
	// Said names the profile: when it was measured and with what. It is safe to print, and "" if that
	// is not known.
	Said string
	// Caveat says in few words why the times are not those of a run; "" if they are.
	Caveat string
	Place  *graphops.Place
	nodes  []profile.Cell
	scale  plot.Scale
	Flame  *Flame // nil if the profile contains no modules
	// Conditions are those of the profile; nil if they are not known.
	Conditions *reporting.Conditions
}

// NewNodeTimes assigns the times of a profile to the nodes of a model.
func NewNodeTimes(r reporting.Timed, m *graphops.Model) *NodeTimes {
	place := m.Places()[0]
	t := &NodeTimes{Place: place, nodes: r.Cells(len(place.Graph.Nodes())), Flame: NewFlame(r.ByModule())}
	if of, ok := r.(reporting.Conditioned); ok {
		c := of.Conditions()
		t.Conditions = &c
	}
	if of, ok := r.(interface{ Caveat() string }); ok {
		t.Caveat = of.Caveat()
	}
	t.scale = plot.Scale{Low: math.Inf(1), High: 0, Logarithmic: true, Steps: theme.HeatSteps}
	for _, c := range t.nodes {
		if c.US > 0 {
			t.scale.Low, t.scale.High = min(t.scale.Low, c.US), max(t.scale.High, c.US)
		}
	}
	return t
}

// At returns the profile of a row's node and the index of the node. known is false if the profile
// does not contain the node.
func (t *NodeTimes) at(w *Wiring, row int) (c profile.Cell, index int, known bool) {
	k, i := w.Outline.At(row)
	if t == nil || k != KindNode || w.Outline.Place != t.Place || i >= len(t.nodes) {
		return profile.Cell{}, -1, false
	}
	return t.nodes[i], i, t.nodes[i].With >= 0
}

// timeText returns the time of a node, or names the node that its work is a part of.
func (w *Wiring) timeText(row int) string {
	c, i, known := w.Types.Times.Load().at(w, row)
	switch {
	case !known:
		return ""
	case c.With != i:
		n := w.Outline.Place.Graph.Nodes()[c.With]
		return cells.Label("in " + cmp.Or(n.Name(), fmt.Sprintf("%s %d", n.OpType(), c.With)))
	}
	return sureOrNot(c)
}

// TimeLine returns what the last profile says about a row's node, for example "980 µs, 98.0 % of all
// nodes' time, bound by memory". It is "" if there is no profile of this graph.
func (w *Wiring) TimeLine(row int) string {
	t := w.Types.Times.Load()
	if t == nil || w.Outline.Place != t.Place {
		return ""
	}
	c, i, known := t.at(w, row)
	switch {
	case !known:
		return "not in the profile"
	case c.With != i:
		return "runs " + w.timeText(row)
	}
	line := Microseconds(c.US)
	if more := t.others(i); more > 0 {
		line += " with " + text.Plural(more, "other node")
	}
	if c.Unsure {
		line += ", varies from run to run"
	}
	line += ", " + w.shareText(row) + " of all nodes' time"
	switch c.Bound {
	case profile.BoundUnknown:
	case profile.BoundNeither:
		line += ", bound by neither memory nor compute"
	default:
		line += ", bound by " + cells.Label(string(c.Bound))
	}
	return line
}

// others returns the number of other nodes that run as one with a node.
func (t *NodeTimes) others(node int) (n int) {
	for i, c := range t.nodes {
		if c.With == node && i != node {
			n++
		}
	}
	return n
}

// sureOrNot writes the time of a node, marked if it varies much from run to run.
func sureOrNot(c profile.Cell) string {
	if c.Unsure {
		return "~" + Microseconds(c.US)
	}
	return Microseconds(c.US)
}

// Microseconds writes a time with three digits and a unit that fits.
func Microseconds(us float64) string {
	switch {
	case us >= 1e6:
		return fmt.Sprintf("%.3g s", us/1e6)
	case us >= 1e3:
		return fmt.Sprintf("%.3g ms", us/1e3)
	}
	return fmt.Sprintf("%.3g µs", us)
}

func (w *Wiring) timeNumber(row int) float64 {
	c, i, known := w.Types.Times.Load().at(w, row)
	if !known || c.With != i {
		return -1
	}
	return c.US
}

func (w *Wiring) shareText(row int) string {
	if w.timeNumber(row) < 0 {
		return ""
	}
	c, _, _ := w.Types.Times.Load().at(w, row)
	return fmt.Sprintf("%.1f %%", 100*c.Share)
}

func (w *Wiring) providerText(row int) string {
	c, _, _ := w.Types.Times.Load().at(w, row)
	return cells.Label(c.Provider)
}

func (w *Wiring) boundText(row int) string {
	c, _, _ := w.Types.Times.Load().at(w, row)
	return cells.Label(string(c.Bound))
}

// timeStep returns the position of a row's time on the color scale, which is the same for all rows.
// It is -1 if the row has no time.
func (w *Wiring) timeStep(row int) int {
	x := w.timeNumber(row)
	if x <= 0 {
		return -1
	}
	return w.Types.Times.Load().scale.Step(x)
}
