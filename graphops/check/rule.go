package check

import (
	"lathe/graphops"
)

// rule is one check: a row of the table. It has exactly one of the functions
// model, place, node and tensor. What they report gets the row's code, and its
// severity unless they name a worse or milder one.
type rule struct {
	code     string
	severity Severity
	title    string // what the problem is, in a few words
	// about explains it: what the standard says, what ONNX Runtime and others do with
	// such a model, how it comes about, and how to mend it. Paragraphs are separated
	// by empty lines.
	about string
	hint  string // what to do, of problems that do not say it themselves

	last    bool // it asks what the other checks have found, and comes after all that do not
	kernels bool // it goes by the table of kernels, which is that of one release

	model  func(s *subject, report reporter)
	place  func(s *subject, p *graphops.Place, report reporter)
	node   func(s *subject, n site, report reporter)
	tensor func(s *subject, t graphops.StoredTensor, report reporter)
}

// reporter takes a problem in.
type reporter func(Problem)

// Rule tells of a check what a person can read about it.
type Rule struct {
	Code     string
	Severity Severity // of most of its problems
	Title    string
	About    string // paragraphs, separated by empty lines
}

// Rules are all checks, in the order of the table, and then what only ONNX Runtime
// finds.
func Rules() []Rule {
	out := make([]Rule, len(rules))
	for i, r := range rules {
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
