package comparison

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"lathe/tui/cells"
	"lathe/tui/graph"
)

// validationColumn is a column of the tables.
type validationColumn struct {
	Name, help string
	width      int // in cells; 0 for the first column, which gets the rest of the width
	// text returns the text of a row, safe to print. It is nil for a column of numbers.
	text   func(r *validationRow) string
	Figure int
	write  func(x float64) string
	// low is true if a small number is the worse one, as for a signal-to-noise ratio.
	low bool
}

func wordColumn(name, help string, width int, text func(r *validationRow) string) validationColumn {
	return validationColumn{Name: name, help: help, width: width, text: text, Figure: -1}
}

func figureColumn(name, help string, width, figure int, low bool, write func(float64) string) validationColumn {
	return validationColumn{Name: name, help: help, width: width, Figure: figure, low: low, write: write}
}

// errorColumns are the columns shared by outputs and layers. A column that is empty in every row is
// left out.
var errorColumns = []validationColumn{
	figureColumn("max abs", "largest absolute difference of two elements", 9, figMaxAbs, false, graph.Brief),
	figureColumn("snr dB", "signal-to-noise ratio in dB", 7, figSNR, true, graph.Decimal),
	figureColumn("run snr", "signal-to-noise ratio in dB in a whole run of each model, with the errors of earlier nodes", 7, figAccumulatedSNR, true, graph.Decimal),
	figureColumn("run abs", "largest absolute difference in a whole run of each model, with the errors of earlier nodes", 9, figAccumulatedAbs, false, graph.Brief),
	figureColumn("max rel", "largest difference divided by the element of a, or by atol/rtol if the element is smaller", 9, figMaxRel, false, graph.Brief),
	figureColumn("mean abs", "mean absolute difference", 9, figMeanAbs, false, graph.Brief),
	figureColumn("rms", "root mean square of the differences", 9, figRMS, false, graph.Brief),
	figureColumn("cosine", "cosine similarity of the two values", 9, figCosine, true, graph.Precise),
	figureColumn("off %", "share of the elements outside of the tolerance", 7, figMismatched, false, graph.Brief),
	figureColumn("nan", "pairs with a NaN on either side", 6, figNaN, false, graph.Brief),
	figureColumn("inf", "pairs with an infinity on either side", 6, figInf, false, graph.Brief),
}

var outputColumns = slices.Concat([]validationColumn{
	wordColumn("output", "name of the output in a", 0, (*validationRow).called),
	wordColumn("case", "test case: the inputs of the run", 16, func(r *validationRow) string { return cells.Label(r.where) }),
	wordColumn("verdict", "whether the output passes", 10, func(r *validationRow) string { return r.state }),
	figureColumn("error/limit", "error as a share of what the rule allows; 1 is the limit", 12, figMargin, false, graph.Brief),
}, errorColumns, []validationColumn{
	figureColumn("ulp", "largest difference in units in the last place (ULP)", 9, figULP, false, graph.Brief),
	figureColumn("argmax %", "share of rows in which the largest element is the same", 8, figArgmax, true, graph.Brief),
	figureColumn("top-5 %", "share of rows in which a's largest element is among b's five largest", 8, figTopK, true, graph.Brief),
	wordColumn("rule", "the rule by which the output was judged", 9, func(r *validationRow) string { return r.rule }),
	wordColumn("type", "type and shape in a", 20, func(r *validationRow) string { return r.typ }),
})

var layerColumns = slices.Concat([]validationColumn{
	wordColumn("value", "name of the value in a", 0, (*validationRow).called),
	wordColumn("verdict", "verdict on the error of this node alone", 10, func(r *validationRow) string { return r.state }),
	wordColumn("op", "operator that computes the value; if a and b have different ones, both", 13, func(r *validationRow) string { return cells.Label(r.op) }),
}, errorColumns, []validationColumn{
	wordColumn("node", "node that computes the value in b", 20, func(r *validationRow) string { return cells.Label(r.where) }),
	wordColumn("in b", "name of the value in b, if it differs", 20, (*validationRow).otherName),
	wordColumn("matched", "how the two values were matched", 11, func(r *validationRow) string { return cells.Label(r.pair) }),
	wordColumn("type", "type and shape in a", 20, func(r *validationRow) string { return r.typ }),
})

