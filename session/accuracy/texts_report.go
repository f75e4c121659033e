package accuracy

import (
	"fmt"
	"math"

	"lathe/graphops/tensor"
	"lathe/session/proportion"
	"lathe/session/text"
)

// TextReport is what a model says about the tokens of texts.
type TextReport struct {
	// Perplexity is e to the power of NLL, the mean negative logarithm of the probability of a token.
	Perplexity tensor.Number `json:"perplexity"`
	NLL        tensor.Number `json:"nll"`
	// Next are the tokens that the model prefers over all others.
	Next proportion.Share `json:"next"`
	// NotNumbers counts tokens before which the scores are NaN or infinite.
	NotNumbers int64 `json:"not_numbers"`
}

// TextsReport is about the texts, and compares two models.
type TextsReport struct {
	Source string `json:"source"`
	Texts  int    `json:"texts"`
	Tokens int64  `json:"tokens"` // that were scored
	Window int64  `json:"window"` // the longest piece that is read; 0 for no limit
	Cut    int    `json:"cut"`    // texts that are longer, and are read in pieces
	// LeftOut are tokens for which a model has no distribution. They count for neither model.
	LeftOut int64 `json:"left_out"`
	// Loss, Next and Agreement compare two models and are nil if there is one. Agreement is how often
	// both prefer the same token.
	Loss      *Loss                  `json:"loss,omitempty"`
	Next      *proportion.Difference `json:"next,omitempty"`
	Agreement *proportion.Share      `json:"agreement,omitempty"`
}

// report writes the counts into the report.
func (r *reading) report(of *Report) {
	t := of.Texts
	t.LeftOut = r.left
	for k, m := range r.models {
		nll := m.nll / float64(m.tokens)
		t.Tokens = m.tokens
		of.Models[k].Text = &TextReport{
			Perplexity: tensor.Number(math.Exp(nll)), NLL: tensor.Number(nll), Next: proportion.Of(m.right, m.tokens), NotNumbers: m.unusable,
		}
		if m.unusable > 0 {
			of.Notes = append(of.Notes, fmt.Sprintf("%s: the scores before %s are NaN or infinite; these tokens count for no model", of.letter(k), text.Plural(int(m.unusable), "token")))
		}
	}
	if len(r.models) == 2 && t.Tokens > 0 {
		loss, next, same := r.losses.summary(), r.pairs.Compare(), proportion.Of(r.same, t.Tokens)
		t.Loss, t.Next, t.Agreement = &loss, &next, &same
	}
}

// judgeTexts says that the models differ only if the interval of their difference does not contain 0.
func (r *Report) judgeTexts() {
	a, t := r.Models[0].Text, r.Texts
	switch {
	case t.Tokens == 0:
		r.Headline = "no token was measured: the scores are NaN or infinite"
		return
	case t.Loss == nil:
		r.Headline = fmt.Sprintf("perplexity %.4f over %s; the next token is the best one in %s (95 %% interval %s)", float64(a.Perplexity), text.Plural(int(t.Tokens), "token"), percent(a.Next.Share), interval(a.Next.Low, a.Next.High))
		return
	}
	b, l := r.Models[1].Text, t.Loss
	both := fmt.Sprintf("perplexity of a %.4f, of b %.4f over %s", float64(a.Perplexity), float64(b.Perplexity), text.Plural(int(t.Tokens), "token"))
	switch {
	case l.Groups < leastGroups:
		r.Verdict = NoDifference
		r.Headline = fmt.Sprintf("no difference is shown: %s; an interval needs %d %s, and there are %d", both, leastGroups, l.GroupsOf, l.Groups)
	case !l.Significant:
		r.Verdict = NoDifference
		r.Headline = fmt.Sprintf("no difference is shown: %s, a ratio of %s", both, ratio(l))
	default:
		if r.Verdict = Worse; l.Difference < 0 {
			r.Verdict = Better
		}
		r.Headline = fmt.Sprintf("b is %s: %s, a ratio of %s", r.Verdict, both, ratio(l))
	}
}

// ratio formats by which factor the perplexity of B is that of A.
func ratio(l *Loss) string {
	e := func(n tensor.Number) float64 { return math.Exp(float64(n)) }
	return fmt.Sprintf("%.5f (95 %% interval %.5f to %.5f)", e(l.Difference), e(l.Low), e(l.High))
}

// write writes how two models compare on texts.
func (t *TextsReport) write(p *text.Printer) {
	if t == nil {
		return
	}
	p.Line("texts: %s from %s, %s measured", text.Plural(t.Texts, "text"), text.Clean(t.Source), text.Plural(int(t.Tokens), "token"))
	if t.Loss == nil {
		return
	}
	p.Line("both prefer the same token in %s of %s (95 %% interval %s)", percent(t.Agreement.Share), text.Count(t.Agreement.Of), interval(t.Agreement.Low, t.Agreement.High))
	p.Line("next token right only in a: %s, only in b: %s; McNemar's test (%s, as if tokens were independent): p = %.2g", text.Count(t.Next.OnlyA), text.Count(t.Next.OnlyB), t.Next.Test, float64(t.Next.P))
	if t.Loss.Groups >= leastGroups {
		p.Line("the interval of the perplexities is from %d %s, which count as independent", t.Loss.Groups, t.Loss.GroupsOf)
	}
}
