package comparison

import (
	"cmp"
	"fmt"
	"math"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/layers"
	"lathe/session/reporting"
	"lathe/tui/cells"
)

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

// isTold reports whether a row for the same output and test case already gives a reason, so that
// the finding need not be a row of its own.
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
		of: reporting.ComparedValue{Case: o.Case, Output: o.Name}, Names: [2]string{o.Name, cmp.Or(p.B, o.Name)}, where: o.Case,
		state: string(o.Verdict), failed: o.Verdict == compare.Fail, rule: o.Rule, reason: cmp.Or(o.Reason, o.Unjudged),
		typ: typeOfRow(o.Type, graphops.FixedShape(o.Shape)), strain: o.Strain(), pair: p.How, compared: o.Reason == "",
	}
	if o.Verdict == compare.Undecided {
		r.state = "not judged"
	}
	f := &r.Figures
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
	f.X *= 100
	return f
}

func typeOfRow(typ string, shape graphops.Shape) string {
	if shape == nil {
		return cells.Label(typ)
	}
	return cells.Label(typ + " " + shape.String())
}

// findingRow returns a row for something that could not be compared.
func findingRow(f compare.Finding) validationRow {
	r := validationRow{
		of: reporting.ComparedValue{Case: f.Case, Output: f.Output}, Names: [2]string{f.Output, f.Output}, where: f.Case,
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
			r := validationRow{state: "only in " + string("ab"[only.side]), strain: math.Inf(-1), of: reporting.ComparedValue{Layer: -1}}
			r.Names[only.side] = name
			rows = append(rows, r)
		}
	}
	return rows
}

func layerRow(i int, l layers.LayerReport) validationRow {
	r := validationRow{
		of: reporting.ComparedValue{Layer: i, Local: l.Local != nil}, Names: [2]string{l.A, l.B}, where: cmp.Or(l.Node, l.NodeA), op: l.Operators(),
		state: l.Judgement, failed: layers.Judgement(l.Judgement).Failed(), reason: cmp.Or(l.Reason, l.AccumulatedReason),
		typ: typeOfRow(l.Type, l.Shape), strain: math.Inf(-1), pair: l.How, compared: l.Local != nil || l.Accumulated != nil,
	}
	if e := l.Local; e != nil {
		r.strain = -float64(e.SNR)
		if math.IsNaN(r.strain) {
			r.strain = math.Inf(1)
		}
		f, has := &r.Figures, func(n tensor.Number) figure { return figure{float64(n), true} }
		f[figMaxAbs], f[figMaxRel], f[figMeanAbs], f[figRMS] = has(e.MaxAbs), has(e.MaxRel), has(e.MeanAbs), has(e.RMS)
		f[figCosine], f[figSNR] = has(e.Cosine), has(e.SNR)
		f[figMismatched] = figure{100 * float64(e.Mismatched) / float64(max(e.Total, 1)), true}
		f[figNaN], f[figInf] = figure{float64(e.NaN), e.NaN > 0}, figure{float64(e.Inf), e.Inf > 0}
	}
	if r.failed && l.Local == nil {
		r.strain = math.Inf(1)
	}
	if e := l.Accumulated; e != nil {
		r.Figures[figAccumulatedAbs], r.Figures[figAccumulatedSNR] = figure{float64(e.MaxAbs), true}, figure{float64(e.SNR), true}
	}
	return r
}

// firstLayer returns the layer of the first divergence, or -1.
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