func (r *validationRow) otherName() string {
	if r.Names[0] == r.Names[1] {
		return ""
	}
	return cells.Label(r.Names[1])
}

// Of returns the text of a row.
func (c *validationColumn) of(r *validationRow) string {
	switch f := c.Figure; {
	case f < 0:
		return c.text(r)
	case !r.Figures[f].Has:
		return ""
	default:
		return c.write(r.Figures[f].X)
	}
}

// tells reports whether a row has anything to show in the column.
func (c *validationColumn) tells(r *validationRow) bool {
	if c.Figure < 0 {
		return c.text(r) != ""
	}
	return r.Figures[c.Figure].Has
}

// fitTo makes a column as wide as what it shows: words at most as wide as the column may be, and
// figures in full.
func (c *validationColumn) fitTo(rows []validationRow) {
	if c.width == 0 {
		return
	}
	w := cells.Width(c.Name) + 1 // for the arrow of the order
	for i := range rows {
		w = max(w, cells.Width(c.of(&rows[i])))
	}
	if c.Figure < 0 {
		w = min(w, max(c.width, cells.Width(c.Name)+1))
	}
	c.width = w
}

// fit brings text to the width of the column.
func (c *validationColumn) fit(s string, w int) string {
	if c.Figure < 0 {
		return cells.Fit(cells.CutMiddle(s, w), w)
	}
	return cells.FitRight(s, w)
}

// ValidationOrder says which rows of a table are shown and how they are sorted.
type ValidationOrder struct {
	Column   int    // -1 for the default order, the worst on top
	Backward bool   // the best figures on top, texts from Z to A
	failing  bool   // only rows that fail
	words    string // words that the texts of a row must contain
}

// Arrange returns the indexes of the rows that are shown.
func (t *validationTable) Arrange(o ValidationOrder) []int32 {
	out := make([]int32, 0, len(t.Rows))
	words := strings.Fields(strings.ToLower(o.words))
	for i := range t.Rows {
		if r := &t.Rows[i]; (r.failed || !o.failing) && r.has(words) {
			out = append(out, int32(i))
		}
	}
	if o.Column >= 0 && o.Column < len(t.Columns) {
		compare := t.by(&t.Columns[o.Column], o.Backward)
		slices.SortStableFunc(out, func(i, j int32) int { return compare(&t.Rows[i], &t.Rows[j]) })
	}
	return out
}

// Has reports whether the texts of a row have all words.
func (r *validationRow) has(words []string) bool {
	if len(words) == 0 {
		return true
	}
	all := strings.ToLower(strings.Join([]string{r.Names[0], r.Names[1], r.where, r.op, r.state, r.rule}, "\n"))
	for _, w := range words {
		if !strings.Contains(all, w) {
			return false
		}
	}
	return true
}

// byJudgement compares rows for the default order. Rows that fail come first, then those with the
// largest error relative to what is allowed, then those with the lowest signal-to-error ratio.
func byJudgement(x, y validationRow) int {
	if x.failed != y.failed {
		if x.failed {
			return -1
		}
		return 1
	}
	all := figAccumulatedSNR
	return cmp.Or(cmp.Compare(y.strain, x.strain), cmp.Compare(accumulated(x.Figures[all]), accumulated(y.Figures[all])))
}

// accumulated returns the signal-to-error ratio for sorting. A row that has none comes last.
func accumulated(f figure) float64 {
	if !f.Has {
		return math.Inf(1)
	}
	return f.X
}

// by compares rows by a column: texts in alphabetical order, figures with the worst first, and the
// reverse if backward is set. Rows without a figure are last either way.
func (t *validationTable) by(c *validationColumn, backward bool) func(x, y *validationRow) int {
	turn := 1
	if backward {
		turn = -1
	}
	if c.Figure < 0 {
		return func(x, y *validationRow) int { return turn * strings.Compare(c.text(x), c.text(y)) }
	}
	return func(x, y *validationRow) int {
		f, g := x.Figures[c.Figure], y.Figures[c.Figure]
		if f.Has != g.Has {
			if f.Has {
				return -1
			}
			return 1
		}
		return turn * cmp.Compare(c.Worse(g.X), c.Worse(f.X))
	}
}

// Worse maps a figure so that larger is worse; NaN is the worst.
func (c *validationColumn) Worse(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return math.Inf(1)
	case c.low:
		return -x
	}
	return x
}
