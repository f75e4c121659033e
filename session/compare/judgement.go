package compare

// Verdict is what a comparison comes to.
type Verdict string

// The verdicts. A comparison passes only if each output of A was judged in some case, and is
// undecided if none fails and one was judged in none.
const (
	Pass      Verdict = "pass"
	Fail      Verdict = "fail"
	Undecided Verdict = "undecided"
)

// Judged is a verdict as reports hold it.
type Judged struct {
	Verdict Verdict `json:"verdict"`
	Pass    bool    `json:"pass"` // true for Pass alone
}

// Judged is the verdict as reports hold it.
func (v Verdict) Judged() Judged { return Judged{v, v == Pass} }

// judgedBy is Pass or Fail.
func judgedBy(passes bool) Judged {
	if passes {
		return Pass.Judged()
	}
	return Fail.Judged()
}
