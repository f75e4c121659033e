package tui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/layers"
	"lathe/session/text"
	"lathe/tui/cells"
)

// validation is what two models were found to differ in, as tables: outputs case by
// case, and layers if they were compared. It never changes.
type validation struct {
	session.SideBySide
	names   [2]string // of the files
	verdict string    // safe to print
	// submodel is what a reduction left, safe to print; "" without one.
	submodel string
	command  string
	tables   [2]validationTable // outputs, layers
	// shown is the model that the workbench showed when they were compared, and side
	// which of the two it is.
	shown *graphops.Model
	side  modelSide
	first int // the layer that makes the error, -1 for none
	// errors are those of the nodes of the model that was shown, nil where it is neither.
	errors *nodeErrors
}

// The tables of a validation.
const (
	tableOutputs = iota
	tableLayers
)

// modelSide says which of two models something is.
type modelSide uint8

// The sides.
const (
	sideNeither modelSide = iota
	sideA
	sideB
)

// validationTable is the rows of a table, the worst first, and its columns.
type validationTable struct {
	rows    []validationRow
	columns []validationColumn
	failed  int
	judged  int // rows that tell of two values, or fail
}

// validationRow is an output in a case, or a layer.
type validationRow struct {
	of       session.ComparedValue
	names    [2]string // of the value in A and in B
	where    string    // the case of an output, the node of a layer
	op       string
	state    string // what was judged, in a word or two
	failed   bool
	rule     string
	reason   string // why there are no figures, or why they decide nothing
	typ      string
	strain   float64 // how near an output comes to failing, 1 is the limit; of a layer, how large its error is
	worst    string  // the worst element and its values, safe to print
	pair     string  // how the values were matched
	figures  [figures]figure
	compared bool // there are two values to look at
}

// figure is a number of a row, if it has one.
type figure struct {
	x   float64
	has bool
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

// newValidation makes the tables of a report. The model is the one that shows, at a path.
func newValidation(r session.SideBySide, shown *graphops.Model, path, command string) *validation {
	outputs, found := r.Compared()
	v := &validation{SideBySide: r, names: [2]string{outputs.A, outputs.B}, verdict: cells.Prose(outputs.Verdict), submodel: cells.Prose(r.Submodel()), command: command, shown: shown, first: -1}
	v.side = sideOf(r, shown, path)
	v.tables[tableOutputs].fill(outputRows(outputs), outputColumns)
	if found != nil {
		v.tables[tableLayers].fill(layerRows(found), layerColumns)
		v.first = firstLayer(found)
	}
	v.errors = newNodeErrors(v)
	return v
}

// fill takes over rows, and those columns that tell something in one of them.
func (t *validationTable) fill(rows []validationRow, columns []validationColumn) {
	slices.SortStableFunc(rows, byJudgement)
	t.rows = rows
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
				t.columns = append(t.columns, c)
				break
			}
		}
	}
	if len(t.columns) == 0 {
		t.columns = columns[:1]
	}
}

func figureOf(n *tensor.Number) figure {
	if n == nil {
		return figure{}
	}
	return figure{float64(*n), true}
}

func outputRows(r *compare.Report) []validationRow {
	var rows []validationRow
	other := map[string]compare.Pair{}
	for _, p := range r.Pairs {
		other[p.A] = p
	}
	for _, c := range r.Cases {
		for i := range c.Outputs {
			rows = append(rows, outputRow(&c.Outputs[i], other[c.Outputs[i].Name]))
		}
	}
	for _, f := range r.Findings {
		if f.Reason != "" && !isTold(rows, f) {
			rows = append(rows, findingRow(f))
		}
	}
	return rows
}

// isTold reports whether a row says what a finding does.
func isTold(rows []validationRow, f compare.Finding) bool {
	if f.Output == "" {
		return false
	}
	for _, r := range rows {
		if r.of.Output == f.Output && r.where == f.Case && r.reason != "" {
			return true
		}
	}
	return false
}

func outputRow(o *compare.OutputResult, p compare.Pair) validationRow {
	r := validationRow{
		of: session.ComparedValue{Case: o.Case, Output: o.Name}, names: [2]string{o.Name, cmp.Or(p.B, o.Name)}, where: o.Case,
		state: "pass", failed: !o.Pass, rule: o.Rule, reason: cmp.Or(o.Reason, o.Unjudged),
		typ: typeOfRow(o.Type, graphops.FixedShape(o.Shape)), strain: o.Strain(), pair: p.How, compared: o.Reason == "",
	}
	if o.Unjudged != "" {
		r.state = "not judged"
	}
	if r.failed {
		r.state = "fail"
	}
	f := &r.figures
	if o.Reason == "" {
		f[figMargin] = figure{o.Strain(), true}
	}
	f[figMaxAbs], f[figMaxRel], f[figMeanAbs], f[figRMS] = figureOf(o.MaxAbs), figureOf(o.MaxRel), figureOf(o.MeanAbs), figureOf(o.RMS)
	f[figCosine], f[figSNR], f[figULP] = figureOf(o.Cosine), figureOf(o.SNR), figureOf(o.ULPMax)
	f[figArgmax], f[figTopK] = percentOf(o.ArgmaxAgree), percentOf(o.TopKAgree)
	f[figMismatched] = percentOf(o.Share)
	f[figNaN], f[figInf] = figure{float64(o.NaN), o.NaN > 0}, figure{float64(o.Inf), o.Inf > 0}
	if o.Worst != nil {
		r.worst = cells.Prose(fmt.Sprintf("worst at %v: a %s, b %s", o.Worst.Index, o.Worst.A, o.Worst.B))
	}
	return r
}

func percentOf(n *tensor.Number) figure {
	f := figureOf(n)
	f.x *= 100
	return f
}

