package graph

import (
	"cmp"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/cells"
)

// Door is a line in the list of other places that can be shown next: the graph around this place, a
// body below it, or a function.
type Door struct {
	Place *graphops.Place
	Depth int  // nesting depth of a body
	Out   bool // leads to the surrounding place
}

// DoorsOf returns the places that can be reached from p: the graph around it, the bodies below it
// (outer ones first), and the functions of the model.
func DoorsOf(m *graphops.Model, p *graphops.Place) []Door {
	var out, bodies, functions []Door
	depth := map[*graphops.Place]int{p: 0} // nesting depth of places below p
	for _, q := range m.Places() {
		switch q.Kind {
		case graphops.MainGraph:
			if p != q {
				out = append(out, Door{Place: q, Out: true})
			}
		case graphops.BodyGraph:
			if d, ok := depth[q.Parent]; ok {
				depth[q] = d + 1
				bodies = append(bodies, Door{Place: q, Depth: d})
			}
		case graphops.FunctionBody:
			if p != q {
				functions = append(functions, Door{Place: q})
			}
		}
	}
	if p.Kind == graphops.BodyGraph && p.Parent.Kind != graphops.MainGraph {
		out = append(out, Door{Place: p.Parent, Out: true})
	}
	return append(append(out, bodies...), functions...)
}

// Glyph shows the kind of place.
func (d Door) Glyph() string {
	switch {
	case d.Out:
		return "‹"
	case d.Place.Kind == graphops.FunctionBody:
		return "ƒ"
	default:
		return "▣"
	}
}

// Name returns a name that distinguishes the place from those of other doors, safe to print. For a
// body it has the form "12 Loop_3:body": the index and name of the node, and the attribute.
func (d Door) name() string {
	switch hops := d.Place.Hops(); {
	case len(hops) == 0:
		return "main graph"
	case d.Out || d.Place.Kind == graphops.FunctionBody:
		return cells.Label(hops[len(hops)-1])
	default:
		n := d.Place.Holder()
		holder := cmp.Or(n.Name()[strings.LastIndexByte(n.Name(), '/')+1:], n.OpType())
		return cells.Label(fmt.Sprintf("%d %s:%s", d.Place.Node, holder, d.attribute(hops[len(hops)-1])))
	}
}

// attribute returns the name of the attribute that contains the body. An index is added if the
// attribute contains several bodies.
func (d Door) attribute(hop string) string {
	numbered := fmt.Sprintf("%s[%d]", d.Place.Attribute, d.Place.Nth)
	if strings.HasSuffix(hop, ":"+numbered) {
		return numbered
	}
	return d.Place.Attribute
}

// Cut shortens the name to w cells. For a body it shortens the middle, because both ends
// distinguish it; for other places it keeps the end.
func (d Door) Cut(w int) string {
	if d.Glyph() == "▣" {
		return cells.CutMiddle(d.name(), w)
	}
	return cells.CutFront(d.name(), w)
}

// Width returns the cells of the whole name.
func (d Door) Width() int { return cells.Width(d.name()) }

// Said returns the door in words.
func (d Door) Said() string {
	what := map[string]string{"‹": "back to ", "ƒ": "function ", "▣": "body "}[d.Glyph()]
	return what + d.name() + ", " + text.Plural(len(d.Place.Graph.Nodes()), "node")
}
