package command

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/folders"
	"lathe/session/steps/look"
)

// open opens the workbench on one model, or on two side by side. Without a terminal that it can
// draw on, it prints what lathe inspect prints for one model and lathe diff for two.
func (a *app) open(cmd *cobra.Command, args []string) error {
	if a.workbench == nil && len(args) == 0 {
		return cmd.Help()
	}
	if a.workbench == nil {
		return a.runStep(cmd.Context(), plainly(args), args)
	}
	term := os.Getenv("TERM")
	interactive := isTerminal(a.in) && isTerminal(a.out.w) && !a.json
	draws, err := a.workbench.CanDraw(len(args), interactive, term)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		if !draws {
			return cmd.Help()
		}
		path, err := a.choose(cmd.Context())
		if err != nil || path == "" {
			return err
		}
		args = []string{path}
	}
	if !draws {
		if interactive {
			a.complain(fmt.Sprintf("TERM=%s cannot be drawn on; this is lathe %s", term, plainly(args).Name()))
		}
		return a.runStep(cmd.Context(), plainly(args), args)
	}
	a.drawing.Store(true)
	isDrawn.Store(true)
	env, done := a.env(cmd.Context())
	done() // the workbench draws progress itself
	o := Opening{Path: args[0], Install: a.installed, Env: env, In: a.in, Out: a.out.w}
	switch {
	case len(args) == 2:
		files, single, err := folders.Only(cmd.Context(), o.Env, args...)
		if err != nil {
			return err
		}
		if o.Beside = args[1]; single {
			o.Path, o.Beside = files[0], files[1]
		}
	case folders.Is(o.Path):
		return a.openFolder(cmd.Context(), o)
	}
	return a.openEach(cmd.Context(), o)
}

// openFolder shows the models of a folder, and opens the workbench on each one that the person
// chooses.
func (a *app) openFolder(ctx context.Context, o Opening) error {
	f, err := folders.Open(ctx, o.Env, o.Path)
	if err != nil {
		return err
	}
	r, err := folders.Describe(ctx, f)
	if err != nil {
		return err
	}
	c := ChoosingMember{Report: r, In: o.In, Out: o.Out}
	for {
		c.Selected, err = a.workbench.ChooseMember(ctx, c)
		if err != nil || c.Selected == "" {
			return err
		}
		one := o
		one.Path, one.Within = c.Selected, o.Path
		if err := a.openEach(ctx, one); err != nil {
			return err
		}
	}
}

// openEach opens the workbench on a model, and again on each model that the person chooses in it.
func (a *app) openEach(ctx context.Context, o Opening) (err error) {
	for o.Path != "" {
		if o.Model, err = a.openModel(ctx, o.Path); err != nil {
			return err
		}
		if o.Path, err = a.workbench.Open(ctx, o); err != nil {
			return err
		}
		o.Beside, o.Tour = "", false
	}
	return nil
}

// choose shows the list of models, and returns the path that the person chose.
func (a *app) choose(ctx context.Context) (string, error) {
	return a.workbench.Choose(ctx, Choosing{
		Open: func(path string) (*graphops.Model, error) { return a.openModel(ctx, path) },
		In:   a.in, Out: a.out.w,
	})
}

// plainly returns the step whose output is printed if the workbench cannot be shown: diff for two
// models, inspect for one.
func plainly(models []string) session.Step {
	if len(models) == 2 {
		return &look.Diff{A: models[0], B: models[1]}
	}
	return &look.Inspect{}
}
