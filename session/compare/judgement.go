package compare

// Verdict is the result of a comparison.
type Verdict string

// The verdicts. A comparison passes only if each output of A was judged in some case. It is
// undecided if nothing fails but an output was judged in no case.
const (
	Pass      Verdict = "pass"
	Fail      Verdict = "fail"
	Undecided Verdict = "undecided"
)

// Judged is a verdict as reports contain it.
type Judged struct {
	Verdict Verdict `json:"verdict"`
	Pass    bool    `json:"pass"` // true only for Pass
}

// Judged returns the verdict as reports contain it.
func (v Verdict) Judged() Judged { return Judged{v, v == Pass} }

// judgedBy returns the verdict Pass or Fail as reports contain it.
func judgedBy(passes bool) Judged {
	if passes {
		return Pass.Judged()
	}
	return Fail.Judged()
}
