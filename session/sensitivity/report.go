package sensitivity

import (
	"fmt"
	"io"
	"math"
	"slices"

	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/reporting"
	"lathe/session/text"
)

// Report is the list of nodes that could be quantized, the largest error first. Where an error is not
// measured, its estimate decides.
type Report struct {
	Schema string   `json:"schema"`
	Mode   string   `json:"mode"`
	Layers []*Layer `json:"layers"`
	// LeftOut are nodes that the mode does not quantize.
	LeftOut []LeftOut `json:"left_out"`
	// Inputs says what the model was run on: "generated inputs, seed 0" or "the data". It is "" if
	// nothing was run.
	Inputs string `json:"inputs"`
	Cases  int    `json:"cases"`
	// Measured counts the layers with a measured error, among them Reused from an earlier run. Failed
	// counts those that cannot be quantized alone. New is how many were tried now.
	Measured int `json:"measured"`
	Reused   int `json:"reused"`
	Failed   int `json:"failed"`
	New      int `json:"new"`
	// Coverage is the part of the estimated noise that the layers cause whose error is known.
	Coverage tensor.Number `json:"coverage"`
	// Correlation is the rank correlation of estimates and measurements; NaN if there are too few.
	Correlation tensor.Number `json:"rank_correlation"`
	// Stopped says why not all layers were measured, or "".
	Stopped string   `json:"stopped,omitempty"`
	Notes   []string `json:"notes"`
	reporting.Kept
}

func newReport(mode string, c *candidates) *Report {
	return &Report{Schema: "lathe.quantize-sensitivity/1", Mode: mode, Layers: c.layers, LeftOut: reporting.OrEmpty(c.leftOut), Notes: []string{}}
}

// fed notes what the model runs on.
func (r *Report) fed(s *Sensitivity, on *Reference) {
	r.Cases, r.Notes = len(on.Cases.Cases), reporting.OrEmpty(slices.Clone(on.Cases.Notes))
	r.Inputs = on.Inputs(&s.Quant)
}

// settle sorts the layers and counts them.
func (r *Report) settle() *Report {
	r.Layers = slices.Clone(r.Layers)
	rank(r.Layers)
	r.Measured, r.Failed = 0, 0
	for _, l := range r.Layers {
		switch {
		case l.Cost != nil:
			r.Measured++
		case l.Failed != "":
			r.Failed++
		}
	}
	r.Coverage, r.Correlation = tensor.Number(coverage(r.Layers)), tensor.Number(estimateCorrelation(r.Layers))
	return r
}

// WriteText implements session.Report.
func (r *Report) WriteText(w io.Writer) error {
	fmt.Fprintln(w, r.headline())
	t := text.Table{Titles: []string{"node", "op", ">SNR", ">relative error", ">max error", ">saves", ">time", ""}}
	for _, l := range r.Layers {
		t.Add(l.row()...)
	}
	t.DropEmpty()
	if err := t.WriteText(w, "  "); err != nil {
		return err
	}
	p := text.NewPrinter(w)
	for _, line := range r.remarks() {
		p.Line("%s", text.CleanLine(line))
	}
	r.Kept.Print(p)
	return p.Err()
}

// headline says what was done.
func (r *Report) headline() string {
	out := fmt.Sprintf("%s, each quantized alone by mode %s: ", text.Plural(len(r.Layers), "node"), r.Mode)
	if r.Inputs == "" {
		return out + "errors estimated from the weights, marked ~"
	}
	out += fmt.Sprintf("errors of %d measured on %s, %s", r.Measured, r.Inputs, text.Plural(r.Cases, "case"))
	if r.Reused > 0 {
		out += fmt.Sprintf("; %d of them earlier", r.Reused)
	}
	if r.Measured+r.Failed < len(r.Layers) {
		out += "; ~ marks estimates"
	}
	return out
}

// remarks returns the lines below the table.
func (r *Report) remarks() (out []string) {
	if r.Stopped != "" {
		rest := len(r.Layers) - r.Measured - r.Failed
		out = append(out, fmt.Sprintf("not measured: %s, because %s; the next run measures the rest", text.Plural(rest, "node"), r.Stopped))
		if c := float64(r.Coverage); !math.IsNaN(c) {
			out = append(out, fmt.Sprintf("the nodes that were measured cause %.0f %% of the estimated noise", 100*c))
		}
	}
	if c := float64(r.Correlation); !math.IsNaN(c) {
		out = append(out, fmt.Sprintf("rank correlation of estimates and measurements: %.2f", c))
	}
	if len(r.LeftOut) > 0 {
		out = append(out, fmt.Sprintf("%s not quantized by mode %s; --json lists the reasons", text.Plural(len(r.LeftOut), "node"), r.Mode))
	}
	for _, n := range r.Notes {
		out = append(out, "note: "+n)
	}
	return out
}

// row returns the cells of a layer.
func (l *Layer) row() []any {
	name := l.Node
	if l.Place != "" {
		name = l.Place + " › " + l.Node
	}
	if l.Node == "" {
		name += fmt.Sprintf("node %d", l.Index)
	}
	snr, rel, most, elapsed, remark := "~"+compare.Decibels(float64(l.Estimated)), "", "", "", ""
	if c := l.Cost; c != nil {
		snr, rel, most = compare.Decibels(float64(c.SNR)), fmt.Sprintf("%.2g %%", 100*float64(c.RelErr)), fmt.Sprintf("%.2g", float64(c.MaxAbs))
	}
	if t := l.Time; t != nil {
		elapsed = fmt.Sprintf("× %.3g", float64(t.Ratio))
		if !t.Significant {
			elapsed = "not certain at 99 %"
		}
	}
	if l.Shared > 0 {
		remark = fmt.Sprintf("with %s that read the same weight", text.Plural(l.Shared, "other node"))
	}
	if l.Failed != "" {
		remark = l.Failed
	}
	saves := ""
	if l.BytesSaved != 0 {
		saves = text.Bytes(l.BytesSaved)
	}
	return []any{name, l.Op, snr, rel, most, saves, elapsed, remark}
}
