package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/ort"
	"lathe/tui/install"
	"lathe/tui/workspace"
)

// TestInstall installs a runtime as a job. That is not a step of the model.
func TestInstall(t *testing.T) {
	o := testOptions(graphtest.Model(t, branchy))
	o.Install = func(_ context.Context, progress func(session.Progress)) (session.Report, error) {
		progress(session.Progress{Phase: "fetching"})
		return words("1.99.0 from nowhere"), nil
	}
	d := newDeskWith(t, o, 100, 30)
	d.press(":")
	d.write("runtime install")
	d.press("enter")
	d.sees("runtime install: ok", "1.99.0 from nowhere")
	if d.app.ws.Session.CanUndo() != "" {
		t.Error("the installation is a step of the model")
	}
}

func TestInstallFails(t *testing.T) {
	o := testOptions(graphtest.Model(t, branchy))
	o.Install = func(context.Context, func(session.Progress)) (session.Report, error) {
		return nil, errors.New("neither pip nor npm is there")
	}
	d := newDeskWith(t, o, 100, 30)
	d.perform(install.Open(d.app.ws))
	d.sees("runtime install: failed", "neither pip nor npm is there")
}

func TestInstallRefusal(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 100, 30)
	if why := install.Refusal(d.app.ws); why != "nothing can be installed from here; in a shell: lathe runtime install" {
		t.Error(why)
	}
}

// lackRuntime adds a job that failed because there is no ONNX Runtime, and lets the workbench install one.
func lackRuntime(keys ...string) func(*desk) {
	return func(d *desk) {
		d.app.ws.Options.Install = func(context.Context, func(session.Progress)) (session.Report, error) { return words("1.99.0"), nil }
		d.perform(d.app.ws.Start(broken{ort.ErrNoRuntime}, &workspace.Job{Name: "bench", Command: "lathe bench"}))
		d.press("esc").press(keys...)
	}
}

// broken is a step that fails.
type broken struct{ err error }

func (broken) Name() string              { return "bench" }
func (broken) Summary() string           { return "fails" }
func (broken) Options() []session.Option { return nil }
func (broken) Preview(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
	return session.Preview{}, nil
}

func (f broken) Run(context.Context, session.Env, *graphops.Model) (session.Result, error) {
	return session.Result{}, f.err
}

// TestInstallAfterFailure: a job that lacked an ONNX Runtime offers to install one, in its own report and
// among the problems. Another error does not. The installation removes the problem.
func TestInstallAfterFailure(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 100, 30)
	lackRuntime("P")(d)
	d.sees("bench has failed:", "no usable ONNX Runtime", "i installs one here")
	d.press("i")
	d.sees("runtime install: ok")
	d.press("esc", "P")
	if strings.Contains(d.screen(), "has failed") {
		t.Errorf("after the installation:\n%s", d.screen())
	}
	d.press("esc")
	d.perform(d.app.ws.Start(broken{errors.New("broken")}, &workspace.Job{Name: "bench", Command: "lathe bench"}))
	d.press("esc", "P")
	d.sees("bench has failed:", "broken")
	d.press("i")
	d.sees("this job did not lack an ONNX Runtime")
}
