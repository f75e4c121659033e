package detail

import (
	"strings"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/boxes"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// surroundings is the graph of boxes around a row, with the row that each box shows.
type surroundings struct {
	graph   boxes.Graph
	spots   [][]graph.Spot // by layer and box
	sides   [2]side        // indexed by the direction: upwards, downwards
	undrawn int
}

// surround makes the drawing of a row's neighbours in w cells. The work depends on the number of
// neighbours, and not on the size of the graph.
func surround(ws *workspace.Workspace, row, hops, w int) surroundings {
	s := surroundings{
		graph: boxes.Graph{Layers: make([]boxes.Layer, 2*hops+1), Centre: hops},
		spots: make([][]graph.Spot, 2*hops+1),
	}
	home := graph.Spot{Place: ws.Outline.Place, Row: row}
	s.graph.Layers[hops].Boxes = []boxes.Box{centreBox(ws, row)}
	s.spots[hops] = []graph.Spot{home}
	if ws.Wiring == nil {
		return s
	}
	for _, to := range []way{upwards, downwards} {
		addSide(ws, &s, lookOn(ws, row, hops, boxes.Capacity(w), to), home, to)
	}
	return s
}

// addSide adds the neighbours in one direction to the layers above or below the selected row, and
// the edges to them.
func addSide(ws *workspace.Workspace, s *surroundings, d side, home graph.Spot, to way) {
	centre, by := s.graph.Centre, 1
	if to == upwards {
		by = -1
	}
	at := map[graph.Spot]boxes.At{home: {Layer: centre}}
	fill(ws, s, centre+by, d.near, d.moreNear, at)
	if centre > 1 {
		fill(ws, s, centre+2*by, d.far, d.moreFar, at)
	}
	if d.direct == 0 {
		s.graph.Layers[centre+by].Empty = nobody(ws, home.Row, to)
	}
	for _, l := range d.edges {
		from, ok := at[l.from]
		end, shown := at[l.to]
		if !ok || !shown {
			continue // it has no box
		}
		if to == upwards {
			from, end = end, from
		}
		s.graph.Edges = append(s.graph.Edges, boxes.Edge{From: from, To: end, Label: flowText(ws, l.values)})
	}
	s.sides[to] = d
	s.undrawn += d.undrawn
}

// fill adds a box for each neighbour to a layer, and stores the position of each box in at. more is
// the number of neighbours that have no box.
func fill(ws *workspace.Workspace, s *surroundings, layer int, list []neighbour, more int, at map[graph.Spot]boxes.At) {
	l := &s.graph.Layers[layer]
	l.More = more
	for i, n := range list {
		op, name := spotText(ws, n.spot)
		l.Boxes = append(l.Boxes, boxes.Box{Title: op, Name: within(name, s.graph.Layers[s.graph.Centre].Boxes[0].Name)})
		s.spots[layer] = append(s.spots[layer], n.spot)
		if n.spot != s.spots[s.graph.Centre][0] {
			at[n.spot] = boxes.At{Layer: layer, Box: i}
		}
	}
}

// within returns a name without the scope that it shares with the name in the centre, as in
// "…/MatMul". The rest is what distinguishes the neighbours.
func within(name, centre string) string {
	scope := centre[:strings.LastIndexByte(centre, '/')+1]
	if rest, ok := strings.CutPrefix(name, scope); ok && len(scope) > len("…/") {
		return cells.Ellipsis + "/" + rest
	}
	return name
}

// spotText returns the operator and the name of a row in any place, safe to print.
func spotText(ws *workspace.Workspace, s graph.Spot) (op, name string) {
	if s.Place == ws.Outline.Place {
		return ws.Outline.Op(s.Row), ws.Outline.Name(s.Row)
	}
	first := graph.InputRows(s.Place)
	if s.Row < first {
		return "around", cells.Label(fedPorts(s.Place)[s.Row].Name())
	}
	n := s.Place.Graph.Nodes()[s.Row-first]
	return cells.Label(n.OpType()), cells.Label(n.Name())
}

// flowText labels an edge: with the type if the edge carries one value, otherwise with the number
// of values.
func flowText(ws *workspace.Workspace, values []string) string {
	if len(values) != 1 {
		return text.Plural(len(values), "value")
	}
	return ws.Wiring.TypeText(values[0])
}

// nobody returns the text that is shown in a direction without neighbours, such as "read by
// nothing".
func nobody(ws *workspace.Workspace, row int, to way) string {
	p := ws.Outline.Port(row)
	switch {
	case to == downwards && p.What == "output":
		return "leaves the " + ws.Outline.Place.Kind.String()
	case to == downwards:
		return "read by nothing"
	case p.What == "input":
		return "given to the " + ws.Outline.Place.Kind.String()
	case p.What == "outer":
		return "a constant of the outer graph"
	case len(ws.Outline.Reads(row)) > 0:
		return "reads constants alone"
	default:
		return "reads nothing"
	}
}

// centreBox is the box of the row itself. The constants that it reads are not in it: the text below
// the boxes lists them, with more room for their names.
func centreBox(ws *workspace.Workspace, row int) boxes.Box {
	glyph := "●"
	switch k, _ := ws.Outline.At(row); {
	case k == graph.KindInput:
		glyph = "○"
	case k == graph.KindOutput:
		glyph = "◎"
	case workspace.IsHolder(ws, row):
		glyph = "▣"
	}
	return boxes.Box{Title: glyph + " " + ws.Outline.Op(row), Name: ws.Outline.Name(row)}
}

// constantNames returns the initializers that a row reads, each once.
func constantNames(ws *workspace.Workspace, row int) []*graphops.Tensor {
	var out []*graphops.Tensor
	seen := map[graphops.ValueID]bool{}
	for _, name := range ws.Outline.Reads(row) {
		id, ok := ws.Wiring.Index.Value(name)
		if !ok || seen[id] {
			continue
		}
		seen[id] = true
		if t := ws.Wiring.Index.Initializer(id); t != nil && ws.Wiring.Maker(id) < 0 {
			out = append(out, t)
		}
	}
	return out
}
