package steps

import (
	"fmt"
	"io"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/proof"
	"lathe/session/text"
)

// proofReport is what running a changed model beside its original showed.
type proofReport struct {
	Seeds     int              `json:"seeds"` // inputs that were tried
	Sizes     map[string]int64 `json:"sizes"`
	Outputs   []provedOutput   `json:"outputs"`
	BitsEqual bool             `json:"bits_equal"` // of all outputs
	LeftOut   []passLeftOut    `json:"left_out"`
	// Note says what was not shown, or "".
	Note string `json:"note"`

	proved bool
}

// isDoubtful reports whether a proof was tried and showed nothing.
func (r *proofReport) isDoubtful() bool { return r != nil && !r.proved }

// doubt is what the first line says of a model that was to be proved and is not, "" of others.
func (r *proofReport) doubt() string {
	if r.isDoubtful() {
		return notProved
	}
	return ""
}

// notProved ends the line of such a model.
const notProved = "; not proved"

// provedOutput is how far an output is from the original's.
type provedOutput struct {
	Name   string        `json:"name"`
	MaxAbs tensor.Number `json:"max_abs"`
	MaxRel tensor.Number `json:"max_rel"`
	Equal  bool          `json:"equal"` // all bits
	// Rounding is how far the original is from itself where it is rounded otherwise; null
	// where nothing had to be excused by that.
	Rounding *tensor.Number `json:"rounding"`
	// Note says why nothing was shown of it, or "".
	Note string `json:"note"`

	unsteady bool // not compared
}

// passLeftOut is a pass without which the model was made.
type passLeftOut struct {
	Pass string `json:"pass"`
	Why  string `json:"why"`
}

func unprovedReport(why string) *proofReport {
	return &proofReport{Sizes: map[string]int64{}, Outputs: []provedOutput{}, LeftOut: []passLeftOut{}, Note: why}
}

func newProofReport(s *proof.Sound) *proofReport {
	r := unprovedReport("")
	r.proved = len(s.Near.Compared()) > 0
	r.Seeds, r.Sizes, r.BitsEqual = s.Near.Seeds, s.Near.Sizes, s.Near.BitsEqual()
	var notes []string
	if s.Near.Slow {
		notes = append(notes, "a single input was tried, since the original takes long for one")
	}
	for _, d := range s.Near.Outputs {
		o := provedOutput{Name: d.Output, MaxAbs: tensor.Number(d.MaxAbs), MaxRel: tensor.Number(d.MaxRel), Equal: d.BitsEqual}
		if d.Rounding != nil {
			n := tensor.Number(d.Rounding.MaxAbs)
			o.Rounding = &n
		}
		switch {
		case d.Unsteady:
			o.Equal, o.unsteady, o.Note = false, true, "not compared: the original gives something else in each run"
		case d.Silent != "":
			o.Note = fmt.Sprintf("shows little: every element is %s on all inputs", d.Silent)
		case d.Faint:
			o.Note = "shows little: the generated inputs move it by less than a thousandth"
		}
		if o.Note != "" {
			notes = append(notes, fmt.Sprintf("output %q: %s", d.Output, o.Note))
		}
		r.Outputs = append(r.Outputs, o)
	}
	for _, l := range s.LeftOut {
		r.LeftOut = append(r.LeftOut, passLeftOut{l.Pass, whyLeftOut(l)})
	}
	if r.Note = strings.Join(notes, "; "); !r.proved {
		r.Note = "not proved: " + r.Note
	}
	return r
}

func whyLeftOut(l proof.LeftOut) string {
	if l.Difference == nil {
		return "not examined: the search for what differs took too many tries"
	}
	return "with it the model " + l.Difference.String()
}

// writeText writes a line on what was shown, one for each pass that was left out, and one
// on what was not shown.
func (r *proofReport) writeText(w io.Writer) {
	if r == nil {
		return
	}
	if r.proved {
		fmt.Fprintln(w, text.CleanLine("proved: "+r.shown()))
	}
	for _, l := range r.LeftOut {
		fmt.Fprintln(w, text.CleanLine(fmt.Sprintf("left out: %s: %s", l.Pass, l.Why)))
	}
	if r.Note != "" {
		fmt.Fprintln(w, text.CleanLine(r.Note))
	}
}

// shown tells how near the outputs are.
func (r *proofReport) shown() string {
	on := ""
	if r.Seeds > 0 {
		on = " on " + text.Plural(r.Seeds, "generated input")
	}
	if len(r.Sizes) > 0 {
		on += " at " + proof.FormatSizes(r.Sizes)
	}
	worst, own := -1, []string{}
	for i, o := range r.Outputs {
		if !o.unsteady && !o.Equal && (worst < 0 || o.MaxRel > r.Outputs[worst].MaxRel) {
			worst = i
		}
		if o.Rounding != nil {
			own = append(own, o.Name)
		}
	}
	if worst < 0 {
		return "the same bits" + on
	}
	o := r.Outputs[worst]
	line := fmt.Sprintf("within rounding%s: largest difference %.1e of %q, relative %.1e", on, float64(o.MaxAbs), o.Name, float64(o.MaxRel))
	if len(own) > 0 {
		line += fmt.Sprintf("; %s no farther from the original than that is from itself when it is rounded otherwise", graphops.QuoteNames(own))
	}
	return line
}
