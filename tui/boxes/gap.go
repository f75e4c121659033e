package boxes

import (
	"maps"
	"slices"

	"lathe/tui/cells"
)

// leastTracks is the number of rows for horizontal lines between two layers when neither is the
// center. Most drawings need no more, so the drawing keeps its height.
const leastTracks = 2

// leastLabel is the minimum length at which a shortened label is useful.
const leastLabel = 8

// net is a cell in the space between two layers. bits are the directions in which a line leaves the
// cell. owner is the box or edge that the line belongs to.
type net struct{ bits, owner int }

// drawGap draws the lines between layer i and the next: rows for horizontal lines, and one row for
// labels.
func (d *drawing) drawGap(i int) {
	g := &d.layers[i].gap
	tracks := len(g.tracks)
	if i != d.graph.Centre && i+1 != d.graph.Centre {
		tracks = max(tracks, leastTracks)
	}
	grid := make([]map[int]net, tracks+1)
	for y := range grid {
		grid[y] = map[int]net{}
	}
	for _, w := range g.wires {
		d.drawWire(grid, w, d.source(i, w.edge))
	}
	for y, line := range grid {
		var r row
		for _, x := range slices.Sorted(maps.Keys(line)) {
			r.add(x, cells.Corners[line[x].bits], Line, nowhere)
		}
		if y == tracks {
			d.label(&r, i, g.wires, line)
		}
		d.picture.Lines = append(d.picture.Lines, r.spans(d.w))
	}
}

// drawWire draws one line from the first row of a gap to the last.
func (d *drawing) drawWire(grid []map[int]net, w wire, owner int) {
	if w.track < 0 {
		owner = ^w.edge
	}
	for y, line := range grid {
		switch {
		case w.track < 0 || y < w.track:
			cross(line, w.from, cells.Up|cells.Down, owner)
		case y > w.track:
			cross(line, w.to, cells.Up|cells.Down, owner)
		default:
			aside(line, w, owner)
		}
	}
}

// aside draws the horizontal part of a line, with its two corners.
func aside(line map[int]net, w wire, owner int) {
	away, back := cells.Right, cells.Left
	if w.to < w.from {
		away, back = back, away
	}
	cross(line, w.from, cells.Up|away, owner)
	cross(line, w.to, cells.Down|back, owner)
	for x := min(w.from, w.to) + 1; x < max(w.from, w.to); x++ {
		if old, taken := line[x]; !taken || old.owner == owner {
			line[x] = net{old.bits | cells.Left | cells.Right, owner}
		}
	}
}

// cross draws a vertical part of a line. It joins a horizontal line of the same owner, and is drawn
// over one of another owner.
func cross(line map[int]net, x, bits, owner int) {
	if old, taken := line[x]; taken && old.owner == owner {
		bits |= old.bits
	}
	line[x] = net{bits, owner}
}

// label writes the labels of edges beside the lower ends of their lines.
func (d *drawing) label(r *row, i int, wires []wire, line map[int]net) {
	columns := slices.Sorted(maps.Keys(line))
	for _, w := range wires {
		e := d.edges[w.edge]
		if e.To.Layer != i+1 || e.Label == "" {
			continue
		}
		end := d.w
		if at, _ := slices.BinarySearch(columns, w.to+1); at < len(columns) {
			end = columns[at]
		}
		if room := end - w.to - 3; room >= min(cells.Width(e.Label), leastLabel) {
			r.add(w.to+2, cells.Cut(e.Label, room), Label, nowhere)
		}
	}
}
