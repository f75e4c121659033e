package measure

import (
	"fmt"
	"io"
	"math"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/reporting"
	"lathe/session/text"
)

// runReport is the report of a run.
type runReport struct {
	Schema    string           `json:"schema"`
	Case      string           `json:"case"`
	On        string           `json:"on,omitempty"` // the launcher, if it ran on another machine
	Provider  string           `json:"ep_attached"`
	Refused   []ort.Refusal    `json:"ep_refused,omitempty"`
	NodesByEP map[string]int64 `json:"nodes_by_ep,omitempty"` // nil if only the CPU was requested, without --where
	Inputs    []inputs.Fed     `json:"inputs"`
	Sizes     dim.Sizes        `json:"sizes,omitempty"` // sizes of dynamic axes
	Values    []valueReport    `json:"values"`
	Opt       string           `json:"opt"`               // the optimization level
	OptWhy    string           `json:"opt_why,omitempty"` // why, if it was not requested
	Placement *ort.Placement   `json:"placement,omitempty"`
	Notes     []string         `json:"notes"`
	Warnings  []string         `json:"warnings"` // of the runtime about the model
	Saved     string           `json:"saved,omitempty"`

	SavedInputs string `json:"saved_inputs,omitempty"`
}

// valueReport describes a value, or one of the tensors in a sequence, a map or an optional. The
// numbers are null for values that have none, such as strings. The first four are also null if no
// number is finite.
type valueReport struct {
	Name  string         `json:"name"`
	Type  string         `json:"type"`
	Shape graphops.Shape `json:"shape"`
	Items *int           `json:"items,omitempty"` // number of items of a value that is not a tensor
	Min   *tensor.Number `json:"min"`
	Max   *tensor.Number `json:"max"`
	Mean  *tensor.Number `json:"mean"`
	Std   *tensor.Number `json:"std"`
	NaN   *int64         `json:"nan"`
	Inf   *int64         `json:"inf"`
	Zeros *int64         `json:"zeros"`
	First []string       `json:"first"` // the first elements
	// Histogram covers the finite numbers. It is null without finite numbers.
	Histogram *tensor.Histogram `json:"histogram"`
	// Unable is the reason why some of these facts are missing, or "".
	Unable string `json:"unable,omitempty"`
}

// reportBars is the largest number of bars in a histogram.
const reportBars = 32

// describeValue makes a row for a tensor. For other values, it makes a row for the whole and one
// for each tensor in it.
func describeValue(g graphops.Got) []valueReport {
	var rows []valueReport
	switch {
	case g.Value.Type.Kind == graphops.TypeSparse:
		return []valueReport{{Name: g.Name, Type: g.Value.Type.String(), First: []string{}, Unable: "ONNX Runtime does not give the elements of sparse tensors to other programs"}}
	case !g.Value.IsTensor():
		n := len(g.Value.Items)
		rows = append(rows, valueReport{Name: g.Name, Type: g.Value.Type.String(), Items: &n, First: []string{}})
	}
	i := 0
	for at, t := range g.Value.Tensors() {
		v := valueReport{Name: g.Name + at, Type: t.DType.String(), Shape: graphops.FixedShape(t.Shape), First: []string{}}
		if i < len(g.Parts) { // a worker could leave them out
			v.fill(g.Parts[i])
		}
		rows = append(rows, v)
		i++
	}
	return rows
}

func (v *valueReport) fill(p graphops.Part) {
	v.Unable = p.Unable
	if p.First != nil {
		if texts, err := p.First.Texts(); err == nil {
			v.First = texts
		}
	}
	if s := p.Profile; s != nil {
		if !math.IsNaN(float64(s.Min)) {
			v.Min, v.Max, v.Mean, v.Std = &s.Min, &s.Max, &s.Mean, &s.Std
		}
		v.NaN, v.Inf, v.Zeros = &s.NaN, &s.Inf, &s.Zeros
		if len(s.Histogram.Counts) > 0 {
			bars := s.Histogram.Bars(reportBars)
			v.Histogram = &bars
		}
	}
}

// WriteText implements session.Report.
func (r *runReport) WriteText(w io.Writer) error {
	where := ""
	if r.On != "" {
		where = ", behind " + text.Clean(r.On)
	}
	p := text.NewPrinter(w)
	p.Line("ran on %s%s, by %s%s", text.Clean(r.Case), text.Clean(r.Sizes.At()), reporting.RunBy(r.Provider, r.NodesByEP), where)
	reporting.WriteRefused(p, r.Refused...)
	if r.OptWhy != "" {
		p.Line("optimization %s: %s", r.Opt, r.OptWhy)
	}
	if p.Err() != nil {
		return p.Err()
	}
	if len(r.Inputs) > 0 {
		if err := inputs.WriteFed(w, r.Inputs); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	t := text.Table{Titles: []string{"value", "type", "shape", ">min", ">max", ">mean", ">std", ">nan", ">inf", "first"}}
	for _, v := range r.Values {
		t.Add(v.row()...)
	}
	if err := t.WriteText(w, "  "); err != nil {
		return err
	}
	if r.Placement != nil {
		if err := reporting.WritePlacement(w, *r.Placement); err != nil {
			return err
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", text.CleanLine(n))
	}
	if r.SavedInputs != "" {
		fmt.Fprintf(w, "wrote the inputs to %s\n", text.Clean(r.SavedInputs))
	}
	if r.Saved != "" {
		fmt.Fprintf(w, "wrote %s\n", text.Clean(r.Saved))
	}
	return nil
}

// row returns the value's row in the table.
func (v valueReport) row() []any {
	if v.Items != nil {
		return []any{text.Clean(v.Name), v.Type, text.Plural(*v.Items, "item")}
	}
	row := []any{text.Clean(v.Name), v.Type, v.Shape, figure(v.Min), figure(v.Max), figure(v.Mean), figure(v.Std)}
	if v.NaN != nil {
		row = append(row, *v.NaN, *v.Inf)
	} else {
		row = append(row, "", "")
	}
	if v.Unable != "" {
		return append(row, text.CleanLine(v.Unable))
	}
	return append(row, v.firstElements())
}

// firstElements lists the first elements, short enough for a line.
func (v valueReport) firstElements() string {
	const room = 40
	var b strings.Builder
	for i, e := range v.First {
		e = text.CleanLine(e)
		if b.Len()+len(e) > room {
			return b.String() + " …"
		}
		if i > 0 {
			b.WriteString(" ")
		}
		b.WriteString(e)
	}
	if len(v.First) == shownElements {
		b.WriteString(" …")
	}
	return b.String()
}

// figure formats a number; null becomes "".
func figure(n *tensor.Number) string {
	if n == nil {
		return ""
	}
	return fmt.Sprintf("%.5g", float64(*n))
}
