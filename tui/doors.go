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

// door is a line in the list of other places that can be shown next: the graph around this place, a
// body below it, or a function.
type door struct {
	place *graphops.Place
	depth int  // nesting depth of a body
	out   bool // leads to the surrounding place
}

// doorsOf returns the places that can be reached from p: the graph around it, the bodies below it
// (outer ones first), and the functions of the model.
func doorsOf(m *graphops.Model, p *graphops.Place) []door {
	var out, bodies, functions []door
	depth := map[*graphops.Place]int{p: 0} // nesting depth of places below p
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

// pass shows the place that the door leads to. If that is the graph around a body, the cursor goes
// to the node that has the body.
func (d door) pass(ws *workspace) tea.Cmd {
	if out, ok := rowAround(ws); ok && d.out && out.place == d.place {
		return ws.leavePlace()
	}
	return ws.enter(d.place)
}

// glyph shows the kind of place.
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

// name returns a name that distinguishes the place from those of other doors, safe to print. For a
// body it has the form "12 Loop_3:body": the index and name of the node, and the attribute.
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

// attribute returns the name of the attribute that contains the body. An index is added if the
// attribute contains several bodies.
func (d door) attribute(hop string) string {
	numbered := fmt.Sprintf("%s[%d]", d.place.Attribute, d.place.Nth)
	if strings.HasSuffix(hop, ":"+numbered) {
		return numbered
	}
	return d.place.Attribute
}

// cut shortens the name to w cells. For a body it shortens the middle, because both ends
// distinguish it; for other places it keeps the end.
func (d door) cut(w int) string {
	if d.glyph() == "▣" {
		return cells.CutMiddle(d.name(), w)
	}
	return cells.CutFront(d.name(), w)
}

func (d door) Said() string {
	what := map[string]string{"‹": "back to ", "ƒ": "function ", "▣": "body "}[d.glyph()]
	return what + d.name() + ", " + text.Plural(len(d.place.Graph.Nodes()), "node")
}
