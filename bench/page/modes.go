package page

import (
	"fmt"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/session/text"
)

// modes adds the table of the modes of quantization, and what it advises.
func (r *Report) modes(s *Section, x *store.Result) error {
	m, err := x.Modes()
	if err != nil {
		return err
	}
	p := Part{Title: "Modes", Table: Table{Titles: []string{"mode", ">size", ">p50", ">ratio", ">SNR", ">top-1", "95 % interval", "no result because"}}}
	for _, row := range append([]store.ModesRow{m.Original}, m.Rows[:min(len(m.Rows), mostRows)]...) {
		p.Table.add(modeCells(row)...)
	}
	p.Table.LeftOut = leftOut(len(m.Rows)+1, len(p.Table.Rows), "modes")
	for _, a := range m.Advice {
		said := a.Text
		if a.For != "" {
			said = "for " + a.For + " take " + a.Text
		}
		p.Notes = append(p.Notes, text.CleanLine(said)+".")
	}
	s.Parts = append(s.Parts, p)
	r.Findings = append(r.Findings, p.Notes...)
	return nil
}

func modeCells(row store.ModesRow) []string {
	out := []string{text.CleanLine(row.Mode), "", "", "", "", "-", "", text.CleanLine(row.Failed)}
	if row.Failed == "" {
		out[1] = text.Bytes(row.Bytes)
	}
	if t := row.Time; t != nil {
		out[2] = bench.MedianText(t.P50, t.CI95)
		if t.Ratio != nil {
			out[3] = fmt.Sprintf("%.2f", float64(*t.Ratio))
		}
	}
	if row.Error != nil && row.Error.SNR != nil {
		out[4] = fmt.Sprintf("%.1f dB", float64(*row.Error.SNR))
	}
	if row.Accuracy != nil {
		copy(out[5:7], shareCells(row.Accuracy.Top1))
	}
	return out
}
