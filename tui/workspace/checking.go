package workspace

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/reporting"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/shell"
)

// Examine checks the visible model without its weights, unless that was done before.
func (ws *Workspace) Examine() tea.Cmd {
	ws.examining.Stop()
	t := ws.Types
	if t.Checkup != nil || t.Inferred.Load() == nil {
		return nil
	}
	env, shapes := ws.Options.Env, t.Result()
	if shapes != nil && shapes.Named() {
		shapes = nil // checks infer shapes without names of axes
	}
	examine := func(ctx context.Context) *graph.Checkup {
		list, err := check.Model(ctx, t.Model, check.Options{
			Runtime: env.RuntimeVersion(ctx), Shapes: shapes, HasLocale: ort.HasLocale, HasProvider: env.HasProvider(ctx),
		})
		return graph.NewCheckup(t.Model, list, err)
	}
	return Ask(ws, &ws.examining, "checking the model", examine, func(c *graph.Checkup) tea.Cmd {
		if t.Checkup == nil { // a job may have checked more, because this check reads no weights
			TakeCheckup(ws, t, c)
		}
		return nil
	})
}

// takeDiagnosis adds the problems that a finished job reported, if the job checked the visible
// model. A new verdict of the runtime replaces the runtime's earlier problems.
func (ws *Workspace) takeDiagnosis(m *graphops.Model, r session.Report) tea.Cmd {
	d, ok := r.(reporting.Diagnosis)
	if !ok || m != ws.Model() {
		return nil
	}
	t := ws.Types
	var known []check.Problem
	if t.Checkup != nil {
		known = t.Checkup.Problems
	}
	verdict := cells.Prose(d.Verdict())
	switch {
	case verdict != "":
		known = slices.DeleteFunc(slices.Clone(known), func(p check.Problem) bool { return check.IsRuntimes(p.Code) })
	case t.Checkup != nil:
		verdict = t.Checkup.Verdict
	}
	list := func(context.Context) *graph.Checkup {
		c := graph.NewCheckup(m, graph.Joined(known, d.Diagnosed()), nil)
		c.Verdict = verdict
		return c
	}
	return Once(ws, "listing problems", list, func(c *graph.Checkup) tea.Cmd {
		TakeCheckup(ws, t, c)
		return nil
	})
}

// TakeCheckup stores the problems of a model. The first check of a model reports its errors, which
// would otherwise be noticed only in a run.
func TakeCheckup(ws *Workspace, t *graph.Typing, c *graph.Checkup) {
	isFirst := t.Checkup == nil
	t.Checkup = c
	if t.Model == ws.Session.Original() {
		ws.openedBroken = !check.OK(c.Problems)
	}
	switch {
	case t != ws.Types:
	case c.Err != nil:
		ws.Log.Fail(c.Err)
	case isFirst && !check.OK(c.Problems):
		ws.Log.Say(c.Count() + "; " + ws.Keys.Key(shell.PlaceMain, ActionProblems) + " tells what is wrong with this model")
	}
}

// IsFaulty reports whether an error is about a row of the visible place.
func (ws *Workspace) IsFaulty(row int) bool {
	if ws.Types.Checkup == nil {
		return false
	}
	_, is := slices.BinarySearch(ws.Types.Checkup.Faulty[ws.Outline.Place], row)
	return is
}
