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
	// folding is the chart without the rows that fold into others.
	folding lanes.Chart
	// constants says what rows read of the rows that fold into them.
	constants map[int32]string
	Summary   cost.Summary
	Types     *Typing
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
	w.Chart = lanes.Lay(w.flow(nil))
	w.folding = w.Chart
	if folded := o.folded().is; folded != nil {
		w.folding = lanes.Lay(w.flow(folded))
		w.readConstants()
	}
	return w
}

// Lanes returns the lanes beside the rows, or those of a list in which constants are folded.
func (w *Wiring) Lanes(folds bool) *lanes.Chart {
	if folds {
		return &w.folding
	}
	return &w.Chart
}

// flow returns which values each row makes and reads. If two rows make the same value, the first
// one counts. Lanes run only downwards, so if a row reads a value that a later row makes, it reads
// it without a lane. Rows of folded nodes and their values are left out.
func (w *Wiring) flow(folded []bool) lanes.Flow {
	n := w.Index.Values()
	f := lanes.Flow{Hides: w.hides(folded), From: repeat(-1, n), Last: repeat(-1, n), Uses: make([]int32, n)}
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
			if i := w.Index.Producer(v); seen[v] == int32(row) || folded != nil && i >= 0 && folded[i] {
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

// hides returns a function that says which rows are those of folded nodes.
func (w *Wiring) hides(folded []bool) func(row int) bool {
	if folded == nil {
		return nil
	}
	return w.Outline.Folds
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
func (w *Wiring) Taps(row int) []string { return w.TapsIn(&w.Chart, row) }

// TapsIn returns the taps of a row beside the lanes of a chart.
func (w *Wiring) TapsIn(c *lanes.Chart, row int) []string {
	var out []string
	for _, name := range w.Outline.Reads(row) {
		id, ok := w.Index.Value(name)
		if ok && c.Laneless[id] && w.Maker(id) >= 0 {
			out = append(out, name)
		}
	}
	return out
}

// TapText returns what a row shows of a value that it reads without a lane, safe to print.
func TapText(name string) string {
	return " ◁" + cells.Label(name[strings.LastIndexByte(name, '/')+1:])
}

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
