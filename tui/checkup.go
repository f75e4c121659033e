package tui

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/theme"
)

// checkup has the problems of a model that are known so far. It is immutable.
type checkup struct {
	problems []check.Problem
	lines    []finding // one for each problem
	err      error     // why the model could not be checked
	verdict  string    // of the runtime, safe to print; "" if it was not asked
	// faulty has the rows of each place that errors are about, in order.
	faulty map[*graphops.Place][]int
}

// examine checks the visible model without its weights, unless that was done before.
func (ws *workspace) examine() tea.Cmd {
	ws.examining.Stop()
	t := ws.types
	if t.checkup != nil || t.inferred.Load() == nil {
		return nil
	}
	env, shapes := ws.o.Env, t.result()
	if shapes != nil && shapes.Named() {
		shapes = nil // checks infer shapes without names of axes
	}
	examine := func(ctx context.Context) *checkup {
		list, err := check.Model(ctx, t.model, check.Options{Runtime: env.RuntimeVersion(ctx), Shapes: shapes, HasLocale: ort.HasLocale})
		return newCheckup(t.model, list, err)
	}
	return ask(ws, &ws.examining, "checking the model", examine, func(c *checkup) tea.Cmd {
		if t.checkup == nil { // a job may have checked more, because this check reads no weights
			takeCheckup(ws, t, c)
		}
		return nil
	})
}

// takeDiagnosis adds the problems that a finished job reported, if the job checked the visible
// model. A new verdict of the runtime replaces the runtime's earlier problems.
func (ws *workspace) takeDiagnosis(m *graphops.Model, r session.Report) tea.Cmd {
	d, ok := r.(session.Diagnosis)
	if !ok || m != ws.model() {
		return nil
	}
	t := ws.types
	var known []check.Problem
	if t.checkup != nil {
		known = t.checkup.problems
	}
	verdict := cells.Prose(d.Verdict())
	switch {
	case verdict != "":
		known = slices.DeleteFunc(slices.Clone(known), func(p check.Problem) bool { return check.IsRuntimes(p.Code) })
	case t.checkup != nil:
		verdict = t.checkup.verdict
	}
	list := func(context.Context) *checkup {
		c := newCheckup(m, joined(known, d.Diagnosed()), nil)
		c.verdict = verdict
		return c
	}
	return once(ws, "listing problems", list, func(c *checkup) tea.Cmd {
		takeCheckup(ws, t, c)
		return nil
	})
}

// takeCheckup stores the problems of a model. The first check of a model reports its errors, which
// would otherwise be noticed only in a run.
func takeCheckup(ws *workspace, t *typing, c *checkup) {
	isFirst := t.checkup == nil
	t.checkup = c
	switch {
	case t != ws.types:
	case c.err != nil:
		ws.log.Fail(c.err)
	case isFirst && !check.OK(c.problems):
		ws.log.Say(c.count() + "; " + ws.keys.Key(shell.PlaceMain, actionProblems) + " tells what is wrong with this model")
	}
}

// joined merges two lists of problems of one model. It drops duplicates and sorts by severity,
// errors first.
func joined(known, more []check.Problem) []check.Problem {
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

func newCheckup(m *graphops.Model, list []check.Problem, err error) *checkup {
	c := &checkup{problems: list, lines: make([]finding, len(list)), err: err, faulty: map[*graphops.Place][]int{}}
	outlines := map[*graphops.Place]*outline{}
	for i, p := range list {
		o := outlines[p.Place]
		if o == nil && p.Place != nil {
			o = newOutline(m, p.Place)
			outlines[p.Place] = o
		}
		c.lines[i] = lineOf(p, o)
		if at := c.lines[i].spot; p.Severity == check.Error && at.place != nil {
			c.faulty[at.place] = append(c.faulty[at.place], at.row)
		}
	}
	for _, rows := range c.faulty {
		slices.Sort(rows)
	}
	return c
}

// isFaulty reports whether an error is about a row of the visible place.
func (ws *workspace) isFaulty(row int) bool {
	if ws.types.checkup == nil {
		return false
	}
	_, is := slices.BinarySearch(ws.types.checkup.faulty[ws.outline.place], row)
	return is
}

// lineOf returns a problem as a line of a list. The outline is that of the problem's place.
func lineOf(p check.Problem, o *outline) finding {
	f := finding{
		where: p.Severity.String() + ":", text: cells.Prose(p.Message),
		note: cells.Prose(p.Hint), code: p.Code, looks: severityLooks[p.Severity],
	}
	if row := rowOfProblem(p, o); row >= 0 {
		f.spot = spot{p.Place, row}
		f.where += " " + o.called(row)
	}
	return f
}

var severityLooks = map[check.Severity]theme.Looks{check.Error: theme.Failure, check.Warning: theme.Warning, check.Info: theme.Plain}

// rowOfProblem returns the row that a problem is about: the row of its node, or else the row that
// computes its value, or else a row that reads the value. It is -1 if there is no such row.
func rowOfProblem(p check.Problem, o *outline) int {
	switch {
	case o == nil:
		return -1
	case p.Node >= 0:
		return o.nodeRow(p.Node)
	}
	if id, ok := p.Place.Graph.Index().Value(p.Value); ok {
		return o.rowOfValue(id)
	}
	return -1
}

// rowOfValue returns the row of the input or node that computes a value, or else the first node
// that reads it, or -1.
func (o *outline) rowOfValue(id graphops.ValueID) int {
	x := o.place.Graph.Index()
	for i := range o.inputs {
		if o.inputs[i].name == x.Name(id) {
			return i
		}
	}
	if n := x.Producer(id); n >= 0 {
		return o.nodeRow(n)
	}
	if readers := x.Readers(id); len(readers) > 0 {
		return o.nodeRow(int(readers[0]))
	}
	return -1
}

// count returns the number of errors, such as "2 errors", or "" if there are none. It leaves out
// warnings, because nearly every model has some; the list of problems shows them.
func (c *checkup) count() string {
	if c == nil {
		return ""
	}
	n := 0
	for _, p := range c.problems {
		if p.Severity == check.Error {
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return text.Plural(n, "error")
}

// summary counts all problems in words. It is "" without problems.
func (c *checkup) summary() string {
	var out []string
	for _, s := range []check.Severity{check.Error, check.Warning, check.Info} {
		n := 0
		for _, p := range c.problems {
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
