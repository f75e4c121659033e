package accuracy

import (
	"fmt"
	"io"
	"strings"

	"lathe/graphops"
	"lathe/session/proportion"
	"lathe/session/reporting"
	"lathe/session/text"
)

// WriteText implements session.Report.
func (r *Report) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("%s", text.CleanLine(r.Headline))
	p.Line("")
	p.Table(r.table())
	r.writeDifference(p, "top-1", r.Top1)
	r.writeDifference(p, "top-5", r.Top5)
	r.Texts.write(p)
	r.writeData(p)
	r.writeRan(p)
	for _, n := range r.Notes {
		p.Line("note: %s", text.CleanLine(n))
	}
	r.Kept.Print(p)
	return p.Err()
}

// table has what was measured of each model.
func (r *Report) table() text.Table {
	t := text.Table{Titles: []string{"", "model", ">top-1", "95 % interval", ">top-5", "95 % interval", ">perplexity", ">next token", "95 % interval", ">score"}}
	for i := range r.Models {
		m := &r.Models[i]
		row := []any{"", m.Model}
		if len(r.Models) > 1 {
			row[0] = r.letter(i)
		}
		for _, s := range []*proportion.Share{m.Top1, m.Top5} {
			row = append(row, shareCells(s)...)
		}
		if m.Text == nil {
			row = append(row, "", "", "")
		} else {
			row = append(append(row, fmt.Sprintf("%.4f", float64(m.Text.Perplexity))), shareCells(&m.Text.Next)...)
		}
		t.Add(append(row, scoreOf(m))...)
	}
	t.DropEmpty()
	return t
}

func shareCells(s *proportion.Share) []any {
	if s == nil {
		return []any{"", ""}
	}
	return []any{percent(s.Share), interval(s.Low, s.High)}
}

func (r *Report) writeDifference(p *text.Printer, what string, d *proportion.Difference) {
	if d == nil {
		return
	}
	if d.OnlyA+d.OnlyB == 0 {
		p.Line("%s is right in the same rows (95 %% interval of the difference %s to %s points)", what, points(d.Low), points(d.High))
		return
	}
	p.Line("%s of b less that of a: %s points (95 %% interval %s to %s); right only in a: %s, only in b: %s; McNemar's test (%s): p = %.2g",
		what, points(d.Difference), points(d.Low), points(d.High), text.Count(d.OnlyA), text.Count(d.OnlyB), d.Test, float64(d.P))
}

// mostNames is how many names of classes are shown.
const mostNames = 8

// writeData writes where rows and labels come from, and what was assumed about images.
func (r *Report) writeData(p *text.Printer) {
	if r.Data == "" {
		return
	}
	from := fmt.Sprintf("data: %s", text.Clean(r.Data))
	if r.Labels != "" {
		from += fmt.Sprintf("; %s with labels from %s", text.Plural(int(r.Rows), "row"), text.Clean(r.Labels))
	}
	p.Line("%s", from)
	if n := len(r.Classes); n > 0 {
		names := graphops.QuoteNames(r.Classes[:min(n, mostNames)])
		if n > mostNames {
			names += ", …"
		}
		p.Line("%s in the order of %s: %s", text.Count(int64(n))+" classes", text.Clean(r.ClassOrder), text.CleanLine(names))
	}
	if r.Picture != "" {
		p.Line("images: such as %s%s", text.CleanLine(r.Picture), r.plain())
	}
	for i := range r.Models {
		if m := &r.Models[i]; m.Output != "" {
			p.Line("scores of %s: output %s", r.letter(i), graphops.ShortQuoted(m.Output))
		}
	}
}

// plain states the normalization of images that nobody asked for.
func (r *Report) plain() string {
	var defaults []string
	for _, d := range [][2]string{{", mean ", "mean 0"}, {", std ", "std 1"}} {
		if !strings.Contains(r.Picture, d[0]) {
			defaults = append(defaults, d[1])
		}
	}
	if strings.Contains(r.Picture, " bilinear") && !strings.Contains(r.Picture, " in the middle") {
		defaults = append(defaults, "stretched")
	}
	if len(defaults) == 0 {
		return ""
	}
	return "; " + strings.Join(defaults, ", ") + " by default"
}

// writeRan writes what ran the models, in one line if it is the same.
func (r *Report) writeRan(p *text.Printer) {
	a := r.Models[0].Ran
	if len(r.Models) == 1 || a.String() == r.Models[1].Ran.String() {
		p.Line("ran on %s", a.String())
	} else {
		for i := range r.Models {
			p.Line("%s ran on %s", r.letter(i), r.Models[i].Ran.String())
		}
	}
	for i := range r.Models {
		reporting.WriteRefused(p, r.Models[i].Ran.Refused...)
	}
}
