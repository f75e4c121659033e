package look

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/text"
)

// AllChecks selects all checks, which are listed with a line each.
const AllChecks = "all"

// ExplainCheck explains a check, or lists all of them.
func ExplainCheck(code string) (*CheckExplanation, error) {
	list := check.Rules()
	if code != AllChecks {
		rule, err := findCheck(code)
		if err != nil {
			return nil, session.UsageError("--explain " + err.Error())
		}
		list = []check.Rule{rule}
	}
	r := &CheckExplanation{Schema: "lathe.check-explain/1", whole: code != AllChecks}
	for _, c := range list {
		r.Checks = append(r.Checks, checkFacts{c.Code, c.Severity.String(), c.Title, paragraphs(c.About)})
	}
	return r, nil
}

// paragraphs removes the line breaks within each paragraph of a text.
func paragraphs(s string) string { return strings.Join(text.Paragraphs(s, 0), "\n") }

// CheckExplanation has the explanation of one check, or the list of all checks.
type CheckExplanation struct {
	Schema string       `json:"schema"`
	Checks []checkFacts `json:"checks"`

	whole bool
}

type checkFacts struct {
	Code     string `json:"code"`
	Severity string `json:"severity"` // the usual one; a problem may have another
	Title    string `json:"title"`
	About    string `json:"about"` // one line for each paragraph, separated by empty lines
}

// WriteText implements session.Report. Lines have at most 80 columns.
func (r *CheckExplanation) WriteText(w io.Writer) error { return r.WriteWrapped(w, 80) }

// WriteWrapped writes the report with lines of at most width columns.
func (r *CheckExplanation) WriteWrapped(w io.Writer, width int) error {
	p := text.NewPrinter(w)
	if !r.whole {
		return r.list(p, width)
	}
	for _, c := range r.Checks {
		head := text.Wrap(fmt.Sprintf("%s (%s): %s", c.Code, c.Severity, c.Title), width, "  ")
		for _, l := range slices.Concat(head, []string{""}, text.Paragraphs(c.About, width)) {
			p.Line("%s", l)
		}
	}
	return p.Err()
}

// list writes a line for each check, the worst first.
func (r *CheckExplanation) list(p *text.Printer, width int) error {
	wide := 0
	for _, c := range r.Checks {
		wide = max(wide, len(c.Code))
	}
	for _, s := range []check.Severity{check.Error, check.Warning, check.Info} {
		of := slices.Collect(func(yield func(checkFacts) bool) {
			for _, c := range r.Checks {
				if c.Severity == s.String() && !yield(c) {
					return
				}
			}
		})
		if len(of) == 0 {
			continue
		}
		p.Line("%s", s)
		for _, c := range of {
			head := "  " + c.Code + strings.Repeat(" ", wide-len(c.Code)) + "  "
			lines := text.Wrap(c.Title, max(width-len(head), 20), "")
			p.Line("%s%s", head, lines[0])
			for _, l := range lines[1:] {
				p.Line("%s%s", strings.Repeat(" ", len(head)), l)
			}
		}
	}
	p.Line("")
	p.Line("lathe check --explain CODE explains a code")
	return p.Err()
}
