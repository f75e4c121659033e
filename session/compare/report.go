package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops/dim"
	"lathe/graphops/tensor"
	"lathe/session/inputs"
	"lathe/session/text"
)

// Report is the result of a comparison, with the keys of `lathe validate --json`.
type Report struct {
	A     string       `json:"a"`
	B     string       `json:"b"`
	Cases []CaseResult `json:"cases"` // the worst first
	// Outputs has the worst case of each output. Only ArgmaxAgree, ArgmaxRows, TopKAgree, TopKRows,
	// SNRAll and the verdict are about all cases together.
	Outputs  []OutputResult `json:"outputs"`
	Pairs    []Pair         `json:"pairs"`
	Accuracy []Accuracy     `json:"accuracy"`
	Findings []Finding      `json:"findings"`
	// FirstDivergence is nil unless the values inside the models were compared too.
	FirstDivergence *Divergence `json:"first_divergence"`
	Judged
	// Headline begins with the verdict and says in one line what decided it, and by what margin.
	Headline string `json:"headline"`

	neither error            // see NoCaseRan
	unrun   map[string]error // see RanOnNeither
}

// Divergence is the first value of the graph in which two models differ.
type Divergence struct {
	Node  string `json:"node"`
	Value string `json:"value"`
}

// Finding is something worth reporting that is not a comparison of numbers, such as a case that did
// not run or an output without a counterpart.
type Finding struct {
	Case   string `json:"case"`   // empty for all cases
	Output string `json:"output"` // empty for all outputs
	Side   string `json:"side"`   // "a", "b", "both", or "" for neither
	Reason string `json:"reason"`
	// Decisive is set if this finding alone makes the comparison fail.
	Decisive bool `json:"decisive"`
	// NotRun is set if the case was left out.
	NotRun bool `json:"not_run"`
	// Unread is set if no elements of the output could be read, so that it was not compared.
	Unread bool `json:"unread"`
}

// CaseResult is one case: its inputs and how the outputs compare.
type CaseResult struct {
	Name    string         `json:"name"`
	Family  string         `json:"family"` // the inputs.Family; empty for data
	Inputs  []Input        `json:"inputs"`
	Outputs []OutputResult `json:"outputs"` // empty if a side could not run the case
	// Judged is the verdict for this case alone. Judgements over all cases together, such as that
	// of classes, are not included.
	Judged

	family inputs.Family
	ran    bool
	used   float64 // the largest strain of an output
}

// Input describes the value of an input.
type Input struct {
	Name  string  `json:"name"`
	Type  string  `json:"type"`
	Shape []int64 `json:"shape"`
	// Source is "generated", or the name of a file. What describes the value, such as "integers 0
	// to 9", and Why says why it was chosen.
	Source string `json:"source"`
	What   string `json:"what"`
	Why    string `json:"why"`
}

// OutputResult is the comparison of one output in one case. The numbers are those of
// tensor.Metrics. A number that cannot be computed, as for strings, is null in JSON.
type OutputResult struct {
	Name  string  `json:"name"`
	Case  string  `json:"case"`
	Type  string  `json:"type"` // element type in A
	Shape []int64 `json:"shape"`

	MaxAbs   *tensor.Number `json:"max_abs"`
	MaxRel   *tensor.Number `json:"max_rel"`
	MeanAbs  *tensor.Number `json:"mean_abs"`
	MeanRel  *tensor.Number `json:"mean_rel"`
	RelFloor *tensor.Number `json:"rel_floor"`
	RMS      *tensor.Number `json:"rms"`
	Cosine   *tensor.Number `json:"cosine"`
	SNR      *tensor.Number `json:"snr_db"`
	SNRAll   *tensor.Number `json:"snr_db_all"` // over all cases; null in a single case

	// LeftOut is how many rows were not compared, because the mask of the case leaves them out.
	LeftOut       int64          `json:"rows_left_out,omitempty"`
	Mismatched    int64          `json:"mismatched"`
	Share         *tensor.Number `json:"mismatched_share"` // fraction of the total
	Total         int64          `json:"total"`
	NaN           int64          `json:"nan"`
	Inf           int64          `json:"inf"`
	NaNMismatched int64          `json:"nan_mismatched"`
	InfMismatched int64          `json:"inf_mismatched"`

	// Units in the last place, as tensor.ULP counts them; null if the types differ.
	ULPMax    *tensor.Number `json:"ulp_max"`
	ULPMean   *tensor.Number `json:"ulp_mean"`
	ULPMedian *tensor.Number `json:"ulp_median"`
	ULPP99    *tensor.Number `json:"ulp_p99"`

	ArgmaxAgree *tensor.Number `json:"argmax_agree"` // fraction of rows
	ArgmaxRows  int64          `json:"argmax_rows"`
	// TopKAgree is the fraction of rows in which the highest score of a is among the tensor.TopK
	// highest of b.
	TopKAgree *tensor.Number `json:"topk_agree"`
	TopKRows  int64          `json:"topk_rows"`

	// ToleranceUsed is the largest fraction of the tolerance that an element uses.
	ToleranceUsed *tensor.Number   `json:"tolerance_used"`
	Worst         *Worst           `json:"worst"` // the element that uses most of it
	Tolerance     tensor.Tolerance `json:"tolerance"`
	Own           *Rounding        `json:"own_rounding"`  // A's own rounding error, if it was computed
	Why           string           `json:"tolerance_why"` // for example "f32 after a reduction, MatMul"
	Rule          string           `json:"rule"`          // one of the Rule constants
	Reason        string           `json:"reason"`        // why it was not compared, or ""
	Unjudged      string           `json:"unjudged"`      // why the comparison decides nothing, or ""
	Judged

	used float64
	// draws is the random operator because of which the output differs in every run on these
	// inputs, or "" if there is none.
	draws string
}

