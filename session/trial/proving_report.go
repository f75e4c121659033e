package trial

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lathe/graphops/tensor"
	"lathe/session/proof"
	"lathe/session/text"
)

// Proof is the result of running a changed model and its original.
type Proof struct {
	Verdict string `json:"verdict"` // "pass" or "undecided"; a model that differs is not made
	Pass    bool   `json:"pass"`
	Seeds   int    `json:"seeds"` // number of inputs that were tried
	// Inputs says where the inputs come from: "generated inputs", "the data" or "the inputs given".
	Inputs proof.Source `json:"inputs"`
	// Sizes are the sizes of symbols in the first input. OtherSizes are further sizes in later
	// inputs.
	Sizes      map[string]int64   `json:"sizes"`
	OtherSizes []map[string]int64 `json:"other_sizes"`
	Outputs    []provedOutput     `json:"outputs"`
	BitsEqual  bool               `json:"bits_equal"` // for all outputs
	LeftOut    []PassLeftOut      `json:"left_out"`
	// Note says what was not shown. It is "" if everything was.
	Note string `json:"note"`
}

// IsDoubtful reports whether the models were run, but it could not be shown that they compute the
// same.
func (r *Proof) IsDoubtful() bool { return r != nil && !r.Pass }

// Doubt returns the words that the first line of a report ends with if the model should have been
// proved and was not. It returns "" otherwise.
func (r *Proof) Doubt() string {
	if r.IsDoubtful() {
		return NotProved
	}
	return ""
}

// NotProved is the end of the first line of such a report.
const NotProved = "; not proved"

// provedOutput says how much an output of the changed model differs from that of the original.
type provedOutput struct {
	Name   string        `json:"name"`
	MaxAbs tensor.Number `json:"max_abs"`
	MaxRel tensor.Number `json:"max_rel"`
	Equal  bool          `json:"equal"` // bit by bit
	// Rounding is how much the original differs from itself if it is rounded differently. It is
	// null if it was not measured, because the difference is within the usual tolerance.
	Rounding *tensor.Number `json:"rounding"`
	// Note says why nothing was shown about the output, or "".
	Note string `json:"note"`

	shown bool // the comparison showed something
}

// PassLeftOut is a pass that was left out, because it changes results.
type PassLeftOut struct {
	Pass string `json:"pass"`
	Why  string `json:"why"`
}

// Unprovable returns the report of a proof that could not be made, and why.
func Unprovable(why string) *Proof {
	return &Proof{
		Verdict: "undecided", Sizes: map[string]int64{}, OtherSizes: []map[string]int64{}, Outputs: []provedOutput{}, LeftOut: []PassLeftOut{}, Note: why, Inputs: proof.Generated,
	}
}

func newProofReport(s *proof.Sound, on Inputs) *Proof {
	r := Unprovable("")
	if r.Pass = s.Near.Proved(); r.Pass {
		r.Verdict = "pass"
	}
	r.Inputs = on.From
	r.Seeds, r.Sizes, r.BitsEqual = len(s.Near.Tried), s.Near.Tried[0], s.Near.BitsEqual()
	for _, sizes := range s.Near.Tried {
		same := func(other map[string]int64) bool { return maps.Equal(other, sizes) }
		if !same(r.Sizes) && !slices.ContainsFunc(r.OtherSizes, same) {
			r.OtherSizes = append(r.OtherSizes, sizes)
		}
	}
	var notes []string
	if on.Note != "" {
		notes = append(notes, on.Note)
	}
	if s.Near.Slow {
		notes = append(notes, "only one input was tried, because the original takes long for one")
	}
	if s.Near.Large {
		notes = append(notes, "only one input was tried, because a second one would exceed --input-limit")
	}
	for _, d := range s.Near.Outputs {
		o := newProvedOutput(d)
		if o.Note != "" {
			notes = append(notes, fmt.Sprintf("output %q: %s", d.Output, o.Note))
		}
		r.Outputs = append(r.Outputs, o)
	}
	for _, l := range s.LeftOut {
		r.LeftOut = append(r.LeftOut, PassLeftOut{l.Pass, whyLeftOut(l)})
	}
	if r.Note = strings.Join(notes, "; "); !r.Pass {
		r.Note = "not proved: " + r.Note
	}
	return r
}

