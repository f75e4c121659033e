package tui

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/cells"
)

// door leads from the place that shows to another one.
type door struct {
	place *graphops.Place
	depth int  // of bodies in bodies
	out   bool // to what is around
}

// doorsOf are the ways from a place: out to what is around it, into the bodies
// below it, outer before inner, and into the model's functions.
func doorsOf(m *graphops.Model, p *graphops.Place) []door {
	var out, bodies, functions []door
	depth := map[*graphops.Place]int{p: 0} // of what is below the place
	for _, q := range m.Places() {
		switch q.Kind {
		case graphops.MainGraph:
			if p != q {
				out = append(out, door{place: q, out: true})
			}
		case graphops.BodyGraph:
			if d, ok := depth[q.Parent]; ok {
				depth[q] = d + 1
				bodies = append(bodies, door{place: q, depth: d})
			}
		case graphops.FunctionBody:
			if p != q {
				functions = append(functions, door{place: q})
			}
		}
	}
	if p.Kind == graphops.BodyGraph && p.Parent.Kind != graphops.MainGraph {
		out = append(out, door{place: p.Parent, out: true})
	}
	return append(append(out, bodies...), functions...)
}

// pass goes through the door. The way out of a body leads to the node that holds
// it.
func (d door) pass(ws *workspace) tea.Cmd {
	if out, ok := ws.around(); ok && d.out && out.place == d.place {
		return ws.leavePlace()
	}
	return ws.enter(d.place)
}

// glyph tells the kinds of place apart.
func (d door) glyph() string {
	switch {
	case d.out:
		return "‹"
	case d.place.Kind == graphops.FunctionBody:
		return "ƒ"
	default:
		return "▣"
	}
}

// name tells the place from others behind doors of this place, safe to print: a
// body by the node that holds it, with its number in the list, and the attribute.
func (d door) name() string {
	switch hops := d.place.Hops(); {
	case len(hops) == 0:
		return "main graph"
	case d.out || d.place.Kind == graphops.FunctionBody:
		return cells.Label(hops[len(hops)-1])
	default:
		n := d.place.Holder()
		holder := cmp.Or(n.Name()[strings.LastIndexByte(n.Name(), '/')+1:], n.OpType())
		return cells.Label(fmt.Sprintf("%d %s:%s", d.place.Node, holder, d.attribute(hops[len(hops)-1])))
	}
}

// attribute is the attribute that holds a body, numbered where it holds several.
func (d door) attribute(hop string) string {
	numbered := fmt.Sprintf("%s[%d]", d.place.Attribute, d.place.Nth)
	if strings.HasSuffix(hop, ":"+numbered) {
		return numbered
	}
	return d.place.Attribute
}

// cut brings the name to w cells: of a body's both ends tell, else the end.
func (d door) cut(w int) string {
	if d.glyph() == "▣" {
		return cells.CutMiddle(d.name(), w)
	}
	return cells.CutFront(d.name(), w)
}

func (d door) said() string {
	what := map[string]string{"‹": "back to ", "ƒ": "function ", "▣": "body "}[d.glyph()]
	return what + d.name() + ", " + text.Plural(len(d.place.Graph.Nodes()), "node")
}
