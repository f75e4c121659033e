package tui

import (
	"fmt"
	"strings"

	"lathe/graphops"
)

// goal returns the row of the current model that a value belongs to, which is the node that makes
// it, or else the reason why there is no such row.
func (d *validationDialog) goal(r *validationRow) (spot, string) {
	if r == nil {
		return spot{}, "there is no row"
	}
	names := []string{r.names[1], r.names[0]}
	switch d.side {
	case sideA:
		names = names[1:]
	case sideB:
		names = names[:1]
	}
	main := d.app.ws.model().Places()[0]
	x := main.Graph.Index()
	for _, name := range names {
		for _, n := range []string{name, holderOf(name)} {
			if id, ok := x.Value(n); ok && n != "" {
				if at := rowMaking(d.app.ws, main, id); at >= 0 {
					return spot{main, at}, ""
				}
			}
		}
	}
	switch {
	case r.names[0] == "" && r.names[1] == "":
		return spot{}, "this is about no single value"
	case names[0] == "" && d.side != sideNeither:
		return spot{}, fmt.Sprintf("only %s has this value, and the workbench shows %s", otherSide(d.side), d.side)
	case d.shown != d.app.ws.model():
		return spot{}, "the model has become another since, without this value"
	}
	return spot{}, "the model that shows has no such value"
}

// holderOf returns the value that contains a part such as scores[0].values; "" if the name is not
// that of a part.
func holderOf(name string) string {
	if i := strings.LastIndexAny(name, "[."); i > 0 {
		if at := strings.IndexByte(name, '['); at > 0 {
			i = at
		}
		return name[:i]
	}
	return ""
}

// rowMaking returns the row of a place that makes a value.
func rowMaking(ws *workspace, p *graphops.Place, id graphops.ValueID) int {
	if n := p.Graph.Index().Producer(id); n >= 0 {
		return inputRows(p) + n
	}
	if ws.outline.place == p {
		return ws.outline.rowOfValue(id)
	}
	return newOutline(ws.model(), p).rowOfValue(id)
}
