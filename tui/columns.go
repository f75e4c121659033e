package tui

import (
	"cmp"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session/text"
	"lathe/tui/cells"
)

// column is something that the list can show about every row, such as a type, a cost or a time.
type column struct {
	name, help string
	shown      bool // whether the column is shown by default
	width      int  // in cells; 0 if it depends on the width of the list
	right      bool // aligned to the right
	// text returns the text of a row, safe to print.
	text func(w *wiring, row int) string
	// number returns the number to sort by instead of the text. It is nil for columns that are
	// sorted by text.
	number func(w *wiring, row int) float64
	// prepare computes what text needs for all rows, in the background. Until it has finished,
	// texts may be empty. It is nil if text needs nothing.
	prepare func(w *wiring)
	// step returns the position of the row's number on a color scale, which is drawn after the
	// text. It returns -1 if the row has no number. step is nil for a column without a scale. The
	// width includes the cells of the scale.
	step func(w *wiring, row int) int
	// late reports that texts change when types are inferred.
	late bool
}

// allColumns are the columns in the order in which they are offered.
var allColumns = []column{
	{name: "op", help: "operator", shown: true, text: func(w *wiring, row int) string { return w.outline.op(row) }},
	{name: "name", help: "name of the node, or of its first output", shown: true, text: func(w *wiring, row int) string { return w.outline.name(row) }},
	{name: "type", help: "type and shape of the first output", shown: true, text: (*wiring).rowType, late: true},
	{
		name: "params", help: "elements of the constants that the node reads", width: 7, right: true,
		text:   func(w *wiring, row int) string { return blankZero(w.cost(row).params, text.Short) },
		number: func(w *wiring, row int) float64 { return float64(w.cost(row).params) },
	},
	{
		name: "bytes", help: "size in bytes of the constants that the node reads", width: 10, right: true,
		text:   func(w *wiring, row int) string { return blankZero(w.cost(row).bytes, text.Bytes) },
		number: func(w *wiring, row int) float64 { return float64(w.cost(row).bytes) },
	},
	{
		name: "macs", help: "multiply-accumulates of the node", width: 14, right: true, late: true,
		text: (*wiring).macsText, number: (*wiring).macsNumber,
	},
	{
		name: "memory", help: "size in bytes of the outputs of the node", width: 14, right: true, late: true,
		text: (*wiring).memoryText, number: (*wiring).memoryNumber,
	},
	{
		name: errorColumn, help: "error of the outputs in the last validation: rms relative to the value", width: 12, right: true,
		text: (*wiring).errorText, number: (*wiring).errorNumber, step: (*wiring).errorStep,
	},
	{
		name: "time", help: "time of the node in a run, from the last profile", width: 16, right: true,
		text: (*wiring).timeText, number: (*wiring).timeNumber, step: (*wiring).timeStep,
	},
	{
		name: "share", help: "share of the total time of all nodes", width: 7, right: true,
		text: (*wiring).shareText, number: (*wiring).timeNumber,
	},
	{name: "provider", help: "execution provider that ran the node", width: 8, text: (*wiring).providerText},
	{name: "bound", help: "what keeps the node from being faster: compute, memory or overhead", width: 8, text: (*wiring).boundText},
	{
		name: "readers", help: "number of rows that read the outputs of the node", width: 7, right: true,
		text:   func(w *wiring, row int) string { return blankZero(w.readersOf(row), text.Count) },
		number: func(w *wiring, row int) float64 { return float64(w.readersOf(row)) },
	},
	{name: "domain", help: "domain of the operator", width: 14, text: func(w *wiring, row int) string {
		if n := w.outline.node(row); n != nil {
			return cells.Label(cmp.Or(n.Domain(), "ai.onnx"))
		}
		return ""
	}},
	{
		name: "module", help: "module that the node belongs to", width: 24,
		text: (*wiring).moduleText, prepare: (*wiring).prepareModules,
	},
	{
		name: "alike", help: "module, with a * for the number of repeated ones: /layers.*/mlp", width: 24,
		text: (*wiring).alikeText, prepare: (*wiring).prepareModules,
	},
	{name: "output", help: "name of the first output", width: 24, text: func(w *wiring, row int) string {
		return cells.Label(w.outline.value(row))
	}},
}

// columnNamed returns the column with a name, or nil.
func columnNamed(name string) *column {
	i := slices.IndexFunc(allColumns, func(c column) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return &allColumns[i]
}

func blankZero(n int64, write func(int64) string) string {
	if n == 0 {
		return ""
	}
	return write(n)
}

// sort sorts rows by the numbers of the column, or by its texts if it has no numbers. Equal rows
// keep the order of the graph.
func (c *column) sort(w *wiring, rows []int32, descending bool) {
	type keyed struct {
		row    int32
		number float64
		text   string
	}
	all := make([]keyed, len(rows))
	for i, row := range rows {
		all[i].row = row
		if c.number != nil {
			all[i].number = c.number(w, int(row))
		} else {
			all[i].text = c.text(w, int(row))
		}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		if descending {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text))
	})
	for i, k := range all {
		rows[i] = k.row
	}
}

// rowType returns the type of the first value that a row computes, or of the output that the row
// represents, if known.
func (w *wiring) rowType(row int) string { return w.typeText(w.outline.value(row)) }

// amount is the total size of the initializers that a row reads: the number of elements and of
// bytes.
type amount struct{ params, bytes int64 }

// cost adds up the initializers that a row reads. An initializer that is read twice counts once.
func (w *wiring) cost(row int) amount {
	var c amount
	n := w.outline.node(row)
	if n == nil {
		return c
	}
	inputs := n.Inputs()
	for i, name := range inputs {
		if name == "" || slices.Contains(inputs[:i], name) {
			continue
		}
		if id, ok := w.index.Value(name); ok {
			if t := w.index.Initializer(id); t != nil {
				c.add(t)
			}
		}
	}
	return c
}

func (c *amount) add(t *graphops.Tensor) {
	if n, err := t.Elements(); err == nil {
		c.params += n
	}
	if n, err := t.ByteLen(); err == nil {
		c.bytes += n
	}
}

// readersOf returns how many rows read the values that a row computes.
func (w *wiring) readersOf(row int) int64 {
	var n int64
	for _, name := range w.outline.makes(row) {
		if id, ok := w.index.Value(name); ok {
			n += int64(len(w.readers(id)))
		}
	}
	return n
}
