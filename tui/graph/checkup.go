package graph

import (
	"cmp"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/theme"
)

// Checkup has the problems of a model that are known so far. It is immutable.
type Checkup struct {
	Problems []check.Problem
	Lines    []Finding // one for each problem
	Err      error     // why the model could not be checked
	Verdict  string    // of the runtime, safe to print; "" if it was not asked
	// Faulty has the rows of each place that errors are about, in order.
	Faulty map[*graphops.Place][]int
}

// Joined merges two lists of problems of one model. It drops duplicates and sorts by severity,
// errors first.
func Joined(known, more []check.Problem) []check.Problem {
	type identity struct {
		code, value, message string
		place                *graphops.Place
		node                 int
	}
	seen := map[identity]bool{}
	var out []check.Problem
	for _, p := range slices.Concat(known, more) {
		id := identity{p.Code, p.Value, p.Message, p.Place, p.Node}
		if !seen[id] {
			seen[id] = true
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b check.Problem) int { return cmp.Compare(a.Severity, b.Severity) })
	return out
}

// NewCheckup makes a checkup of the problems of a model.
func NewCheckup(m *graphops.Model, list []check.Problem, err error) *Checkup {
	c := &Checkup{Problems: list, Lines: make([]Finding, len(list)), Err: err, Faulty: map[*graphops.Place][]int{}}
	outlines := map[*graphops.Place]*Outline{}
	for i, p := range list {
		o := outlines[p.Place]
		if o == nil && p.Place != nil {
			o = NewOutline(m, p.Place)
			outlines[p.Place] = o
		}
		c.Lines[i] = lineOf(p, o)
		if at := c.Lines[i].Spot; p.Severity == check.Error && at.Place != nil {
			c.Faulty[at.Place] = append(c.Faulty[at.Place], at.Row)
		}
	}
	c.nameCauses(outlines)
	for _, rows := range c.Faulty {
		slices.Sort(rows)
	}
	return c
}

// nameCauses lets the first of the problems that follow from one node name that node.
func (c *Checkup) nameCauses(outlines map[*graphops.Place]*Outline) {
	named := map[*check.Cause]bool{}
	for i, p := range c.Problems {
		if p.Cause == nil || named[p.Cause] {
			continue
		}
		named[p.Cause] = true
		row := outlines[p.Place].NodeRow(p.Cause.Node)
		c.Lines[i].Where = p.Severity.String() + ": " + outlines[p.Place].Called(row)
		c.Lines[i].Text, c.Lines[i].Spot = cells.Prose(p.Cause.Text), Spot{p.Place, row}
	}
}

// lineOf returns a problem as a line of a list. The outline is that of the problem's place.
func lineOf(p check.Problem, o *Outline) Finding {
	f := Finding{
		Where: p.Severity.String() + ":", Text: cells.Prose(p.Message),
		Note: cells.Prose(p.Hint), code: p.Code, Looks: SeverityLooks[p.Severity],
	}
	if row := rowOfProblem(p, o); row >= 0 {
		f.Spot = Spot{p.Place, row}
		f.Where += " " + o.Called(row)
	}
	return f
}

// SeverityLooks says how a problem looks in a list.
var SeverityLooks = map[check.Severity]theme.Looks{check.Error: theme.Failure, check.Warning: theme.Warning, check.Info: theme.Plain}

// rowOfProblem returns the row that a problem is about: the row of its node, or else the row that
// computes its value, or else a row that reads the value. It is -1 if there is no such row.
func rowOfProblem(p check.Problem, o *Outline) int {
	switch {
	case o == nil:
		return -1
	case p.Node >= 0:
		return o.NodeRow(p.Node)
	}
	if id, ok := p.Place.Graph.Index().Value(p.Value); ok {
		return o.RowOfValue(id)
	}
	return -1
}

// RowOfValue returns the row of the input or node that computes a value, or else the first node
// that reads it, or -1.
func (o *Outline) RowOfValue(id graphops.ValueID) int {
	x := o.Place.Graph.Index()
	for i := range o.Inputs {
		if o.Inputs[i].Name == x.Name(id) {
			return i
		}
	}
	if n := x.Producer(id); n >= 0 {
		return o.NodeRow(n)
	}
	if readers := x.Readers(id); len(readers) > 0 {
		return o.NodeRow(int(readers[0]))
	}
	return -1
}

// Count returns the number of errors, such as "2 errors", or "" for a model without errors. It leaves out
// warnings, because nearly every model has some; the list of problems shows them.
func (c *Checkup) Count() string {
	if c == nil {
		return ""
	}
	n := 0
	for _, p := range c.Problems {
		if p.Severity == check.Error {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return text.Plural(n, "error")
}

// Summary counts all problems in words. It is "" without problems.
func (c *Checkup) Summary() string {
	var out []string
	for _, s := range []check.Severity{check.Error, check.Warning, check.Info} {
		n := 0
		for _, p := range c.Problems {
			if p.Severity == s {
				n++
			}
		}
		if n > 0 {
			out = append(out, text.Plural(n, map[check.Severity]string{check.Error: "error", check.Warning: "warning", check.Info: "note"}[s]))
		}
	}
	return strings.Join(out, ", ")
}
