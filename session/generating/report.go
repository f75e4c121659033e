package generating

import (
	"fmt"
	"strings"

	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/text"
)

// Report is the result of a comparison of what two sides generate.
type Report struct {
	compare.Judged
	Headline string         `json:"headline"` // without the verdict
	Tokens   int            `json:"tokens"`   // for each prompt
	Prompts  []PromptReport `json:"prompts"`
	// Agreement and KL compare the scores if both sides get the tokens that A chooses. Largest is the
	// largest difference of a score.
	Agreement Agreement     `json:"agreement"`
	KL        Divergence    `json:"kl"`
	Largest   tensor.Number `json:"largest_score_difference"`
	// NotNumbers counts positions whose scores are NaN or infinite.
	NotNumbers   NotNumbers       `json:"not_numbers"`
	Tolerance    tensor.Tolerance `json:"tolerance"`
	ToleranceWhy string           `json:"tolerance_why"`
	Assumed      []string         `json:"assumed"`
}

// PromptReport is what both sides generate from a prompt.
type PromptReport struct {
	Name   string  `json:"name"`
	Prompt []int64 `json:"prompt"`
	A      []int64 `json:"a"`
	B      []int64 `json:"b"`
	// Scored is how many positions of the prompt have scores; the last one chooses the first token.
	Scored int `json:"scored"`
	// Differs is the first token that differs, and Beyond the first one that rounding does not explain
	// while both sides get A's tokens. They are null if no token does.
	Differs *Difference `json:"differs"`
	Beyond  *Difference `json:"beyond_rounding"`
}

// Difference is a position at which the sides prefer different tokens after the same ones.
type Difference struct {
	Place
	A Choice `json:"a"`
	B Choice `json:"b"`
	// Scores has for either side the score of A's token and that of B's.
	Scores [2][2]tensor.Number `json:"scores"`
	// Error is the largest difference of these scores between the sides, and Used how many times the
	// tolerance it is. Rounding explains it if that is at most 1.
	Error    tensor.Number `json:"error"`
	Used     tensor.Number `json:"tolerance_used"`
	Rounding bool          `json:"rounding"`
}

// Choice is the token that a side prefers. Margin is by how much its score is above the second one, and
// Over above that of the other side's token.
type Choice struct {
	Token  int64         `json:"token"`
	Margin tensor.Number `json:"margin"`
	Over   tensor.Number `json:"over_other"`
}

// NotNumbers counts positions whose scores are NaN or infinite. First is where the first one is.
type NotNumbers struct {
	A     int    `json:"a"`
	B     int    `json:"b"`
	First *Place `json:"first"`
}

func (n *NotNumbers) add(sides [2]bool, at Place) {
	if sides[0] {
		n.A++
	}
	if sides[1] {
		n.B++
	}
	if n.First == nil {
		n.First = &at
	}
}

func newReport(o Options) *Report {
	return &Report{Tokens: o.Tokens, Prompts: []PromptReport{}, Assumed: []string{}, Tolerance: o.Tolerance, ToleranceWhy: o.Why}
}

// judge decides the verdict and writes the headline.
func (r *Report) judge() {
	same, ties := 0, 0
	var beyond *PromptReport
	for i := range r.Prompts {
		switch p := &r.Prompts[i]; {
		case p.Beyond != nil:
			if beyond == nil {
				beyond = p
			}
		case p.Differs != nil:
			ties++
		default:
			same++
		}
	}
	verdict, words := compare.Pass, ""
	switch {
	case r.NotNumbers.A > 0:
		verdict, words = compare.Undecided, fmt.Sprintf("the scores of a are NaN or infinite at %s", text.Plural(r.NotNumbers.A, "position"))
	case r.NotNumbers.B > 0:
		verdict, words = compare.Fail, fmt.Sprintf("the scores of b are NaN or infinite at %s, and those of a are finite", text.Plural(r.NotNumbers.B, "position"))
	case beyond != nil:
		verdict, words = compare.Fail, beyond.words()
	case ties > 0:
		words = fmt.Sprintf("the same %d tokens of %s of %d; in the others both tokens are equally good within the tolerance", r.Tokens, text.Plural(same, "prompt"), len(r.Prompts))
	default:
		words = fmt.Sprintf("the same %s of %s", text.Plural(r.Tokens, "token"), text.Plural(len(r.Prompts), "prompt"))
	}
	r.Judged, r.Headline = verdict.Judged(), words
}

// words says where the tokens of a prompt differ, and that rounding does not explain it.
func (p *PromptReport) words() string {
	what := "first at token"
	if p.Differs != p.Beyond {
		what = "after the same tokens at token"
	}
	return fmt.Sprintf("the tokens differ, %s %d of %s: %s", what, p.Beyond.Generated, text.Clean(p.Name), p.Beyond)
}

// String describes a difference, safe to print.
func (d *Difference) String() string {
	s := fmt.Sprintf("a prefers %d over %d by %.3g, b prefers %d over %d by %.3g; these scores differ by %.3g, ",
		d.A.Token, d.B.Token, float64(d.A.Over), d.B.Token, d.A.Token, float64(d.B.Over), float64(d.Error))
	if d.Rounding {
		return s + "which rounding explains"
	}
	return s + fmt.Sprintf("%.3g times the tolerance", float64(d.Used))
}

// list writes tokens as "1 2 3".
func list(tokens []int64) string {
	return strings.Trim(fmt.Sprint(tokens), "[]")
}
