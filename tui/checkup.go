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
	"lathe/tui/theme"
)

// checkup is what is wrong with a model, as far as it was looked at. It never
// changes.
type checkup struct {
	problems []check.Problem
	lines    []finding // of the problems, one each
	err      error     // why there are none
	verdict  string    // of the runtime, safe to print; "" where it was not asked
	// faulty are the rows of a place that an error is about, in order.
	faulty map[*graphops.Place][]int
}

// checkupMsg brings what was found wrong with a model.
type checkupMsg struct {
	typing *typing
	*checkup
}

// examine checks the model that shows, without its weights, unless that is done.
func (ws *workspace) examine() tea.Cmd {
	if ws.stopCheckup != nil {
		ws.stopCheckup()
	}
	t := ws.types
	if t.checkup != nil || t.inferred.Load() == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ws.ctx)
	ws.stopCheckup = cancel
	env, shapes := ws.o.Env, t.result()
	if shapes != nil && shapes.Named() {
		shapes = nil // the checks infer without names
	}
	return guarded("checking the model", func() tea.Msg {
		list, err := check.Model(ctx, t.model, check.Options{Runtime: env.RuntimeVersion(ctx), Shapes: shapes, HasLocale: ort.HasLocale})
		if ctx.Err() != nil {
			return nil
		}
		return examinedMsg{checkupMsg{t, newCheckup(t.model, list, err)}}
	})
}

// takeDiagnosis adds what a job has found wrong with the model that it worked on.
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
	return guarded("listing problems", func() tea.Msg {
		c := newCheckup(m, joined(known, d.Diagnosed()), nil)
		c.verdict = verdict
		return checkupMsg{t, c}
	})
}

// examinedMsg brings what the look at the structure has found, which a job may have
// overtaken that looked at more.
type examinedMsg struct{ checkupMsg }

// take implements answer.
func (m examinedMsg) take(a *App) tea.Cmd {
	if m.typing.checkup != nil {
		return nil
	}
	return m.checkupMsg.take(a)
}

// take implements answer. The first look at a model tells of its errors, which would
// else show only in a run.
func (m checkupMsg) take(a *App) tea.Cmd {
	isFirst := m.typing.checkup == nil
	m.typing.checkup = m.checkup
	ws := a.ws
	switch {
	case m.typing != ws.types:
	case m.err != nil:
		ws.log.fail(m.err)
	case isFirst && !check.OK(m.problems):
		ws.log.say(m.count() + "; " + ws.keys.key(placeMain, actionProblems) + " tells what is wrong with this model")
	}
	return nil
}

// joined is two lists of problems of one model without what both have, the worst
// first.
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

// isFaulty reports whether an error is about a row of the place that shows.
func (ws *workspace) isFaulty(row int) bool {
	if ws.types.checkup == nil {
		return false
	}
	_, is := slices.BinarySearch(ws.types.checkup.faulty[ws.outline.place], row)
	return is
}

// lineOf is a problem as a line of a list; the outline is that of its place.
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

// rowOfProblem is the row that shows what a problem is about: its node, else what
// makes its value, else a node that reads that; -1 where there is none.
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

// rowOfValue is the row of the input or node that makes a value, else of the first node
// that reads it; -1 where there is none.
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

// count is how many errors there are, in words; "" for none. Warnings are told where
// problems are listed: near every model has some.
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

// summary counts all problems in words, "" where there are none.
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

// problems tells what is wrong at a row.
func (d *description) problems(row int) {
	k, i := d.ws.outline.at(row)
	c := d.ws.types.checkup
	if k != kindNode || c == nil {
		return
	}
	headed := false
	for _, p := range c.problems {
		if p.Place != d.ws.outline.place || p.Node != i {
			continue
		}
		if !headed {
			d.head("what is wrong here")
			headed = true
		}
		d.add(severityLooks[p.Severity], cells.Prose(p.Message))
		if p.Hint != "" {
			d.add(theme.Plain, "  "+cells.Prose(p.Hint))
		}
	}
}