func typeOfRow(typ string, shape graphops.Shape) string {
	if shape == nil {
		return cells.Label(typ)
	}
	return cells.Label(typ + " " + shape.String())
}

// findingRow is something that could not be compared.
func findingRow(f compare.Finding) validationRow {
	r := validationRow{
		of: session.ComparedValue{Case: f.Case, Output: f.Output}, names: [2]string{f.Output, f.Output}, where: f.Case,
		state: "no result", failed: f.Decisive, reason: f.Reason, strain: math.Inf(-1),
	}
	if f.Side == "a" || f.Side == "b" {
		r.reason = f.Side + ": " + f.Reason
	}
	if f.NotRun {
		r.state = "not run"
	}
	if f.Decisive {
		r.strain = math.Inf(1)
	}
	return r
}

func layerRows(found *layers.Report) []validationRow {
	rows := make([]validationRow, len(found.Layers))
	for i, l := range found.Layers {
		rows[i] = layerRow(i, l)
	}
	for _, only := range []struct {
		side int
		list []string
	}{{0, found.Mapping.OnlyA}, {1, found.Mapping.OnlyB}} {
		for _, name := range only.list {
			r := validationRow{state: "only in " + string("ab"[only.side]), strain: math.Inf(-1), of: session.ComparedValue{Layer: -1}}
			r.names[only.side] = name
			rows = append(rows, r)
		}
	}
	return rows
}

func layerRow(i int, l layers.LayerReport) validationRow {
	r := validationRow{
		of: session.ComparedValue{Layer: i, Local: l.Local != nil}, names: [2]string{l.A, l.B}, where: cmp.Or(l.Node, l.NodeA), op: l.Op,
		state: l.Judgement, failed: layers.Judgement(l.Judgement).Failed(), reason: cmp.Or(l.Reason, l.AccumulatedReason),
		typ: typeOfRow(l.Type, l.Shape), strain: math.Inf(-1), pair: l.How, compared: l.Local != nil || l.Accumulated != nil,
	}
	if e := l.Local; e != nil {
		r.strain = -float64(e.SNR)
		if math.IsNaN(r.strain) {
			r.strain = math.Inf(1)
		}
		f, has := &r.figures, func(n tensor.Number) figure { return figure{float64(n), true} }
		f[figMaxAbs], f[figMaxRel], f[figMeanAbs], f[figRMS] = has(e.MaxAbs), has(e.MaxRel), has(e.MeanAbs), has(e.RMS)
		f[figCosine], f[figSNR] = has(e.Cosine), has(e.SNR)
		f[figMismatched] = figure{100 * float64(e.Mismatched) / float64(max(e.Total, 1)), true}
		f[figNaN], f[figInf] = figure{float64(e.NaN), e.NaN > 0}, figure{float64(e.Inf), e.Inf > 0}
	}
	if r.failed && l.Local == nil {
		r.strain = math.Inf(1)
	}
	if e := l.Accumulated; e != nil {
		r.figures[figAccumulatedAbs], r.figures[figAccumulatedSNR] = figure{float64(e.MaxAbs), true}, figure{float64(e.SNR), true}
	}
	return r
}

// firstLayer is the layer of the first divergence, -1 without one.
func firstLayer(found *layers.Report) int {
	if found.First == nil {
		return -1
	}
	for i, l := range found.Layers {
		if l.A == found.First.Value && l.B == found.First.ValueB {
			return i
		}
	}
	return -1
}

// sideOf tells which of the models of a report the workbench shows: the one with the same
// nodes, and of two the one at its path, else B, which is judged.
func sideOf(r session.SideBySide, shown *graphops.Model, path string) modelSide {
	a, b := r.Models()
	isA, isB := sameNodes(a, shown), sameNodes(b, shown)
	outputs, _ := r.Compared()
	switch {
	case isA && isB && outputs.A == path && outputs.B != path:
		return sideA
	case isB:
		return sideB
	case isA:
		return sideA
	}
	return sideNeither
}

// sameNodes reports whether the main graphs of two models have the same nodes in the same
// order, by operator, name and what they make.
func sameNodes(x, y *graphops.Model) bool {
	if x == nil || y == nil || len(x.Graph().Nodes()) != len(y.Graph().Nodes()) {
		return false
	}
	for i, n := range x.Graph().Nodes() {
		m := y.Graph().Nodes()[i]
		if n != m && !(n.OpType() == m.OpType() && n.Name() == m.Name() && sameWork(n, m)) {
			return false
		}
	}
	return true
}

// called is the value of a row, safe to print, by its name in A, else in B.
func (r *validationRow) called() string {
	name := cmp.Or(r.names[0], r.names[1])
	if name == "" {
		return "all outputs"
	}
	return cells.Label(name)
}

// told is all that is said of a row, safe to print: its names, what was judged and why.
func (r *validationRow) told() []string {
	head := r.called()
	if r.names[0] != r.names[1] && r.names[0] != "" && r.names[1] != "" {
		head += ", in b " + cells.Label(r.names[1])
	}
	by := ""
	if r.op != "" {
		by = "made by " + cells.Label(strings.TrimSpace(r.op+" "+r.where))
	} else if r.where != "" {
		by = "case " + cells.Label(r.where)
	}
	facts := strings.Join(present([]string{r.state, r.rule, r.typ, matchedBy(r.pair)}), ", ")
	return present([]string{strings.Join(present([]string{head, by}), ", "), facts, cells.Prose(r.reason), r.worst})
}

func matchedBy(how string) string {
	if how == "" {
		return ""
	}
	return "matched by " + cells.Label(how)
}

// gist says in a line what a table shows.
func (t *validationTable) gist(what string) string {
	return fmt.Sprintf("%s of %s fail", text.Count(int64(t.failed)), text.Plural(t.judged, what))
}
