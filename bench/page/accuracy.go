package page

import (
	"fmt"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/session/text"
)

// accuracy adds a row for each model that was measured on known answers.
func (r *Report) accuracy(s *Section, x *store.Result) error {
	a, err := x.Accuracy()
	if err != nil {
		return err
	}
	p := Part{Title: "Accuracy", Notes: []string{text.CleanLine(a.Headline) + "."}, Table: Table{Titles: []string{"model", ">top-1", "95 % interval", ">top-5", "95 % interval", ">perplexity", ">score"}}}
	to := values{r, x}
	for _, m := range a.Models {
		row := append([]string{text.CleanLine(m.Model)}, shareCells(m.Top1)...)
		row = append(row, shareCells(m.Top5)...)
		var perplexity *bench.Number
		if m.Text != nil {
			perplexity = &m.Text.Perplexity
		}
		for _, v := range []struct {
			name string
			of   *bench.Number
		}{{"top-1", shareOf(m.Top1)}, {"top-5", shareOf(m.Top5)}, {"perplexity", perplexity}, {"score", m.Score}} {
			if v.of != nil {
				to.add(m.Model, "", v.name, floatOf(v.of), "")
			}
		}
		p.Table.add(append(row, number(perplexity), number(m.Score))...)
	}
	s.Parts = append(s.Parts, p)
	r.Findings = append(r.Findings, text.CleanLine(a.Headline)+".")
	return nil
}

func shareOf(s *store.Share) *bench.Number {
	if s == nil {
		return nil
	}
	return &s.Share
}

// shareCells are a share in percent and its interval.
func shareCells(s *store.Share) []string {
	if s == nil {
		return []string{"-", ""}
	}
	return []string{fmt.Sprintf("%.2f %%", 100*float64(s.Share)), fmt.Sprintf("%.2f to %.2f %%", 100*float64(s.Low), 100*float64(s.High))}
}
