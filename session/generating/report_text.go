package generating

import (
	"fmt"

	"lathe/session/text"
)

// WriteDetails writes what led to the headline for people.
func (r *Report) WriteDetails(p *text.Printer) {
	t := text.Table{Titles: []string{"prompt", "tokens", "generated", "first other token", "margin of a", "margin of b"}}
	for i := range r.Prompts {
		x := &r.Prompts[i]
		row := []any{text.Clean(x.Name), len(x.Prompt), len(x.A), "–", "–", "–"}
		if d := x.Differs; d != nil {
			row[3] = fmt.Sprintf("%d: %d, %d", d.Generated, d.A.Token, d.B.Token)
			row[4], row[5] = fmt.Sprintf("%.3g", float64(d.A.Margin)), fmt.Sprintf("%.3g", float64(d.B.Margin))
		}
		t.Add(row...)
	}
	p.Table(t)
	for i := range r.Prompts {
		r.Prompts[i].write(p)
	}
	r.writeScores(p)
	for _, a := range r.Assumed {
		p.Line("assumed: %s", text.CleanLine(a))
	}
}

// write writes the difference of a prompt, with the tokens around it.
func (x *PromptReport) write(p *text.Printer) {
	if x.Differs == nil {
		return
	}
	p.Line("%s, token %d: %s", text.Clean(x.Name), x.Differs.Generated, x.Differs)
	from, to := max(0, x.Differs.Generated-1-before), min(len(x.A), x.Differs.Generated+behind)
	p.Line("  a: … %s …", list(x.A[from:to]))
	p.Line("  b: … %s …", list(x.B[from:to]))
	if x.Beyond != nil && x.Beyond != x.Differs {
		p.Line("%s, token %d after the tokens of a: %s", text.Clean(x.Name), x.Beyond.Generated, x.Beyond)
	}
}

// before and behind are how many tokens around a difference are shown.
const before, behind = 3, 5

// writeScores writes how the scores compare if both sides get the tokens of A.
func (r *Report) writeScores(p *text.Printer) {
	a := r.Agreement
	p.Line("with the tokens of a, the best token is the same at %d of %s: %.4g %% (95 %% interval %.4g to %.4g %%)",
		a.Same, text.Plural(a.Of, "position"), 100*float64(a.Share), 100*float64(a.Low), 100*float64(a.High))
	k := r.KL
	if k.Positions > 0 {
		line := fmt.Sprintf("divergence KL(a‖b) of the scores: mean %.3g, 99 %% at most %.3g, largest %.3g nats", float64(k.Mean), float64(k.P99), float64(k.Max))
		if k.Max > 0 {
			line += " at " + r.placed(k.MaxAt)
		}
		p.Line("%s; the largest difference of a score is %.3g", line, float64(r.Largest))
	}
	if n := r.NotNumbers; n.First != nil {
		p.Line("scores are NaN or infinite at %s of a and %d of b, first at %s", text.Plural(n.A, "position"), n.B, r.placed(*n.First))
	}
	p.Line("tolerance of a score: rtol %g atol %.3g (%s)", r.Tolerance.RTol, r.Tolerance.ATol, text.CleanLine(r.ToleranceWhy))
}

// placed names a place.
func (r *Report) placed(at Place) string {
	name := text.Clean(r.Prompts[at.Prompt].Name)
	if at.Generated == 0 {
		return fmt.Sprintf("position %d of %s, within the prompt", at.Position, name)
	}
	return fmt.Sprintf("token %d of %s", at.Generated, name)
}
