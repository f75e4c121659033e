package tui

import (
	"context"
	"errors"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/tui/install"
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
