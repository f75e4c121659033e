package comparison

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/sheet"
)

// validation is a comparison of two models as tables: one row for each output and test case, and
// one for each layer if layers were compared. It is immutable.
type validation struct {
	reporting.SideBySide
	names   [2]string // of the files
	verdict string    // safe to print
	// accuracy has a line for each output whose correct classes are known, safe to print.
	accuracy []string
	// submodel describes the smaller model to which a failing comparison was reduced, safe to
	// print. It is "" if there was no reduction.
	submodel string
	command  string
	// printed is what the command prints below the verdict, if no values were compared, as in a
	// decoder that was only compared with itself. It is safe to print.
	printed []string
	Tables  [2]validationTable // outputs, layers
	// Shown is the model that the workbench showed during the comparison, and side says which of
	// the two it is.
	shown *graphops.Model
	Side  sheet.ModelSide
	first int // the first layer whose error is too large, or -1
	// Errors has the errors of the nodes of the visible model. It is nil if the visible model is
	// not one of the two.
	Errors *graph.NodeErrors
	// asText is set if the text of the report says more than the tables, so that it stays in view.
	asText bool
}

// The tables of a validation.
const (
	TableOutputs = iota
	TableLayers
)

// validationTable holds the columns and rows of a table, the worst row first.
type validationTable struct {
	Rows    []validationRow
	Columns []validationColumn
	failed  int
	judged  int // the number of rows that compare two values or fail
	longest int // cells of the longest name, with its mark
}

// validationRow is a row of a table: an output in one test case, or a layer.
type validationRow struct {
	of       reporting.ComparedValue
	Names    [2]string // names of the value in A and in B
	where    string    // the test case of an output, or the node of a layer
	op       string
	state    string // the verdict, in a word or two
	failed   bool
	rule     string
	reason   string // why there are no numbers, or why they do not decide the verdict
	typ      string
	strain   float64 // for an output, its error relative to what is allowed; for a layer, the size of its error
	worst    string  // the worst element and its values, safe to print
	pair     string  // how the values were matched
	Figures  [figures]figure
	compared bool // there are two values to look at
}

// Figure is a number in a row, such as an error. has is false if the row has no such number.
type figure struct {
	X   float64
	Has bool
}

// The figures of a row.
const (
	figMargin = iota
	figMaxAbs
	figMaxRel
	figMeanAbs
	figRMS
	figCosine
	figSNR
	figMismatched
	figULP
	figNaN
	figInf
	figArgmax
	figTopK
	figAccumulatedAbs
	figAccumulatedSNR
	figures
)

// NewValidation makes the tables of a report. The current model and its path are needed to find out
// which side is shown.
func NewValidation(r reporting.SideBySide, shown *graphops.Model, path, command string) *validation {
	outputs, found := r.Compared()
	v := &validation{SideBySide: r, names: [2]string{outputs.A, outputs.B}, verdict: cells.Prose(outputs.Headline), accuracy: outputs.AccuracyLines(), submodel: cells.Prose(r.Submodel()), command: command, shown: shown, first: -1}
	v.Side = sheet.SideOf(r, shown, path)
	v.Tables[TableOutputs].fill(outputRows(outputs), outputColumns)
	if found != nil {
		v.Tables[TableLayers].fill(layerRows(found), layerColumns)
		v.first = firstLayer(found)
	}
	if len(v.Tables[TableOutputs].Rows)+len(v.Tables[TableLayers].Rows) == 0 {
		v.printed = printedBelow(r)
	}
	v.Errors = newNodeErrors(v)
	return v
}

// printedBelow returns the lines of a report without the first, which is the verdict.
func printedBelow(r session.Report) []string {
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		return []string{cells.Prose(err.Error())}
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	for i := range lines {
		lines[i] = cells.Prose(lines[i])
	}
	return lines[1:]
}

// fill stores the rows, sorted by how bad they are, and the columns that are not empty.
func (t *validationTable) fill(rows []validationRow, columns []validationColumn) {
	slices.SortStableFunc(rows, byJudgement)
	t.Rows = rows
	for _, r := range rows {
		if r.failed {
			t.failed++
		}
		if r.failed || r.compared {
			t.judged++
		}
	}
	for _, c := range columns {
		for i := range rows {
			if c.tells(&rows[i]) {
				t.Columns = append(t.Columns, c)
				break
			}
		}
	}
	if len(t.Columns) == 0 {
		t.Columns = columns[:1]
	}
	for i := range t.Columns {
		t.Columns[i].fitTo(rows)
	}
	for i := range rows {
		t.longest = max(t.longest, cells.Width(t.Columns[0].of(&rows[i]))+markWidth)
	}
}

// markWidth is the width of the sign before a name and the blank after it.
const markWidth = 2

func figureOf(n *tensor.Number) figure {
	if n == nil {
		return figure{}
	}
	return figure{float64(*n), true}
}

// called returns the name of a row's value in A, or else in B, safe to print.
func (r *validationRow) called() string {
	name := cmp.Or(r.Names[0], r.Names[1])
	if name == "" {
		return "all outputs"
	}
	return cells.Label(name)
}

// told returns everything about a row, safe to print: its names, the verdict and the reason.
func (r *validationRow) told() []string {
	head := r.called()
	if r.Names[0] != r.Names[1] && r.Names[0] != "" && r.Names[1] != "" {
		head += ", in b " + cells.Label(r.Names[1])
	}
	by := ""
	if r.op != "" {
		by = "made by " + cells.Label(strings.TrimSpace(r.op+" "+r.where))
	} else if r.where != "" {
		by = "case " + cells.Label(r.where)
	}
	facts := strings.Join(graph.Present([]string{r.state, r.rule, r.typ, matchedBy(r.pair)}), ", ")
	return graph.Present([]string{strings.Join(graph.Present([]string{head, by}), ", "), facts, cells.Prose(r.reason), r.worst})
}

func matchedBy(how string) string {
	if how == "" {
		return ""
	}
	return "matched by " + cells.Label(how)
}

// gist says how many rows of a table fail. what names the rows.
func (t *validationTable) gist(what string) string {
	return fmt.Sprintf("%s of %s fail", text.Count(int64(t.failed)), text.Plural(t.judged, what))
}