// Worst is the element that uses the largest fraction of the tolerance. For complex numbers the
// index has one more number, for the real or the imaginary part.
type Worst struct {
	Index []int64 `json:"index"`
	A     Element `json:"a"`
	B     Element `json:"b"`
}

// Element is a number or a text, and is written to JSON as such.
type Element struct {
	Number tensor.Number
	Text   *string // nil for a number
}

// MarshalJSON implements json.Marshaler.
func (e Element) MarshalJSON() ([]byte, error) {
	if e.Text != nil {
		return json.Marshal(*e.Text)
	}
	return json.Marshal(e.Number)
}

// String writes a number with the digits of a float32, and a text in quotes.
func (e Element) String() string {
	if e.Text != nil {
		return fmt.Sprintf("%.40q", *e.Text)
	}
	return fmt.Sprintf("%.8g", float64(e.Number))
}

// NotRun returns a report about models that were not run. reason says why; it must be safe to
// print.
func NotRun(a, b string, v Verdict, reason string) *Report {
	r := emptyReport(a, b)
	r.Settle(v, reason)
	return r
}

// Settle sets the verdict of the whole comparison. reason says what decided it; it must be safe to
// print.
func (r *Report) Settle(v Verdict, reason string) {
	r.Judged, r.Headline = v.Judged(), string(v)+": "+reason
}

// At appends to the headline the sizes of the free axes in the cases.
func (r *Report) At(sizes dim.Sizes) {
	if at := sizes.At(); at != "" {
		r.Headline += ";" + text.CleanLine(at)
	}
}

// NoCaseRan returns the error if no case ran on either side, and nil if some case did.
func (r *Report) NoCaseRan() error { return r.neither }

// RanOnNeither returns the error if neither side ran this case, and nil otherwise.
func (r *Report) RanOnNeither(one inputs.Case) error { return r.unrun[one.Name] }

func newReport(a, b Executor) *Report { return emptyReport(a.Name(), b.Name()) }

func emptyReport(a, b string) *Report {
	return &Report{
		A: a, B: b, unrun: map[string]error{},
		Cases: []CaseResult{}, Outputs: []OutputResult{}, Pairs: []Pair{}, Accuracy: []Accuracy{}, Findings: []Finding{},
	}
}

// describe lists the inputs of a case, sorted by name.
func describe(one inputs.Case) []Input {
	out := []Input{}
	for _, name := range slices.Sorted(maps.Keys(one.Feeds)) {
		v := one.Feeds[name]
		input := Input{Name: name, Type: v.Type.String()}
		if v.IsTensor() {
			input.Shape = shapeOf(v.Tensor)
		}
		if i := slices.IndexFunc(one.Fed, func(f inputs.Fed) bool { return f.Name == name }); i >= 0 {
			input.Source, input.What, input.Why = one.Fed[i].Source, one.Fed[i].What, one.Fed[i].Why
		}
		out = append(out, input)
	}
	return out
}

// shapeOf returns the shape of a tensor. It is never nil, because JSON would then have null, which
// means an unknown rank.
func shapeOf(t tensor.Tensor) []int64 {
	return append([]int64{}, t.Shape...)
}

// fill copies the numbers of a comparison into the result.
func (r *OutputResult) fill(m tensor.Metrics) {
	r.Total, r.Mismatched = m.Total, m.Mismatched
	if m.Total > 0 {
		r.Share = number(float64(m.Mismatched) / float64(m.Total))
	}
	r.NaN, r.Inf, r.NaNMismatched, r.InfMismatched = m.NaN, m.Inf, m.NaNMismatched, m.InfMismatched
	text := r.Type == tensor.String.String()
	if m.Worst != nil {
		r.Worst = &Worst{Index: m.Worst.Index, A: Element{Number: tensor.Number(m.Worst.A)}, B: Element{Number: tensor.Number(m.Worst.B)}}
		if text {
			r.Worst.A.Text, r.Worst.B.Text = &m.Worst.TextA, &m.Worst.TextB
		}
	}
	if text {
		return
	}
	r.used, r.ToleranceUsed = m.Used, number(m.Used)
	r.MaxAbs, r.MeanAbs = number(m.MaxAbs), number(m.MeanAbs)
	r.MaxRel, r.MeanRel, r.RelFloor = number(m.MaxRel), number(m.MeanRel), number(m.RelFloor)
	r.RMS, r.Cosine, r.SNR = number(m.RMS), number(m.Cosine), number(m.SNR)
	if u := m.ULP; u != nil {
		r.ULPMax, r.ULPMean = number(float64(u.Max)), number(u.Mean)
		r.ULPMedian, r.ULPP99 = number(float64(u.Median)), number(float64(u.P99))
	}
	r.setRows(m.ArgmaxAgree, m.ArgmaxRows, m.TopKAgree, m.TopKRows)
}

// setRows sets the fraction of rows in which both sides choose the same class, and the fraction of
// rows in which the class that A chooses is among the highest of B.
func (r *OutputResult) setRows(agree, rows, among, topRows int64) {
	r.ArgmaxRows, r.ArgmaxAgree, r.TopKRows, r.TopKAgree = rows, nil, topRows, nil
	if rows > 0 {
		r.ArgmaxAgree = number(float64(agree) / float64(rows))
	}
	if topRows > 0 {
		r.TopKAgree = number(float64(among) / float64(topRows))
	}
}

func number(f float64) *tensor.Number {
	n := tensor.Number(f)
	return &n
}
