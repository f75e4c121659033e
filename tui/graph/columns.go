package graph

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/session/text"
	"lathe/tui/cells"
)

// Column is something that the list can show about every row, such as a type, a cost or a time.
type Column struct {
	Name, Help string
	Shown      bool // whether the column is shown by default
	Width      int  // in cells, at most; 0 if it depends on the width of the list
	Right      bool // aligned to the right
	// Text returns the text of a row, safe to print.
	Text func(w *Wiring, row int) string
	// Number returns the number to sort by instead of the text. Rows for which it is NaN come last
	// in either order. It is nil for columns that are sorted by text.
	Number func(w *Wiring, row int) float64
	// prepare computes what text needs for all rows, in the background. Until it has finished,
	// texts may be empty. It is nil if text needs nothing.
	prepare func(w *Wiring)
	// Step returns the position of the row's number on a color scale, which is drawn after the
	// text. It returns -1 if the row has no number. step is nil for a column without a scale. The
	// width includes the cells of the scale.
	Step func(w *Wiring, row int) int
	// late reports that texts change when types are inferred.
	late bool
	// low reports that the smallest numbers are those one looks for.
	low bool
	// from is the step whose result the column shows, "" for none.
	from string
}

// Lacks says why no row has a text in the column, or "".
func (c *Column) Lacks(w *Wiring, s *Widths) string {
	switch width, known := s.Width(c.Name); {
	case w == nil:
		return ""
	case c.from == "profile" && w.Types.Times.Load() == nil, c.from == "validate" && w.Types.Errors.Load() == nil, c.from == "quantize" && w.Types.Signals.Load() == nil:
		return "no data yet; " + c.from + " measures it"
	case known && width == 0:
		return "no data"
	}
	return ""
}

// AllColumns are the columns in the order in which they are offered.
var AllColumns = []Column{
	{Name: "op", Help: "operator", Shown: true, Text: func(w *Wiring, row int) string { return w.Outline.Op(row) }},
	{Name: "name", Help: "name of the node, or of its first output", Shown: true, Text: func(w *Wiring, row int) string { return w.Outline.Name(row) }},
	{Name: "type", Help: "type and shape of the first output", Shown: true, Text: (*Wiring).RowType, late: true},
	{
		Name: "params", Help: "elements of the constants that the node reads", Width: 7, Right: true,
		Text:   func(w *Wiring, row int) string { return BlankZero(w.cost(row).params, text.Short) },
		Number: func(w *Wiring, row int) float64 { return float64(w.cost(row).params) },
	},
	{
		Name: "bytes", Help: "size in bytes of the constants that the node reads", Width: 10, Right: true,
		Text:   func(w *Wiring, row int) string { return BlankZero(w.cost(row).bytes, text.Bytes) },
		Number: func(w *Wiring, row int) float64 { return float64(w.cost(row).bytes) },
	},
	{
		Name: "macs", Help: "multiply-accumulates of the node", Width: 14, Right: true, late: true,
		Text: (*Wiring).macsText, Number: (*Wiring).macsNumber,
	},
	{
		Name: "memory", Help: "size in bytes of the outputs of the node", Width: 14, Right: true, late: true,
		Text: (*Wiring).memoryText, Number: (*Wiring).memoryNumber,
	},
	{
		Name: "time", Help: "time of the node in a run, from the last profile; ~ varies much from run to run", Width: 16, Right: true,
		Text: (*Wiring).timeText, Number: (*Wiring).timeNumber, Step: (*Wiring).timeStep, from: "profile",
	},
	{
		Name: ErrorColumn, Help: "error of the outputs in the last validation: rms relative to the value", Width: 12, Right: true,
		Text: (*Wiring).errorText, Number: (*Wiring).errorNumber, Step: (*Wiring).errorStep, from: "validate",
	},
	{
		Name: SNRColumn, Help: "signal-to-noise ratio in dB of the node's weights after quantization (the worst counts), or of the outputs if only this node is quantized", Width: 11, Right: true,
		Text: (*Wiring).signalText, Number: (*Wiring).signalNumber, Step: (*Wiring).signalStep, low: true, from: "quantize",
	},
	{
		Name: "share", Help: "share of the total time of all nodes", Width: 7, Right: true,
		Text: (*Wiring).shareText, Number: (*Wiring).timeNumber, from: "profile",
	},
	{Name: "provider", Help: "execution provider that ran the node", Width: 8, Text: (*Wiring).providerText, from: "profile"},
	{Name: "bound", Help: "what keeps the node from being faster: compute, memory or neither", Width: 8, Text: (*Wiring).boundText, from: "profile"},
	{
		Name: "readers", Help: "number of rows that read the outputs of the node", Width: 7, Right: true,
		Text:   func(w *Wiring, row int) string { return BlankZero(w.readersOf(row), text.Count) },
		Number: func(w *Wiring, row int) float64 { return float64(w.readersOf(row)) },
	},
	{Name: "domain", Help: "domain of the operator", Width: 14, Text: func(w *Wiring, row int) string {
		if n := w.Outline.Node(row); n != nil {
			return cells.Label(cmp.Or(n.Domain(), "ai.onnx"))
		}
		return ""
	}},
	{
		Name: "module", Help: "module that the node belongs to", Width: 24,
		Text: (*Wiring).moduleText, prepare: (*Wiring).prepareModules,
	},
	{
		Name: "alike", Help: "module, with a * for the number of repeated ones: /layers.*/mlp", Width: 24,
		Text: (*Wiring).alikeText, prepare: (*Wiring).prepareModules,
	},
	{Name: "output", Help: "name of the first output", Width: 24, Text: func(w *Wiring, row int) string {
		return cells.Label(w.Outline.Value(row))
	}},
}

