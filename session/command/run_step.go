package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/folders"
)

// runStep runs a step as a command. If the step would write a model and no output file is named, it
// runs a preview.
func (a *app) runStep(ctx context.Context, step session.Step, args []string) error {
	if err := checkRequired(step); err != nil {
		return err
	}
	out, writes := outputOf(step)
	toStdout := writes && out == "-"
	if toStdout && a.json {
		return session.UsageError("--out - and --json both write to standard output")
	}
	if toStdout && isTerminal(a.out.w) {
		return session.UsageError("--out -: standard output is a terminal, and a model is binary; redirect it to a file or a program")
	}
	launched, ok := step.(session.Launched)
	if !ok || !launched.RunsElsewhere() {
		if err := cmp.Or(a.checkNamedPython(), a.checkNamedPlugins(), a.checkNamedRuntime(ctx)); err != nil {
			return err
		}
	}
	env, done := a.env(ctx)
	defer done()
	env.Stdin = a.stdin()
	if !writes || out != "" { // a preview skips the proof
		defer env.Prepare(ctx, step)()
	}
	var m *graphops.Model
	if l, ok := step.(looker); ok {
		if r, err := l.Look(ctx, env, args[len(args)-1]); err != nil || r != nil {
			done()
			if err != nil {
				return err
			}
			return a.answer(r)
		}
	}
	if session.TakesModel(step) {
		r, path, err := ofFolder(ctx, env, step, args[len(args)-1])
		if err != nil {
			return err
		}
		if r != nil {
			done()
			return a.answerResult(*r)
		}
		if m, err = a.openFor(ctx, env, step, path); err != nil {
			return err
		}
		noteNodes(m)
	}
	if writes && out == "" {
		p, err := step.Preview(ctx, env, m)
		if err != nil {
			return err
		}
		done()
		return a.answer(p.Report)
	}
	if toStdout {
		return a.runToStdout(ctx, step, env, m, done)
	}
	r, err := step.Run(ctx, env, m)
	if err != nil && r.Report == nil {
		return err
	}
	done()
	return errors.Join(a.answerResult(r), err)
}

// ofFolder returns the result of a step that takes folders, if path is one. Otherwise it returns the path
// of the model that the step is for: that of the only model of a folder, or path itself.
func ofFolder(ctx context.Context, env session.Env, step session.Step, path string) (*session.Result, string, error) {
	if !folders.Is(path) {
		return nil, path, nil
	}
	var refused *folders.OneModelError
	if of, ok := step.(session.OfFolder); ok {
		r, err := of.RunFolder(ctx, env, path)
		if !errors.As(err, &refused) {
			return &r, "", err
		}
	}
	if o, ok := step.(opener); ok && o.OpensElsewhere() {
		return nil, path, nil
	}
	files, single, err := folders.Only(ctx, env, path)
	switch {
	case err == nil && single:
		return nil, files[0], nil
	case refused != nil:
		return nil, "", refused
	default:
		return nil, path, nil // opening it says which models it contains
	}
}

// answerResult writes the report of a result. If the result is "no", so is the exit status.
func (a *app) answerResult(r session.Result) error {
	if err := a.answer(r.Report); err != nil {
		return err
	}
	if r.No {
		return errNo
	}
	return nil
}

// openFor opens the model of a step. If the step runs on another machine, it opens the model there.
func (a *app) openFor(ctx context.Context, env session.Env, step session.Step, path string) (*graphops.Model, error) {
	if o, ok := step.(opener); ok && o.OpensElsewhere() {
		return o.OpenModel(ctx, env, path)
	}
	return a.openModel(ctx, path)
}

// runToStdout writes the model to standard output and the report to standard error, after the
// progress line is gone.
func (a *app) runToStdout(ctx context.Context, step session.Step, env session.Env, m *graphops.Model, done func()) error {
	for _, o := range step.Options() {
		if o.Name == "external-data" && len(o.Values()) > 0 {
			return session.UsageError("--out - writes one file, so not with --external-data")
		}
		if o.Role == session.RoleModel {
			o.Reset()
		}
	}
	r, err := step.Run(ctx, env, m)
	if err != nil {
		return err
	}
	result := r.Model
	if result == nil {
		result = m
	}
	done()
	if result != nil { // nil if the step could not make a model
		if err := graphops.Write(a.out, result); err != nil {
			return err
		}
	}
	beside := a.screenOn(a.errOut)
	if err := errors.Join(r.Report.WriteText(beside), beside.Flush()); err != nil {
		return err
	}
	if r.No {
		return errNo
	}
	return nil
}

func checkRequired(step session.Step) error {
	out, writes := outputOf(step)
	for _, o := range step.Options() {
		if !o.Required || len(o.Values()) > 0 || writes && out == "" && o.Role == session.RoleModel {
			continue
		}
		return session.UsageError(fmt.Sprintf("%s: --%s is required; see lathe %s --help", step.Name(), o.LongFlag(), step.Name()))
	}
	return nil
}

// outputOf returns where the step writes its model, and whether it can write one.
func outputOf(step session.Step) (path string, writes bool) {
	o, writes := session.WithRole(step, session.RoleModel)
	if !writes {
		return "", false
	}
	return strings.Join(o.Values(), ""), true
}

// A looker is a step that can also report on a file that is not a model.
type looker interface {
	// Look reports on a file. It returns a nil report if the caller should open the file as a model
	// instead. That is also so for a file that is not a model: opening it gives the error that
	// explains why.
	Look(ctx context.Context, env session.Env, path string) (session.Report, error)
}

// An opener is a step that takes a model and may have to open it on another machine.
type opener interface {
	session.Launched
	OpenModel(ctx context.Context, env session.Env, path string) (*graphops.Model, error)
}
