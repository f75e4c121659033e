package modes

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"lathe/bench"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/text"
)

// WriteText implements session.Report.
func (r *Report) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("%s", text.CleanLine(r.headline()))
	if r.Stopped != "" {
		p.Line("not complete, because %s", text.CleanLine(r.Stopped))
	}
	for _, t := range r.tables(w) {
		p.Line("")
		p.Table(t)
	}
	if slices.ContainsFunc(r.Rows, r.isApart) {
		p.Line("%s", bench.RatioOfPairs)
	}
	p.Line("")
	for _, row := range r.Rows {
		if row.Failed != "" {
			p.Line("%s: %s", row.Mode, text.CleanLine(row.state()))
		}
	}
	for _, a := range r.Advice {
		p.Line("%s", text.CleanLine(a.line()))
	}
	if !r.OnData && len(r.Advice) > 0 {
		p.Line("judged on generated inputs only; --data judges on yours")
	}
	r.writeRemarks(p)
	r.Kept.Print(p)
	return p.Err()
}

func (a Advice) line() string {
	if a.Mode == "" {
		return a.Text
	}
	return fmt.Sprintf("for %s take %s", a.For, a.Text)
}

func (r *Report) headline() string {
	count := 0
	for _, row := range r.Rows {
		if row.ran() {
			count++
		}
	}
	out := fmt.Sprintf("%s quantized in %s on %s; errors on %s", r.Model, text.Plural(count, "way"), r.Provider, r.Inputs)
	if r.Original.Accuracy != nil {
		out += fmt.Sprintf(", accuracy on %s", text.Plural(int(r.Original.Accuracy.Top1.Of), "label"))
	}
	if r.Bench != nil && len(r.Bench.Report.Runs) > 0 {
		run := r.Bench.Report.Runs[0]
		out += fmt.Sprintf(", latency at batch %d", max(run.Batch, 1))
		if run.Threads > 0 {
			out += ", " + text.Plural(int(run.Threads), "thread")
		}
	}
	return out
}

// state says why a row has no numbers.
func (row *Row) state() string {
	if row.NotApplied {
		return "does not apply: " + row.Failed
	}
	return "failed: " + row.Failed
}

// columns are columns of the table that belong together.
type columns struct {
	titles []string
	cells  func(row *Row) []any
}

var groups = []columns{
	{[]string{">size", ">share"}, (*Row).sizeCells},
	{[]string{">p50", ">95 % interval", ">ratio", ">95 % interval"}, (*Row).timeCells},
	{[]string{">SNR", ">max difference", "at"}, (*Row).errorCells},
	{[]string{">top-1", ">95 % interval", ">only original", ">only this", ">p"}, (*Row).accuracyCells},
}

// tables returns the table of the modes. If it is wider than the screen, its columns go to several tables,
// each with the modes.
func (r *Report) tables(w io.Writer) (out []text.Table) {
	room := math.MaxInt
	if wide, ok := w.(text.Wide); ok && wide.Columns() > 0 {
		room = wide.Columns()
	}
	var parts []columns
	for _, g := range groups {
		if next := r.table(append(slices.Clone(parts), g)); len(parts) > 0 && next.Width() > room {
			out = append(out, r.table(parts))
			parts = nil
		}
		parts = append(parts, g)
	}
	out = append(out, r.table(parts))
	return slices.DeleteFunc(out, func(t text.Table) bool { return len(t.Titles) < 2 })
}

func (r *Report) table(parts []columns) text.Table {
	t := text.Table{Titles: []string{"mode"}}
	for _, g := range parts {
		t.Titles = append(t.Titles, g.titles...)
	}
	for _, row := range append([]*Row{r.Original}, r.Rows...) {
		if row.Failed != "" {
			continue // the lines below the table say why
		}
		var cells []any
		for _, g := range parts {
			cells = append(cells, g.cells(row)...)
		}
		if slices.ContainsFunc(cells, func(c any) bool { return c != "" }) {
			t.Add(append([]any{row.Mode}, cells...)...)
		}
	}
	t.DropEmpty()
	return t
}

func (row *Row) sizeCells() []any {
	return []any{text.Bytes(row.Bytes), percent(float64(row.Ratio))}
}