// ColumnNamed returns the column with a name, or nil.
func ColumnNamed(name string) *Column {
	i := slices.IndexFunc(AllColumns, func(c Column) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &AllColumns[i]
}

// LargestFirst reports whether one looks for the rows with the largest numbers in the column.
func (c *Column) LargestFirst() bool { return c.Number != nil && !c.low }

// BlankZero formats a number, and returns "" for zero.
func BlankZero(n int64, write func(int64) string) string {
	if n == 0 {
		return ""
	}
	return write(n)
}

// sort sorts rows by the numbers of the column, or by its texts if it has no numbers. Equal rows
// keep the order of the graph, and rows without a number come last.
func (c *Column) sort(w *Wiring, rows []int32, descending bool) {
	type keyed struct {
		row    int32
		number float64
		text   string
	}
	all := make([]keyed, len(rows))
	for i, row := range rows {
		all[i].row = row
		if c.Number != nil {
			all[i].number = c.Number(w, int(row))
		} else {
			all[i].text = c.Text(w, int(row))
		}
	}
	slices.SortStableFunc(all, func(a, b keyed) int {
		if none := math.IsNaN(a.number); none != math.IsNaN(b.number) {
			return map[bool]int{true: 1, false: -1}[none]
		}
		if descending {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a.number, b.number), strings.Compare(a.text, b.text))
	})
	for i, k := range all {
		rows[i] = k.row
	}
}

// RowType returns the type of the first value that a row computes, or of the output that the row
// represents, if known.
func (w *Wiring) RowType(row int) string { return w.TypeText(w.Outline.Value(row)) }

// amount is the total size of the initializers that a row reads: the number of elements and of
// bytes.
type amount struct{ params, bytes int64 }

// cost adds up the initializers that a row reads. An initializer that is read twice counts once.
func (w *Wiring) cost(row int) amount {
	var c amount
	n := w.Outline.Node(row)
	if n == nil {
		return c
	}
	inputs := n.Inputs()
	for i, name := range inputs {
		if name == "" || slices.Contains(inputs[:i], name) {
			continue
		}
		if id, ok := w.Index.Value(name); ok {
			if t := w.Index.Initializer(id); t != nil {
				c.add(t, n, name)
			}
		}
	}
	return c
}

func (c *amount) add(t *graphops.Tensor, reader *graphops.Node, name string) {
	if n, err := cost.ParametersOf(t, reader, name); err == nil {
		c.params += n
	}
	if n, err := t.ByteLen(); err == nil {
		c.bytes += n
	}
}

// readersOf returns how many rows read the values that a row computes.
func (w *Wiring) readersOf(row int) int64 {
	var n int64
	for _, name := range w.Outline.Makes(row) {
		if id, ok := w.Index.Value(name); ok {
			n += int64(len(w.Readers(id)))
		}
	}
	return n
}

// Fit makes text as wide as the column is drawn, without the cells of its color scale.
func (c *Column) Fit(s string, width int) string {
	if c.Step != nil {
		width -= SwatchWidth
	}
	if c.Right {
		return cells.FitRight(s, width)
	}
	return cells.Fit(s, width)
}
