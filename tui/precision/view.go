package precision

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops/quant"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/passes"
	"lathe/tui/shell"
	"lathe/tui/theme"
	"lathe/tui/workspace"
)

// quantizeBox is the width of the box before a name.
const quantizeBox = 4

// The columns beside names.
const (
	columnOp = iota
	columnWeight
	columnBecomes
	columnSNR
	columnError
	columnCost
)

// The most cells for an operator, and the cells for errors, which are measured while the list is
// shown.
const (
	mostOp     = 13
	snrWidth   = 10
	errorWidth = 9
	costWidth  = 14
)

// quantizeColumns returns the columns of a draft, and the width of the longest name.
func (f *quantizeFound) quantizeColumns() (need int, columns []cells.Column) {
	columns = []cells.Column{
		columnOp:      {Title: "op", Gap: 1, Rank: 3},
		columnWeight:  {Title: "weight", Gap: 1},
		columnBecomes: {Title: "becomes", Gap: 1, Rank: 2},
		columnSNR:     {Title: "weight SNR", Gap: 1, Rank: 1},
		columnError:   {Title: "its error", Gap: 1, Rank: 4},
		columnCost:    {Title: "SNR at outputs", Gap: 1},
	}
	for i := range f.Candidates {
		c := &f.Candidates[i]
		need = max(need, cells.Width(nodeCalled(c)))
		columns[columnOp].Widest(cells.Cut(cells.Label(c.Node().OpType()), mostOp))
		if len(c.Weights) > 0 {
			before, after := sizesOf(c)
			columns[columnWeight].Widest(text.Bytes(before))
			columns[columnBecomes].Widest(text.Bytes(after))
			columns[columnSNR].Width, columns[columnError].Width = snrWidth, errorWidth
		}
	}
	return need, columns
}

// Table divides a line behind the box.
func (d *QuantizeDialog) Table() cells.Table {
	if d.Ticks == nil {
		return cells.Divide(d.W-quantizeBox, d.W, nil)
	}
	f := d.Ticks.Found
	columns := f.columns
	if d.costs() != nil {
		columns = slices.Clone(columns)
		columns[columnCost].Width = costWidth
	}
	return cells.Divide(d.W-quantizeBox, f.need, columns)
}

func (d *QuantizeDialog) foot() int {
	if d.h < passes.LowDialog {
		return 0
	}
	return min(graph.FindingFoot, d.h/3)
}

// totals shows the size of the model before and after, and how many nodes are selected. The size
// after is marked with "about" until the draft for the selection is finished.
func (d *QuantizeDialog) totals() string {
	t := d.Ticks
	if t == nil {
		return "still looking for nodes that can be quantized"
	}
	about, after := "", d.Exact
	switch {
	case d.Question.IsOpen() || d.Stopped || d.Err != nil:
		about, after = "about ", t.After()
	case t.Found.Supposed:
		about = "about "
	}
	words := fmt.Sprintf("%s → %s%s (%.0f %%), ", text.Bytes(t.Found.Before), about, text.Bytes(after), 100*float64(after)/float64(max(t.Found.Before, 1)))
	ticked := fmt.Sprintf("%d of %s ticked", t.On, text.Plural(t.Found.ticks, "node"))
	switch {
	case t.Found.unnamed > 0 && t.Found.ticks == 0:
		return words + text.Plural(t.Found.unnamed, "node") + " without a name, which cannot be unticked"
	case t.Found.unnamed > 0:
		return words + fmt.Sprintf("%s, and %d without a name", ticked, t.Found.unnamed)
	}
	return words + ticked
}

// chosen describes the settings.
func (d *QuantizeDialog) chosen() string {
	words := []string{strings.TrimPrefix(d.Settings.Step, workspace.QuantizePrefix)}
	if d.hasWeightTypes() {
		words = append(words, cmp.Or(d.Settings.Weights, "int8"))
	}
	if workspace.HasOption(d.newStep(), "per-channel") {
		words = append(words, map[bool]string{true: "one scale per channel", false: "one scale per weight"}[d.Settings.PerChannel])
	}
	if d.Settings.method != "" && workspace.HasOption(d.newStep(), "calibration") {
		words = append(words, "ranges by "+d.Settings.method)
	}
	if d.Settings.Data != "" {
		words = append(words, "samples "+cells.Label(d.Settings.Data))
	}
	return strings.Join(words, ", ")
}