func (row *Row) timeCells() []any {
	t := row.Time
	if t == nil {
		return []any{"", "", "", ""}
	}
	out := []any{bench.Latency(t.P50), bench.IntervalText(t.P50, t.CI95), "", ""}
	if t.Ratio != nil {
		out[2] = fmt.Sprintf("× %.2f", number(t.Ratio))
	}
	if t.RatioCI95 != nil {
		out[3] = fmt.Sprintf("%.2f … %.2f", float64(t.RatioCI95[0]), float64(t.RatioCI95[1]))
	}
	return out
}

// isApart reports whether the ratio of a row is another one than that of the medians in the table.
func (r *Report) isApart(row *Row) bool {
	first, t := r.Original.Time, row.Time
	if first == nil || t == nil || t.Ratio == nil || !(first.P50 > 0) {
		return false
	}
	return bench.Comparison{Ratio: t.P50 / first.P50, Round: t.Ratio}.IsApart()
}

func (row *Row) errorCells() []any {
	e := row.Error
	if e == nil {
		return []any{"", "", ""}
	}
	snr, most := "", ""
	if e.SNR != nil {
		snr = compare.Decibels(number(e.SNR))
	}
	if e.MaxAbs != nil {
		most = fmt.Sprintf("%.3g", number(e.MaxAbs))
	}
	return []any{snr, most, e.place()}
}

// place names the element with the largest difference.
func (e *Error) place() string {
	if e.MaxIndex == nil {
		return e.MaxOutput
	}
	index := make([]string, len(e.MaxIndex))
	for i, n := range e.MaxIndex {
		index[i] = fmt.Sprint(n)
	}
	return e.MaxOutput + "[" + strings.Join(index, ",") + "]"
}

func (row *Row) accuracyCells() []any {
	a := row.Accuracy
	if a == nil {
		return []any{"", "", "", "", ""}
	}
	out := []any{share(a.Top1.Share), fmt.Sprintf("%.2f … %.2f", 100*float64(a.Top1.Low), 100*float64(a.Top1.High)), "", "", ""}
	if d := a.Against; d != nil {
		out[2], out[3], out[4] = d.OnlyA, d.OnlyB, fmt.Sprintf("%.2g", float64(d.P))
	}
	return out
}

func share(n tensor.Number) string { return fmt.Sprintf("%.2f %%", 100*float64(n)) }

// writeRemarks writes what is special about each mode. A line that several modes have names all of them.
func (r *Report) writeRemarks(p *text.Printer) {
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	type remark struct {
		modes      []string
		kind, text string
	}
	var list []*remark
	add := func(mode, kind, words string) {
		at := slices.IndexFunc(list, func(x *remark) bool { return x.kind == kind && x.text == words })
		if at < 0 {
			list, at = append(list, &remark{kind: kind, text: words}), len(list)
		}
		if !slices.Contains(list[at].modes, mode) {
			list[at].modes = append(list[at].modes, mode)
		}
	}
	for _, row := range append([]*Row{r.Original}, r.Rows...) {
		for _, n := range row.Notes {
			add(row.Mode, "note", n)
		}
		for _, n := range row.Warnings {
			add(row.Mode, "warning", n)
		}
		if row.ran() && !row.keeps() {
			add(row.Mode, "warning", "loses accuracy: "+row.lost())
		}
		if row.Time != nil && row.Time.Noise != "" {
			add(row.Mode, "note", "its latency is "+row.Time.Noise)
		}
	}
	for _, x := range list {
		p.Line("%s: %s: %s", x.kind, strings.Join(x.modes, ", "), text.CleanLine(x.text))
	}
	if r.Folder != "" {
		p.Line("wrote %s into %s", r.written(), text.CleanLine(r.Folder))
	}
}

// lost says how a result is not accurate enough.
func (row *Row) lost() string {
	if a := row.Accuracy; a != nil && a.Against != nil {
		return fmt.Sprintf("right in %s of %s labels, %s points, p = %.2g", share(a.Top1.Share), text.Count(a.Top1.Of), fmt.Sprintf("%+.2f", 100*float64(a.Against.Difference)), float64(a.Against.P))
	}
	return row.Error.Headline
}

func (r *Report) written() string {
	count := 0
	for _, row := range r.Rows {
		if row.File != nil {
			count++
		}
	}
	return text.Plural(count, "model")
}
