package forms

import (
	"context"
	"fmt"
	"io"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/text"
	"lathe/session/trust"
	"lathe/tui/workspace"
)

// Rewriting is a step that runs a list of steps again. As a step, it can run as a job, report
// progress and be cancelled.
type Rewriting struct {
	Begun   *session.Session // the new session to which the steps are added
	Further []session.Past
	Recipe  []session.Call // steps of a recipe, taken after Further
	Folder  string         // the folder to which paths in the steps are relative, "" for the working folder
	// Limits are what the steps may do on the machine; nil for steps of the person.
	Limits  *permit.Limits
	newStep func(name string) session.Step
}

// Name implements session.Step.
func (r *Rewriting) Name() string { return "steps" }

// Summary implements session.Step.
func (r *Rewriting) Summary() string { return "run the steps again" }

// Options implements session.Step. There are no options, because the steps to run again already
// have theirs.
func (r *Rewriting) Options() []session.Option { return nil }

// Preview implements session.Step.
func (r *Rewriting) Preview(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
	return session.Preview{Report: r.report()}, nil
}

// Run implements session.Step.
func (r *Rewriting) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	find := func(name string) (session.Step, bool) {
		s := r.newStep(name)
		return s, s != nil
	}
	if r.Limits != nil {
		ctx = permit.Within(ctx, *r.Limits)
		if permit.To(ctx, permit.Library) != nil {
			env.RuntimeFrom = nil
		}
	}
	if err := r.Begun.Replay(ctx, env, r.Further, r.Folder, find); err != nil {
		return session.Result{}, err
	}
	if err := r.Begun.Follow(ctx, env, r.Recipe, r.Folder, find); err != nil {
		return session.Result{}, err
	}
	return session.Result{Model: r.Begun.Model(), Report: r.report()}, nil
}

func (r *Rewriting) report() rewritingReport {
	report := rewritingReport{steps: len(r.Begun.History()), again: len(r.Further) + len(r.Recipe)}
	var calls []session.Call
	for _, p := range r.Further {
		if p.Changed {
			calls = append(calls, p.Call)
		}
	}
	for _, c := range append(calls, r.Recipe...) {
		s := r.newStep(c.Step)
		if s == nil {
			continue
		}
		file, _ := session.WithRole(s, session.RoleModel)
		for _, o := range c.Options {
			if o.Name == file.Name {
				report.files = append(report.files, o.Values...)
			}
		}
	}
	return report
}

// rewritingReport says what was run again, and which files were not written.
type rewritingReport struct {
	steps, again int
	files        []string
}

// WriteText implements session.Report.
func (r rewritingReport) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s, %d taken again\n", text.Plural(r.steps, "step"), r.again)
	for _, f := range r.files {
		if err == nil {
			_, err = fmt.Fprintf(w, "%s was not written again: steps that are run again write no files\n", text.Clean(f))
		}
	}
	return err
}

// StartRewriting runs steps again as a job, and passes the result to settle.
func StartRewriting(ws *workspace.Workspace, r *Rewriting, settle func(err error) tea.Cmd) tea.Cmd {
	r.newStep = ws.NewStep
	return ws.Start(r, &workspace.Job{Name: r.Name(), Command: r.Summary(), Settle: settle})
}

// Questioned returns what needs consent before steps of a recipe or a journal are run. A step that
// cannot be made or has wrong options is left out, because running it is an error.
func Questioned(ws *workspace.Workspace, calls []session.Call, folder string) (*trust.Question, []trust.Act) {
	q := &trust.Question{Folder: folder}
	for _, c := range calls {
		step := ws.NewStep(c.Step)
		if step != nil && c.Apply(step, folder) != nil {
			step = nil
		}
		q.Steps = append(q.Steps, step)
	}
	return q, q.Acts()
}