// ways says which keys lead to other modes, or "".
func (d *QuantizeDialog) ways() string {
	keys := d.WS.Keys
	out := "; " + keys.Key(PlaceQuantize, actionMode) + " changes the mode"
	if d.compareRefusal() == "" {
		out += ", " + keys.Key(PlaceQuantize, actionCompare) + " compares all of them"
	}
	return out
}

// Head returns the lines above the list, of w cells.
func (d *QuantizeDialog) Head(w int) []string {
	if d.h < passes.LowDialog {
		return []string{cells.Cut(d.totals()+"; "+cells.Prose(d.state()), w)}
	}
	out := []string{cells.Cut(d.totals(), w), cells.Cut(d.chosen()+d.ways(), w), cells.Cut(cells.Prose(d.state()), w)}
	t := d.Table()
	head := cells.Blanks(quantizeBox) + cells.Fit("node", t.Name)
	for i, c := range t.Columns {
		head += t.Cell(i, c.Title, i == columnOp)
	}
	return append(out, cells.Fit(head, w))
}

// View implements shell.Pane.
func (d *QuantizeDialog) View(bool) []string {
	st := d.WS.Styles
	head := d.Head(d.W)
	lines := make([]string, 0, d.h)
	for i, line := range head {
		looks := st.Faint
		switch {
		case i == 0 && !d.Question.IsOpen():
			looks = st.Key
		case i == 1 && len(head) > 1:
			looks = st.Heading
		case i == 2 && d.Err != nil:
			looks = st.Bad
		}
		lines = append(lines, looks.On(line))
	}
	if d.Ticks != nil {
		table := d.Table()
		for row, to := d.Rows.Visible(); row < to; row++ {
			line, looks := d.drawn(int(d.lines[row]), &table)
			if row == d.Rows.Cursor {
				lines = append(lines, st.Selected.On(cells.Fit(line, d.W)))
				continue
			}
			lines = append(lines, st.Of(looks).On(cells.Fit(line, d.W)))
		}
	}
	lines = cells.Block(lines, d.W, max(d.h-d.foot(), 1))
	if d.foot() > 0 {
		lines = append(lines, st.Frame.On(cells.Rule(d.W)))
		lines = append(lines, d.told().Explained(d.W, d.foot()-1)...)
	}
	return cells.Block(lines, d.W, d.h)
}

// nodeCalled returns the name of a candidate as lists show it: the node's name or else its outputs,
// and its place unless that is the main graph.
func nodeCalled(c *quant.Candidate) string {
	n := c.Node()
	name := cmp.Or(n.Name(), strings.Join(graph.Present(n.Outputs()), " "))
	if hops := c.Place.String(); hops != "" {
		name += " in " + hops
	}
	return cells.Label(name)
}

// drawn draws a line of the list.
func (d *QuantizeDialog) drawn(i int, t *cells.Table) (string, theme.Looks) {
	c := &d.Ticks.Found.Candidates[i]
	line := cells.Fit(cells.CutMiddle(nodeCalled(c), t.Name), t.Name) + t.Cell(columnOp, cells.Label(c.Node().OpType()), true)
	if c.Reason != "" {
		return cells.Blanks(quantizeBox) + line + "  " + cells.Prose(c.Reason), theme.Faint
	}
	box, looks := "[x] ", theme.Plain
	switch {
	case d.Ticks.Found.Called[i] < 0:
		box = " x  "
	case !d.Ticks.IsOn(i):
		box, looks = "[ ] ", theme.Faint
	}
	before, after, snr, most := "–", "–", "–", "–"
	if len(c.Weights) > 0 {
		b, a := sizesOf(c)
		before, after = text.Bytes(b), text.Bytes(a)
		worst := worstOf(c, d.Known)
		switch {
		case worst == nil:
			snr, most = cells.Ellipsis, cells.Ellipsis
		case worst.err != nil:
			snr, looks = "fails", theme.Failure
		default:
			snr, most = snrWords(worst.SNR()), graph.Brief(worst.MaxAbs)
		}
	}
	cost := "–"
	if db, known := d.Ticks.Found.costOf(c, d.costs()); known {
		cost = snrWords(db)
	}
	return box + line + t.Cell(columnWeight, before, false) + t.Cell(columnBecomes, after, false) +
		t.Cell(columnSNR, snr, false) + t.Cell(columnError, most, false) + t.Cell(columnCost, cost, false), looks
}

