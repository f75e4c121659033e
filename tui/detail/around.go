package detail

import (
	"lathe/graphops"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// neighbour is a row that exchanges values with the selected row, and the names of these values.
type neighbour struct {
	spot   graph.Spot
	values []string // raw names
}

// way is a direction in the graph.
type way int

// The directions.
const (
	upwards   way = iota // to the rows that a row reads from
	downwards            // to the rows that read from it
)

// besideRow returns the neighbours of a row in one direction, each once, in the order of the row's
// inputs or outputs. An input or output of a body has its neighbours in the graph around the body.
func besideRow(ws *workspace.Workspace, row int, to way) []neighbour {
	o, w := ws.Outline, ws.Wiring
	var list neighbours
	names := o.Reads(row)
	if to == downwards {
		names = o.Makes(row)
	}
	for _, name := range names {
		id, ok := w.Index.Value(name)
		if !ok {
			continue
		}
		if to == downwards {
			for _, r := range w.Readers(id) {
				list.add(graph.Spot{Place: o.Place, Row: r}, name)
			}
		} else if r := w.Maker(id); r >= 0 {
			list.add(graph.Spot{Place: o.Place, Row: r}, name)
		}
	}
	if s, ok := beyondRow(ws, o.Port(row), to); ok {
		list.add(s, o.Port(row).Name)
	}
	return list.all
}

// neighbours is a list of neighbours without duplicates: values that come from the same row are
// collected in one entry.
type neighbours struct {
	all []neighbour
	at  map[graph.Spot]int
}

func (n *neighbours) add(s graph.Spot, value string) {
	if n.at == nil {
		n.at = map[graph.Spot]int{}
	}
	i, ok := n.at[s]
	if !ok {
		i = len(n.all)
		n.at[s] = i
		n.all = append(n.all, neighbour{spot: s})
	}
	if v := n.all[i].values; len(v) == 0 || v[len(v)-1] != value {
		n.all[i].values = append(v, value)
	}
}

// beyondRow returns the row in the graph around a body that continues an input or output of the body.
// For a captured value it is the row that computes the value, otherwise the node that has the body.
// It returns false outside of bodies.
func beyondRow(ws *workspace.Workspace, p graph.Port, to way) (graph.Spot, bool) {
	place := ws.Outline.Place
	switch {
	case place.Kind != graphops.BodyGraph || p.What == "" || (p.What == "output") == (to == upwards):
		return graph.Spot{}, false
	case p.What == "outer":
		return outerSource(place, p.Name)
	default:
		return graph.Spot{Place: place.Parent, Row: graph.InputRows(place.Parent) + place.Node}, true
	}
}

// outerSource returns the row that computes a value that a body captures. It returns false if the
// value is an initializer or if nothing computes it.
func outerSource(p *graphops.Place, name string) (graph.Spot, bool) {
	x := p.Graph.Index()
	for _, c := range p.Captures() {
		if x.Name(c.Value) != name || c.From == nil {
			continue
		}
		if i := c.From.Graph.Index().Producer(c.Outer); i >= 0 {
			return graph.Spot{Place: c.From, Row: graph.InputRows(c.From) + i}, true
		}
		for row, port := range fedPorts(c.From) {
			if port.Name() == name {
				return graph.Spot{Place: c.From, Row: row}, true
			}
		}
	}
	return graph.Spot{}, false
}

// fedPorts returns the inputs that the list shows as rows. In the main graph, inputs with an
// initializer as their default are left out.
func fedPorts(p *graphops.Place) []*graphops.ValueInfo {
	if p.Kind == graphops.MainGraph {
		return p.Graph.FeedInputs()
	}
	return p.Graph.Inputs()
}

// side is the neighbourhood of a row in one direction: the rows one step away, the rows two steps
// away, and the edges between them.
type side struct {
	near, far         []neighbour
	moreNear, moreFar int // how many more there are
	direct, moved     int // number of rows one step away, and how many of them were moved to far
	edges             []link
	undrawn           int  // edges between two rows that are two steps away
	mixed             bool // the order of the neighbours does not show which output of the row each one reads
}

// link is an edge in a side. It leads from the row nearer to the selected row to the row farther
// away.
type link struct {
	from, to graph.Spot
	values   []string
}

// lookOn collects the neighbourhood of a row in one direction, up to hops steps away. It keeps at
// most most rows of each distance and counts the others. A row that is both one and two steps away
// counts as two steps away, so that all edges lead away from the selected row.
func lookOn(ws *workspace.Workspace, row, hops, most int, to way) side {
	var s side
	s.near = besideRow(ws, row, to)
	s.direct = len(s.near)
	s.mixed = to == downwards && len(ws.Outline.Makes(row)) > 1
	s.moreNear = max(len(s.near)-most, 0)
	s.near = s.near[:len(s.near)-s.moreNear]
	home := graph.Spot{Place: ws.Outline.Place, Row: row}
	for _, n := range s.near {
		s.edges = append(s.edges, link{home, n.spot, n.values})
	}
	if hops > 1 {
		lookFurther(ws, &s, most, to)
	}
	return s
}

// lookFurther adds the rows two steps away.
func lookFurther(ws *workspace.Workspace, s *side, most int, to way) {
	next := make([][]neighbour, len(s.near))
	isFar := map[graph.Spot]bool{}
	for i, n := range s.near {
		if n.spot.Place != ws.Outline.Place {
			continue
		}
		next[i] = besideRow(ws, n.spot.Row, to)
		for _, f := range next[i] {
			isFar[f.spot] = true
		}
	}
	var near, far []neighbour
	for i, n := range s.near {
		if isFar[n.spot] {
			far = append(far, n)
			s.moved++
			continue
		}
		near = append(near, n)
		for _, f := range next[i] {
			s.edges = append(s.edges, link{n.spot, f.spot, f.values})
		}
	}
	s.undrawn = sideways(s.near, next, isFar)
	seen := map[graph.Spot]bool{}
	for _, n := range s.near {
		seen[n.spot] = true
	}
	for i, list := range next {
		for _, f := range list {
			if !isFar[s.near[i].spot] && !seen[f.spot] {
				seen[f.spot] = true
				far = append(far, f)
			}
		}
	}
	s.moreFar = max(len(far)-most, 0)
	s.near, s.far = near, far[:len(far)-s.moreFar]
}

// sideways counts the edges that are not drawn because they start at a row that counts as two steps
// away. Such edges would not lead away from the selected row.
func sideways(near []neighbour, next [][]neighbour, isFar map[graph.Spot]bool) int {
	count := 0
	for i, n := range near {
		if isFar[n.spot] {
			count += len(next[i])
		}
	}
	return count
}
