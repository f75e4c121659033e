package install

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/forms"
	"lathe/tui/workspace"
)

const name = workspace.InstallsRuntime

// Open starts the installation and shows its progress.
func Open(ws *workspace.Workspace) tea.Cmd {
	cmd := ws.Start(step{ws.Options.Install}, &workspace.Job{
		Name: name, Command: "lathe " + name, Finds: true,
		Settle: func(error) tea.Cmd { return nil }, // the job's own lines say how it ended
	})
	ws.Host.Open(forms.NewResultsDialog(ws))
	return cmd
}

// Refusal says why nothing can be installed now, or "".
func Refusal(ws *workspace.Workspace) string {
	if ws.Options.Install == nil {
		return "nothing can be installed from here; in a shell: lathe " + name
	}
	return ws.Busy()
}

// step is the installation as a step. It does not depend on the model.
type step struct{ install workspace.Installer }

func (step) Name() string              { return name }
func (step) Summary() string           { return "installs an ONNX Runtime" }
func (step) Options() []session.Option { return nil }

// Preview implements session.Step. Nothing is known before the download.
func (step) Preview(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
	return session.Preview{}, nil
}

// Run implements session.Step.
func (s step) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	r, err := s.install(ctx, env.Progress)
	return session.Result{Report: r}, err
}
