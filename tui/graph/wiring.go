package graph

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/tui/cells"
	"lathe/tui/lanes"
)

// Wiring is how the rows of a place are connected: which row makes and which rows read each value,
// and the lanes that show this. It is computed in the background, because that takes a moment for a
// large model. Until then, the list shows the rows alone.
type Wiring struct {
	Outline *Outline
	Index   *graphops.Index
	Chart   lanes.Chart
	Summary cost.Summary
	Types   *Typing
	// inputRow maps values that are inputs to their rows. outputRows maps values that are outputs
	// to their rows; a value may be several outputs.
	inputRow   map[graphops.ValueID]int
	outputRows map[graphops.ValueID][]int
	Modules    moduleTree
}

// NewWiring resolves an outline. Nothing it reads ever changes, so it can run concurrently with
// everything else.
func NewWiring(o *Outline, types *Typing) *Wiring {
	w := &Wiring{
		Outline: o, Types: types, Index: o.Place.Graph.Index(), Summary: cost.Summarize(o.Model),
		inputRow: map[graphops.ValueID]int{}, outputRows: map[graphops.ValueID][]int{},
	}
	for i, v := range o.Inputs {
		if id, ok := w.Index.Value(v.Name); ok {
			w.inputRow[id] = i
		}
	}
	for i, v := range o.Outputs {
		if id, ok := w.Index.Value(v.Name); ok {
			w.outputRows[id] = append(w.outputRows[id], o.OutputRow(i))
		}
	}
	w.Chart = lanes.Lay(w.flow())
	return w
}

// flow returns which values each row makes and reads. If two rows make the same value, the first
// one counts. Lanes run only downwards, so if a row reads a value that a later row makes, it reads
// it without a lane.
func (w *Wiring) flow() lanes.Flow {
	n := w.Index.Values()
	f := lanes.Flow{From: repeat(-1, n), Last: repeat(-1, n), Uses: make([]int32, n)}
	seen := repeat(-1, n) // the last row that has read the value
	for row := range w.Outline.Len() {
		var makes, reads []int32
		for _, v := range w.ids(w.Outline.Makes(row)) {
			if f.From[v] < 0 {
				f.From[v] = int32(row)
				makes = append(makes, int32(v))
			}
		}
		for _, v := range w.ids(w.Outline.Reads(row)) {
			if seen[v] == int32(row) {
				continue
			}
			seen[v] = int32(row)
			reads = append(reads, int32(v))
			f.Uses[v]++
			if f.From[v] >= 0 && f.From[v] < int32(row) {
				f.Last[v] = int32(row)
			}
		}
		f.Makes.Add(makes...)
		f.Reads.Add(reads...)
	}
	return f
}

// ids returns the identifiers of named values. Names that the graph does not have are left out.
func (w *Wiring) ids(names []string) []graphops.ValueID {
	out := make([]graphops.ValueID, 0, len(names))
	for _, name := range names {
		if id, ok := w.Index.Value(name); ok {
			out = append(out, id)
		}
	}
	return out
}

func repeat(v int32, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// Maker returns the row that computes a value. It is -1 for an initializer, and for a name that
// nothing defines.
func (w *Wiring) Maker(v graphops.ValueID) int {
	if i := w.Index.Producer(v); i >= 0 {
		return w.Outline.NodeRow(i)
	}
	if row, ok := w.inputRow[v]; ok {
		return row
	}
	return -1
}

// Readers returns the rows that read a value, each once, in order.
func (w *Wiring) Readers(v graphops.ValueID) []int {
	var out []int
	for _, i := range w.Index.Readers(v) {
		if row := w.Outline.NodeRow(int(i)); len(out) == 0 || out[len(out)-1] != row {
			out = append(out, row)
		}
	}
	return append(out, w.outputRows[v]...)
}

// Taps returns the names of the values that a row reads and that have no lane. Initializers are
// left out, because nearly every row reads some.
func (w *Wiring) Taps(row int) []string {
	var out []string
	for _, name := range w.Outline.Reads(row) {
		id, ok := w.Index.Value(name)
		if ok && w.Chart.Laneless[id] && w.Maker(id) >= 0 {
			out = append(out, name)
		}
	}
	return out
}

// TapText returns what a row shows of a value that it reads without a lane, safe to print.
func TapText(name string) string { return " ◁" + cells.Label(name[strings.LastIndexByte(name, '/')+1:]) }

// TypeText returns the type of a value, marked if the file declares another one.
func (w *Wiring) TypeText(name string) string {
	id, ok := w.Index.Value(name)
	if !ok {
		return ""
	}
	s := TypeText(w.Types.Of(w.Outline.Place, id))
	if _, is := w.Types.Denied(w.Outline.Place, id); is {
		s = deniedMark + s
	}
	return s
}

// deniedMark is put before a type that differs from what the file declares.
const deniedMark = "≠ "

// RowsIn returns the rows of the nodes, inputs and outputs that a Reach contains.
func (w *Wiring) RowsIn(r graphops.Reach) []int32 {
	var out []int32
	for row := range w.Outline.Len() {
		if p, ok := w.Point(row); ok && r.Holds(p) {
			out = append(out, int32(row))
		}
	}
	return out
}

// Point returns the node or value of a row, in the form that questions about the graph use. It
// returns false if the graph does not have such a value.
func (w *Wiring) Point(row int) (graphops.Point, bool) {
	if k, i := w.Outline.At(row); k == KindNode {
		return graphops.NodePoint(i), true
	}
	id, ok := w.Index.Value(w.Outline.Port(row).Name)
	return graphops.ValuePoint(id), ok
}
