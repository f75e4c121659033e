package comparison

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/tui/graph"
	"lathe/tui/sheet"
	"lathe/tui/workspace"
)

// Goal returns the row of the node that makes the value of r in the visible model. If there is no
// such row, the text says why.
func (d *ValidationDialog) Goal(r *validationRow) (graph.Spot, string) {
	if r == nil {
		return graph.Spot{}, "there is no row"
	}
	names := []string{r.Names[1], r.Names[0]}
	switch d.Side {
	case sheet.SideA:
		names = names[1:]
	case sheet.SideB:
		names = names[:1]
	}
	main := d.WS.Model().Places()[0]
	x := main.Graph.Index()
	for _, name := range names {
		for _, n := range []string{name, HolderOf(name)} {
			if id, ok := x.Value(n); ok && n != "" {
				if at := rowMaking(d.WS, main, id); at >= 0 {
					return graph.Spot{Place: main, Row: at}, ""
				}
			}
		}
	}
	switch {
	case r.Names[0] == "" && r.Names[1] == "":
		return graph.Spot{}, "this row is not about a single value"
	case names[0] == "" && d.Side != sheet.SideNeither:
		return graph.Spot{}, fmt.Sprintf("only %s has this value, but the workbench shows %s", sheet.OtherSide(d.Side), d.Side)
	case d.shown != d.WS.Model():
		return graph.Spot{}, "the model has changed since then and no longer has this value"
	}
	return graph.Spot{}, "the model in the workbench has no such value"
}

// HolderOf returns the name of the value to which a part such as scores[0].values belongs. It is ""
// if the name is not that of a part.
func HolderOf(name string) string {
	if i := strings.LastIndexAny(name, "[."); i > 0 {
		if at := strings.IndexByte(name, '['); at > 0 {
			i = at
		}
		return name[:i]
	}
	return ""
}

// rowMaking returns the row of a place that makes a value.
func rowMaking(ws *workspace.Workspace, p *graphops.Place, id graphops.ValueID) int {
	if n := p.Graph.Index().Producer(id); n >= 0 {
		return graph.InputRows(p) + n
	}
	if ws.Outline.Place == p {
		return ws.Outline.RowOfValue(id)
	}
	return graph.NewOutline(ws.Model(), p).RowOfValue(id)
}
