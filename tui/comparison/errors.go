package comparison

import (
	"math"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/tui/graph"
	"lathe/tui/plot"
	"lathe/tui/sheet"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// newNodeErrors returns the errors of the nodes of the visible model. It uses the comparison of
// layers if there is one, otherwise that of the outputs. It returns nil if the validation compared
// other models.
func newNodeErrors(v *validation) *graph.NodeErrors {
	if v.Side == sheet.SideNeither {
		return nil
	}
	place := v.shown.Places()[0]
	e := &graph.NodeErrors{Place: place, Nodes: make([]graph.NodeError, len(place.Graph.Nodes()))}
	table := &v.Tables[TableOutputs]
	if len(v.Tables[TableLayers].Rows) > 0 {
		table = &v.Tables[TableLayers]
	}
	x := place.Graph.Index()
	for i := range table.Rows {
		r := &table.Rows[i]
		if n := producerOf(x, r.Names[v.Side-sheet.SideA]); n >= 0 {
			addError(&e.Nodes[n], r)
		}
	}
	e.Scale = plot.Scale{Low: math.Inf(1), High: 0, Logarithmic: true, Steps: theme.HeatSteps}
	for _, n := range e.Nodes {
		if n.Known && n.X > 0 && !math.IsInf(n.X, 1) {
			e.Scale.Low, e.Scale.High = min(e.Scale.Low, n.X), max(e.Scale.High, n.X)
		}
	}
	return e
}

// producerOf returns the index of the node that computes a value. For a part of a value, such as an
// item of a sequence, it is the node that computes the whole. It is -1 if there is none.
func producerOf(x *graphops.Index, name string) int {
	for _, n := range graph.Present([]string{name, HolderOf(name)}) {
		if id, ok := x.Value(n); ok {
			return x.Producer(id)
		}
	}
	return -1
}

// addError takes the error of one of the node's values from a row of a table. It keeps the worse of this
// error and the earlier ones.
func addError(n *graph.NodeError, r *validationRow) {
	f := r.Figures[figSNR]
	if !f.Has && !r.failed {
		return
	}
	x := math.Pow(10, -f.X/20)
	if !f.Has {
		x = math.NaN()
	}
	if n.Known && (n.Failed && !r.failed || n.Failed == r.failed && !(x > n.X || math.IsNaN(x))) {
		return
	}
	*n = graph.NodeError{Known: true, Failed: r.failed, Noise: r.state == "quantized", X: x}
	if !f.Has {
		n.Word = r.state
	}
}

// takeErrors stores the errors of the nodes for the model that a validation is about.
func takeErrors(ws *workspace.Workspace, v *validation) tea.Cmd {
	for _, t := range ws.Typings.List {
		if t.Model == v.shown && v.Errors != nil {
			t.Errors.Store(v.Errors)
		}
	}
	if ws.Listing.Order.Column == graph.ErrorColumn {
		return ws.Arrange()
	}
	return nil
}