func sizesOf(c *quant.Candidate) (before, after int64) {
	for _, w := range c.Weights {
		before += w.Before
		after += w.After
	}
	return before, after
}

// snrWords formats a signal-to-noise ratio in dB. Without any error it is "exact".
func snrWords(x float64) string {
	if math.IsInf(x, 1) {
		return "exact"
	}
	return graph.Decimal(x)
}

// told describes the candidate at the cursor: why it stays as it is, or what happens to its
// weights.
func (d *QuantizeDialog) told() *graph.Finding {
	c := d.At()
	if c == nil {
		return &graph.Finding{Text: d.state()}
	}
	f := &graph.Finding{Where: cells.Label(c.Node().OpType()) + " " + nodeCalled(c)}
	if c.Reason != "" {
		f.Text = "is not quantized: it " + cells.Prose(c.Reason)
		return f
	}
	if len(c.Weights) == 0 {
		f.Text = "reads no weight that changes, but computes in another type"
	}
	var words []string
	for i, w := range c.Weights {
		words = append(words, d.toldOf(w, d.Ticks.Users[d.Ticks.Found.Uses[d.Here()][i]]))
	}
	if len(words) > 0 {
		f.Text = strings.Join(words, "; ")
		f.Note = d.WS.Keys.Key(PlaceQuantize, shell.ActionLookAt) + " shows how it is spread"
	}
	return f
}

// toldOf describes how a weight changes: its new type, its size, and its error if it has been
// measured. users is the number of nodes that read the weight.
func (d *QuantizeDialog) toldOf(w *quant.DraftWeight, users int) string {
	words := fmt.Sprintf("%s becomes %s, %s → %s", cells.Label(w.Name), w.Type(), text.Bytes(w.Before), text.Bytes(w.After))
	if n := w.Channels.Count; n > 1 {
		words += fmt.Sprintf(", %s scales", text.Count(n))
	}
	if users > 1 {
		words += fmt.Sprintf(", read by %d nodes that change", users)
	}
	f := d.Known[w]
	switch {
	case f == nil:
		return words + ", not measured yet"
	case f.err != nil:
		return words + ": " + cells.Prose(f.err.Error())
	}
	return words + ", " + f.words()
}

// words describe the error of a weight.
func (f *Fidelity) words() string {
	words := fmt.Sprintf("SNR %s, max error %s at element %s", graph.Decibels(f.SNR()), graph.Brief(f.MaxAbs), text.Count(f.MaxAt))
	if f.WorstSNR < f.SNR() {
		words += fmt.Sprintf(", worst channel %s with %s", text.Count(f.Worst), graph.Decibels(f.WorstSNR))
	}
	if f.Cut > 0 {
		words += fmt.Sprintf(", %s saturated", inPercent(float64(f.Cut)/float64(max(f.Elements, 1))))
	}
	if f.NotFinite > 0 {
		words += fmt.Sprintf(", %s not finite", text.Count(f.NotFinite))
	}
	return words
}

// inPercent formats a share in percent. A share above 0 is never shown as 0.
func inPercent(x float64) string {
	if x > 0 && x < 0.0001 {
		return "less than 0.01 %"
	}
	return fmt.Sprintf("%.3g %%", 100*x)
}

// Said implements shell.Pane.
func (d *QuantizeDialog) Said() string {
	words := []string{d.Title(), d.totals(), d.chosen(), cells.Prose(d.state())}
	if c := d.At(); c != nil {
		f := d.told()
		at := strings.Join(graph.Present([]string{f.Where, f.Text}), ", ")
		if c.Reason == "" {
			at = passes.TickWords(d.Ticks.IsOn(d.Here())) + ", " + at
		}
		words = append(words, fmt.Sprintf("%s, %d of %d", at, d.Rows.Cursor+1, d.Rows.N))
	}
	return strings.Join(words, "\n")
}
