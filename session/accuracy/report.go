package accuracy

import (
	"fmt"

	"lathe/graphops/tensor"
	"lathe/session/proportion"
	"lathe/session/reporting"
	"lathe/session/sides"
	"lathe/session/text"
)

// Verdict says whether B is as good as A.
type Verdict string

// The verdicts. NoDifference means that the test does not find one. On few rows there can be one anyway.
const (
	Measured     Verdict = "measured" // there is one model, or no test
	NoDifference Verdict = "no difference"
	Better       Verdict = "better"
	Worse        Verdict = "worse"
)

// Report is the report of a measurement.
type Report struct {
	Schema   string        `json:"schema"`
	Verdict  Verdict       `json:"verdict"`
	Headline string        `json:"headline"`
	Models   []ModelReport `json:"models"`
	// Data and Labels are where they come from. Rows is how many were measured.
	Data   string `json:"data,omitempty"`
	Labels string `json:"labels,omitempty"`
	Rows   int64  `json:"rows"`
	// Classes are the names of the classes, in order, if the data has folders of them.
	Classes    []string `json:"class_names,omitempty"`
	ClassOrder string   `json:"class_order,omitempty"`
	// Picture says how the first image became the input of the model.
	Picture string `json:"picture,omitempty"`
	// Top1 and Top5 compare two models. They are nil if there is one, or if it was not measured.
	Top1  *proportion.Difference `json:"top1,omitempty"`
	Top5  *proportion.Difference `json:"top5,omitempty"`
	Texts *TextsReport           `json:"texts,omitempty"`
	Notes []string               `json:"notes"`
	reporting.Kept
}

// ModelReport is what was measured of one model.
type ModelReport struct {
	Model   string    `json:"model"`
	Ran     sides.Ran `json:"ran"`
	Output  string    `json:"output,omitempty"`
	Classes int64     `json:"classes,omitempty"` // 0 if the model returns the number of a class
	// Top1 are the rows whose label has the highest score, and Top5 those where it has one of the five
	// highest. Top5 is nil if there are not more than five classes.
	Top1 *proportion.Share `json:"top1,omitempty"`
	Top5 *proportion.Share `json:"top5,omitempty"`
	// Ties are rows where another class has the same score as the label and none a higher one.
	Ties       int64          `json:"ties"`
	NotNumbers int64          `json:"not_numbers"` // rows with a NaN, which count as wrong
	Score      *tensor.Number `json:"score,omitempty"`
	Text       *TextReport    `json:"text,omitempty"`
}

func newReport(models []*sides.Executor) *Report {
	r := &Report{Schema: "lathe.accuracy/1", Verdict: Measured, Notes: []string{}}
	for _, x := range models {
		r.Models = append(r.Models, ModelReport{Model: x.Path, Ran: x.Side})
	}
	return r
}

// take stores the counts of a model.
func (m *ModelReport) take(t tally) {
	first := proportion.Of(t.first, t.rows)
	m.Top1, m.Ties, m.NotNumbers = &first, t.ties, t.unusable
	if m.Classes > among {
		five := proportion.Of(t.five, t.rows)
		m.Top5 = &five
	}
}

// compare stores the tests of two models, and notes what is special about the counts.
func (r *Report) compare(first, five proportion.Pairs) {
	all := true
	for i, m := range r.Models {
		all = all && m.Top5 != nil
		if m.Classes > 0 && m.Classes <= among {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: top-5 is not counted, because there are only %d classes", r.letter(i), m.Classes))
		}
		if m.Ties > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: in %s another class has the highest score, too; of equal scores the class with the lower number comes first", r.letter(i), text.Plural(int(m.Ties), "row")))
		}
		if m.NotNumbers > 0 {
			r.Notes = append(r.Notes, fmt.Sprintf("%s: %s with a score that is NaN count as wrong", r.letter(i), text.Plural(int(m.NotNumbers), "row")))
		}
	}
	if len(r.Models) < 2 {
		return
	}
	d := first.Compare()
	r.Top1 = &d
	if all {
		d := five.Compare()
		r.Top5 = &d
	}
}

// letter names a model in a line: a or b, or by its path if it is alone.
func (r *Report) letter(i int) string {
	if len(r.Models) < 2 {
		return text.Clean(r.Models[i].Model)
	}
	return string(rune('a' + i))
}

// judge decides the verdict and writes the headline.
func (r *Report) judge() {
	switch {
	case r.Texts != nil:
		r.judgeTexts()
	case r.Top1 != nil:
		r.judgeRows()
	case r.Models[0].Top1 != nil:
		s := r.Models[0].Top1
		r.Headline = fmt.Sprintf("%s of %s right (95 %% interval %s)", percent(s.Share), text.Plural(int(s.Of), "row"), interval(s.Low, s.High))
	default:
		r.Headline = "score " + scoreOf(&r.Models[0])
		if len(r.Models) == 2 {
			r.Headline = fmt.Sprintf("score of a %s, of b %s; one number of each has no test, so this does not say whether they differ", scoreOf(&r.Models[0]), scoreOf(&r.Models[1]))
		}
	}
}

// judgeRows says that the models differ only if the test does.
func (r *Report) judgeRows() {
	a, b, d := r.Models[0].Top1, r.Models[1].Top1, r.Top1
	apart := fmt.Sprintf("%s right only in a and %s only in b", text.Plural(int(d.OnlyA), "row"), text.Count(d.OnlyB))
	if d.OnlyA+d.OnlyB == 0 {
		r.Verdict = NoDifference
		r.Headline = fmt.Sprintf("no difference: a and b are right in the same rows, %s of %s (95 %% interval %s)", percent(a.Share), text.Count(d.Of), interval(a.Low, a.High))
		return
	}
	if !d.Significant {
		r.Verdict = NoDifference
		r.Headline = fmt.Sprintf("no difference is shown: a is right in %s and b in %s of %s; %s can be chance (p = %.2g)", percent(a.Share), percent(b.Share), text.Plural(int(d.Of), "row"), apart, float64(d.P))
		return
	}
	if r.Verdict = Worse; d.Difference > 0 {
		r.Verdict = Better
	}
	r.Headline = fmt.Sprintf("b is %s: right in %s of %s, a in %s; %s (p = %.2g)", r.Verdict, percent(b.Share), text.Plural(int(d.Of), "row"), percent(a.Share), apart, float64(d.P))
}

// percent formats a share.
func percent(n tensor.Number) string { return fmt.Sprintf("%.2f %%", 100*float64(n)) }

// interval formats the ends of the interval of a share.
func interval(low, high tensor.Number) string {
	return fmt.Sprintf("%.2f to %.2f %%", 100*float64(low), 100*float64(high))
}

// points formats a difference of shares in percentage points.
func points(n tensor.Number) string { return fmt.Sprintf("%+.2f", 100*float64(n)) }

func scoreOf(m *ModelReport) string {
	if m.Score == nil {
		return ""
	}
	return fmt.Sprintf("%.6g", float64(*m.Score))
}
