package look

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"lathe/graphops/check"
	"lathe/session/reporting"
	"lathe/session/text"
)

// shownOfCode is how many problems with the same code and severity are printed.
const shownOfCode = 5

// shownWarnings is how many of the runtime's warnings are printed. There are few, because they are
// long.
const shownWarnings = 3

// Indentations. under is for lines that belong to the line above. The other one is for the further
// lines of a wrapped line.
const (
	under = "    "
	rest  = "      "
)

// WriteText implements session.Report. Each problem begins with one line that is easy to search
// for: "severity: code: where: what".
func (r *checkReport) WriteText(w io.Writer) error { return r.WriteWrapped(w, 0) }

// WriteWrapped writes the report with lines of at most width columns.
func (r *checkReport) WriteWrapped(w io.Writer, width int) error {
	c := checkWriter{p: text.NewPrinter(w), width: width, r: r, caused: map[*check.Cause]bool{}}
	for _, g := range r.groups() {
		c.group(g)
	}
	c.runtime()
	c.line(r.closing())
	return c.p.Err()
}

// groups returns the positions of problems with the same severity and code, in the order of their
// first problems.
func (r *checkReport) groups() [][]int {
	type kind struct {
		severity check.Severity
		code     string
	}
	var out [][]int
	at := map[kind]int{}
	for i, p := range r.found {
		k := kind{p.Severity, p.Code}
		g, ok := at[k]
		if !ok {
			g = len(out)
			at[k], out = g, append(out, nil)
		}
		out[g] = append(out[g], i)
	}
	return out
}

// checkWriter writes a report of problems as text.
type checkWriter struct {
	p     *text.Printer
	width int
	r     *checkReport
	fixes fixChain
	// caused has the causes that are written.
	caused map[*check.Cause]bool
}

// line writes a line, wrapped to the width.
func (c *checkWriter) line(s string) {
	for _, l := range text.Wrap(text.CleanLine(s), c.width, rest) {
		c.p.Line("%s", l)
	}
}

// group writes the problems that have the same code and severity. If several of them have the same
// hint or command, it is written once.
func (c *checkWriter) group(list []int) {
	list = c.heads(list)
	shown := list
	if !c.r.all && len(list) > shownOfCode {
		shown = list[:shownOfCode]
		// The problem that the runtime reports too is always shown.
		if s := c.r.Runtime; s != nil && s.Problem != nil && slices.Index(list, *s.Problem) >= shownOfCode {
			shown = append(slices.Clone(shown), *s.Problem)
		}
	}
	hint := ""
	for _, i := range shown {
		p := c.r.found[i]
		if !c.cause(p) || c.r.all {
			c.line(fmt.Sprintf("%s: %s: %s", p.Severity, p.Code, p))
		}
		c.said(i)
		if p.Hint != hint && p.Hint != "" {
			c.line(under + p.Hint)
		}
		hint = p.Hint
		c.fix(p.Fix)
	}
	if more := len(list) - len(shown); more > 0 {
		c.line(fmt.Sprintf("%sand %s more of %s; --all lists them", under, text.Count(int64(more)), c.r.found[list[0]].Code))
	}
}

// cause writes what a problem and others follow from, once. It reports whether the problem has such a
// cause.
func (c *checkWriter) cause(p check.Problem) bool {
	if p.Cause == nil {
		return false
	}
	if !c.caused[p.Cause] {
		c.caused[p.Cause] = true
		c.line(fmt.Sprintf("%s: %s: %s: %s", p.Severity, p.Code, p.Cause.Where(), p.Cause.Text))
	}
	return true
}

// heads returns the problems without those of a cause that another one has, unless all are listed.
func (c *checkWriter) heads(list []int) []int {
	if c.r.all {
		return list
	}
	seen := map[*check.Cause]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(i int) bool {
		cause := c.r.found[i].Cause
		again := cause != nil && seen[cause]
		seen[cause] = true
		return again
	})
}

// said writes that the runtime also reports this problem, which a check has found, and its message.
func (c *checkWriter) said(problem int) {
	s := c.r.Runtime
	if s == nil || s.Problem == nil || *s.Problem != problem || check.IsRuntimes(c.r.found[problem].Code) {
		return
	}
	verb := "says the same"
	if s.Crashed {
		verb = "crashes on it"
	}
	c.line(fmt.Sprintf("%s%s %s: %s", under, s.name(), verb, s.Message))
}

// runtime writes whether ONNX Runtime loaded the model, and its messages.
func (c *checkWriter) runtime() {
	s := c.r.Runtime
	if s == nil {
		return
	}
	c.line(c.r.Verdict())
	reporting.WriteRefused(c.p, s.Refused...)
	shown := s.Warnings
	if !c.r.all {
		shown = shown[:min(len(shown), shownWarnings)]
	}
	for _, warning := range shown {
		c.line(under + "it warns: " + warning)
	}
	if more := len(s.Warnings) - len(shown); more > 0 {
		c.p.Line("%sand %s; --all lists them", under, text.Plural(more, "more warning"))
	}
}

// Verdict implements reporting.Diagnosis.
func (r *checkReport) Verdict() string {
	s := r.Runtime
	if s == nil {
		return ""
	}
	name := s.name()
	if s.On != "" {
		name += " behind " + s.On
	}
	switch {
	case s.Loaded && r.Counts.Error > 0:
		return fmt.Sprintf("%s loads it on %s, which does not prove that it runs", name, s.Provider)
	case s.Loaded:
		return fmt.Sprintf("%s loads it on %s", name, s.Provider)
	case s.Problem != nil && check.IsRuntimes(r.found[*s.Problem].Code):
		return name + " does not load it, as reported above"
	case s.Problem != nil:
		return fmt.Sprintf("%s does not load it: %s, %s", name, r.found[*s.Problem].Code, subjectOf(r.found[*s.Problem]))
	}
	return name + " does not load it: " + s.problem().String()
}

// subjectOf returns the name of the node or value that a problem is about.
func subjectOf(p check.Problem) string {
	switch where := p.Where(); {
	case where != "":
		return where
	case p.Value != "":
		return fmt.Sprintf("%q", p.Value)
	}
	return "the model"
}

// closing returns the last line: how many problems there are, and what was not checked.
func (r *checkReport) closing() string {
	var parts []string
	for _, c := range []struct {
		n    int
		noun string
	}{{r.Counts.Error, "error"}, {r.Counts.Warning, "warning"}} {
		if c.n > 0 {
			parts = append(parts, text.Plural(c.n, c.noun))
		}
	}
	if r.Counts.Info > 0 {
		parts = append(parts, text.Count(int64(r.Counts.Info))+" info")
	}
	line := "no problems found"
	if len(parts) > 0 {
		line = strings.Join(parts, ", ")
	}
	if r.Counts.LeftOut > 0 {
		line += fmt.Sprintf(" (%s left out)", text.Count(int64(r.Counts.LeftOut)))
	}
	var unseen []string
	if !r.Checked.Weights {
		unseen = append(unseen, "the elements of weights (--weights)")
	}
	if r.Runtime == nil {
		unseen = append(unseen, "loading in ONNX Runtime (--runtime-load)")
	}
	if r.Checked.Assumed {
		line += "; " + r.Checked.unknown + ": judged by what " + r.Checked.Runtime + " loads"
	}
	if len(unseen) > 0 {
		line += "; not checked: " + strings.Join(unseen, ", ")
	}
	return line
}
