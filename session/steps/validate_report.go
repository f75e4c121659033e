package steps

import (
	"io"
	"slices"

	"lathe/session/compare"
	"lathe/session/ort"
	"lathe/session/text"
)

// ValidateReport is what a comparison found.
type ValidateReport struct {
	Schema string `json:"schema"`
	*compare.Report
	Sides sides       `json:"sides"`
	Saved []savedCase `json:"failing_saved"`
	Notes []string    `json:"notes"`
}

// sides tell what ran each model.
type sides struct {
	A side `json:"a"`
	B side `json:"b"`
}

// side is what ran one of the models.
type side struct {
	Provider  string           `json:"ep_attached"`
	Refused   []ort.Refusal    `json:"ep_refused,omitempty"`
	NodesByEP map[string]int64 `json:"nodes_by_ep,omitempty"` // asked for beyond the CPU only
}

// WriteText implements session.Report.
func (r *ValidateReport) WriteText(w io.Writer) error {
	if err := r.Report.WriteText(w); err != nil {
		return err
	}
	p := text.NewPrinter(w)
	r.Sides.write(p)
	for _, c := range r.Saved {
		p.Line("case %q is saved; again: %s", text.Clean(c.Case), text.CleanLine(c.Again))
	}
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	return p.Err()
}

// write tells what ran the models, and what did not, once where it is the same.
func (s sides) write(p *text.Printer) {
	a, b := runBy(s.A.Provider, s.A.NodesByEP), runBy(s.B.Provider, s.B.NodesByEP)
	if a == b {
		p.Line("both ran by %s", a)
	} else {
		p.Line("a ran by %s", a)
		p.Line("b ran by %s", b)
	}
	writeRefused(p, slices.Concat(s.A.Refused, s.B.Refused)...)
}