func newProvedOutput(d proof.Distance) provedOutput {
	o := provedOutput{Name: d.Output, MaxAbs: tensor.Number(d.MaxAbs), MaxRel: tensor.Number(d.MaxRel), Equal: d.BitsEqual, shown: d.Shown()}
	if d.Rounding > 0 {
		n := tensor.Number(d.Rounding)
		o.Rounding = &n
	}
	switch {
	case d.Unsteady:
		o.Equal, o.Note = false, "not compared: the original gives another result in every run"
	case d.Undecided != "":
		o.Note = fmt.Sprintf("it differs by up to %.1e, which is inconclusive: %s", d.MaxAbs, d.Undecided)
	case d.Silent != "":
		o.Note = "shows little: " + d.Silent
	case d.Faint:
		o.Note = "shows little: it changes by less than a thousandth between inputs"
	}
	return o
}

func whyLeftOut(l proof.LeftOut) string {
	if l.Difference == nil {
		return "not examined: the search for what differs took too many tries"
	}
	return "with it the model " + l.Difference.String()
}

// WriteText writes a line about what was shown, one for each pass that was left out, and one about
// what was not shown.
func (r *Proof) WriteText(w io.Writer) {
	if r == nil {
		return
	}
	if r.Pass {
		fmt.Fprintln(w, text.CleanLine("proved"+r.shown()))
	}
	for _, l := range r.LeftOut {
		fmt.Fprintln(w, text.CleanLine(fmt.Sprintf("left out: %s: %s", l.Pass, l.Why)))
	}
	if r.Note != "" {
		fmt.Fprintln(w, text.CleanLine(r.Note))
	}
}

// shown says how close the outputs are. If not all of them could be compared, it says how many.
func (r *Proof) shown() string {
	worst, shown, own := -1, 0, []string{}
	for i, o := range r.Outputs {
		if !o.shown {
			continue
		}
		shown++
		if !o.Equal && (worst < 0 || o.MaxRel > r.Outputs[worst].MaxRel) {
			worst = i
		}
		if o.Rounding != nil {
			own = append(own, fmt.Sprintf("%q by %.1e", o.Name, float64(*o.Rounding)))
		}
	}
	of := ": "
	if shown < len(r.Outputs) {
		of = fmt.Sprintf(" for %d of %s: ", shown, text.Plural(len(r.Outputs), "output"))
	}
	if worst < 0 {
		return of + "the same bits" + r.on()
	}
	o := r.Outputs[worst]
	line := fmt.Sprintf("%swithin rounding%s: largest difference %.1e of %q, relative %.1e", of, r.on(), float64(o.MaxAbs), o.Name, float64(o.MaxRel))
	if len(own) > 0 {
		line += "; rounding alone moves " + strings.Join(own, ", ")
	}
	return line
}

// tried says how many inputs were tried and where they come from.
func (r *Proof) tried() string {
	switch r.Inputs {
	case proof.OfData:
		return text.Plural(r.Seeds, "input") + ", of the data first,"
	case proof.AsGiven:
		return string(proof.AsGiven)
	}
	return text.Plural(r.Seeds, "generated input")
}

// on says on which inputs and sizes the models ran.
func (r *Proof) on() string {
	on := " on " + r.tried()
	if len(r.Sizes) == 0 {
		return on
	}
	on += " at " + proof.FormatSizes(r.Sizes)
	for _, sizes := range r.OtherSizes {
		on += " and at " + proof.FormatSizes(sizes)
	}
	return on
}
