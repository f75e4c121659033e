package boxes

import "slices"

// wire is the part of an edge between two adjacent layers.
type wire struct {
	edge     int
	from, to int // the columns of its ends
	track    int // the row of its horizontal part, -1 for a straight wire
}

// gap is the space between a layer and the next, with its lines. A column belongs to one edge, or
// to all edges from one box above, so that lines of different boxes never touch.
type gap struct {
	wires  []wire
	owner  map[int]int // for each column, the box above, or ^edge if the line passes this layer
	tracks [][]span    // for each row between the layers, the columns in use
}

// span is the range of columns that a horizontal line covers.
type span struct{ from, to, owner int }

// lead finds a way for all lines between layer i and the next. If there is no room for an edge, it
// drops the edge and returns false.
func (d *drawing) lead(i int) bool {
	g := &d.layers[i].gap
	g.owner = map[int]int{}
	edges := d.passing(i)
	for _, k := range edges { // passing lines already have their columns
		if d.edges[k].isLong() {
			g.owner[d.column(k)] = ^k
		}
	}
	var bent []int
	for _, k := range edges {
		if !d.straight(g, i, k) {
			bent = append(bent, k)
		}
	}
	for _, k := range bent {
		if !d.bend(g, i, k) {
			d.edges = slices.Delete(d.edges, k, k+1)
			d.picture.Undrawn++
			return false
		}
	}
	for _, w := range g.wires {
		if d.edges[w.edge].From.Layer == i {
			d.layers[i].below = append(d.layers[i].below, w.from)
		}
		if d.edges[w.edge].To.Layer == i+1 {
			d.layers[i+1].above = append(d.layers[i+1].above, w.to)
		}
	}
	return true
}

// passing returns the edges that lead from layer i or above to the next layer or below, and whose
// boxes are shown.
func (d *drawing) passing(i int) []int {
	var out []int
	for k, e := range d.edges {
		if e.From.Layer <= i && e.To.Layer > i && d.shows(e.From) && d.shows(e.To) {
			out = append(out, k)
		}
	}
	return out
}

func (d *drawing) shows(a At) bool { return a.Box < len(d.layers[a.Layer].boxes) }

// ends returns the ranges of columns in which an edge may leave layer i and reach the next.
func (d *drawing) ends(i, k int) (from, to [2]int) {
	e, x := d.edges[k], d.column(k)
	from, to = [2]int{x, x + 1}, [2]int{x, x + 1}
	if e.From.Layer == i {
		from[0], from[1] = d.layers[i].boxes[e.From.Box].inner()
	}
	if e.To.Layer == i+1 {
		to[0], to[1] = d.layers[i+1].boxes[e.To.Box].inner()
	}
	return from, to
}

// source returns the owner of an edge between layer i and the next: the box above, or the edge
// itself if it passes the layer.
func (d *drawing) source(i, k int) int {
	if e := d.edges[k]; e.From.Layer == i {
		return e.From.Box
	}
	return ^k
}

// straight draws an edge as a vertical line, if there is a free column that both ends can use. It
// returns false if there is none.
func (d *drawing) straight(g *gap, i, k int) bool {
	from, to := d.ends(i, k)
	lo, hi := max(from[0], to[0]), min(from[1], to[1])
	middle := (from[0] + from[1]) / 2
	if to[1]-to[0] < from[1]-from[0] {
		middle = (to[0] + to[1]) / 2
	}
	x, ok := g.free(lo, hi, middle, ^k)
	if !ok {
		return false
	}
	g.owner[x] = ^k
	g.wires = append(g.wires, wire{k, x, x, -1})
	return true
}

// bend routes an edge down, sideways and down again, if a column is free at each end. All bent
// edges of a box leave it in the same column.
func (d *drawing) bend(g *gap, i, k int) bool {
	from, to := d.ends(i, k)
	source := d.source(i, k)
	start, ok := g.start(source)
	if !ok {
		start, ok = g.free(from[0], from[1], (from[0]+from[1])/2, ^k)
	}
	if !ok {
		return false
	}
	g.owner[start] = source
	end, ok := g.free(to[0], to[1], min(max(start, to[0]), to[1]-1), ^k)
	if !ok {
		return false
	}
	g.owner[end] = ^k
	g.wires = append(g.wires, wire{k, start, end, g.track(span{min(start, end), max(start, end), source})})
	return true
}

// start returns the column in which bent lines of a box leave it.
func (g *gap) start(source int) (int, bool) {
	for _, w := range g.wires {
		if w.track >= 0 && g.owner[w.from] == source {
			return w.from, true
		}
	}
	return 0, false
}

// free returns the column nearest to x within [lo, hi) that is used by nothing except the edge
// itself. It prefers a column with room on both sides.
func (g *gap) free(lo, hi, x, edge int) (int, bool) {
	for _, room := range []int{1, 0} {
		for by := range max(hi-lo, 0) {
			for _, c := range []int{x - by, x + by} {
				if c >= lo && c < hi && g.isFree(c, room, edge) {
					return c, true
				}
			}
		}
	}
	return 0, false
}

func (g *gap) isFree(c, room, edge int) bool {
	for x := c - room; x <= c+room; x++ {
		if owner, taken := g.owner[x]; taken && owner != edge {
			return false
		}
	}
	return true
}

// track returns the first row in which a horizontal line touches no line of another box.
func (g *gap) track(s span) int {
	for i, row := range g.tracks {
		if !slices.ContainsFunc(row, func(t span) bool { return t.owner != s.owner && t.from <= s.to+1 && s.from <= t.to+1 }) {
			g.tracks[i] = append(row, s)
			return i
		}
	}
	g.tracks = append(g.tracks, []span{s})
	return len(g.tracks) - 1
}
