package check

import (
	"lathe/graphops"
)

// rule is one check: a row of the table. It has exactly one of the functions model, place, node
// and tensor. Their reports get the row's code, and its severity unless they specify another one.
type rule struct {
	code     string
	severity Severity
	title    string // what the problem is, in a few words
	// about explains the problem: what the standard says, what ONNX Runtime and other tools do
	// with such a model, how the problem arises, and how to fix it. Paragraphs are separated by
	// empty lines.
	about string
	hint  string // what to do, for problems that do not say it themselves

	last    bool // it uses the results of other checks, and runs after all that do not
	kernels bool // it uses the table of kernels, which is that of one release

	model  func(s *subject, report reporter)
	place  func(s *subject, p *graphops.Place, report reporter)
	node   func(s *subject, n site, report reporter)
	tensor func(s *subject, t graphops.StoredTensor, report reporter)
}

// reporter receives a problem.
type reporter func(Problem)

// Rule is the documentation of a check.
type Rule struct {
	Code     string
	Severity Severity // of most of its problems
	Title    string
	About    string // paragraphs, separated by empty lines
}

// Rules returns all checks, in the order of the table, followed by what only ONNX Runtime finds.
func Rules() []Rule {
	out := make([]Rule, len(rules()))
	for i, r := range rules() {
		out[i] = Rule{r.code, r.severity, r.title, r.about}
	}
	return append(out, runtimeRules...)
}

// Explain finds a check by its code.
func Explain(code string) (Rule, bool) {
	for _, r := range Rules() {
		if r.Code == code {
			return r, true
		}
	}
	return Rule{}, false
}
