package tui

import (
	"lathe/graphops"
	"lathe/tui/lanes"
)

// wiring is how the rows of a place are connected: which row makes and which rows read each value,
// and the lanes that show this. It is computed in the background, because that takes a moment for a
// large model. Until then, the list shows rows without it.
type wiring struct {
	outline *outline
	index   *graphops.Index
	chart   lanes.Chart
	summary graphops.Summary
	types   *typing
	// inputRow maps values that are inputs to their rows. outputRows maps values that are outputs
	// to their rows; a value may be several outputs.
	inputRow   map[graphops.ValueID]int
	outputRows map[graphops.ValueID][]int
	modules    moduleTree
}

// newWiring resolves an outline. Nothing it reads ever changes, so it can run concurrently with
// everything else.
func newWiring(o *outline, types *typing) *wiring {
	w := &wiring{
		outline: o, types: types, index: o.place.Graph.Index(), summary: graphops.Summarize(o.model),
		inputRow: map[graphops.ValueID]int{}, outputRows: map[graphops.ValueID][]int{},
	}
	for i, v := range o.inputs {
		if id, ok := w.index.Value(v.name); ok {
			w.inputRow[id] = i
		}
	}
	for i, v := range o.outputs {
		if id, ok := w.index.Value(v.name); ok {
			w.outputRows[id] = append(w.outputRows[id], o.outputRow(i))
		}
	}
	w.chart = lanes.Lay(w.flow())
	return w
}

// flow returns which values each row makes and reads. If two rows make the same value, the first
// one counts. Lanes run only downwards, so if a row reads a value that a later row makes, it reads
// it without a lane.
func (w *wiring) flow() lanes.Flow {
	n := w.index.Values()
	f := lanes.Flow{From: repeat(-1, n), Last: repeat(-1, n), Uses: make([]int32, n)}
	seen := repeat(-1, n) // the last row that has read the value
	for row := range w.outline.len() {
		var makes, reads []int32
		for _, v := range w.ids(w.outline.makes(row)) {
			if f.From[v] < 0 {
				f.From[v] = int32(row)
				makes = append(makes, int32(v))
			}
		}
		for _, v := range w.ids(w.outline.reads(row)) {
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
func (w *wiring) ids(names []string) []graphops.ValueID {
	out := make([]graphops.ValueID, 0, len(names))
	for _, name := range names {
		if id, ok := w.index.Value(name); ok {
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

// maker returns the row that computes a value. It is -1 for an initializer, and for a name that
// nothing defines.
func (w *wiring) maker(v graphops.ValueID) int {
	if i := w.index.Producer(v); i >= 0 {
		return w.outline.nodeRow(i)
	}
	if row, ok := w.inputRow[v]; ok {
		return row
	}
	return -1
}

// readers returns the rows that read a value, each once, in order.
func (w *wiring) readers(v graphops.ValueID) []int {
	var out []int
	for _, i := range w.index.Readers(v) {
		if row := w.outline.nodeRow(int(i)); len(out) == 0 || out[len(out)-1] != row {
			out = append(out, row)
		}
	}
	return append(out, w.outputRows[v]...)
}

// taps returns the names of the values that a row reads and that have no lane. Initializers are
// left out, because nearly every row reads some.
func (w *wiring) taps(row int) []string {
	var out []string
	for _, name := range w.outline.reads(row) {
		id, ok := w.index.Value(name)
		if ok && w.chart.Laneless[id] && w.maker(id) >= 0 {
			out = append(out, name)
		}
	}
	return out
}

// typeText returns the type of a value, marked if the file declares another one.
func (w *wiring) typeText(name string) string {
	id, ok := w.index.Value(name)
	if !ok {
		return ""
	}
	s := typeText(w.types.of(w.outline.place, id))
	if _, is := w.types.denied(w.outline.place, id); is {
		s = deniedMark + s
	}
	return s
}

// deniedMark is put before a type that differs from what the file declares.
const deniedMark = "≠ "
