package workspace

import (
	"strings"

	"lathe/session"
)

// StepsTaken returns the names of the steps that made the current model, separated by commas. Steps
// that only wrote or measured it are not among them.
func StepsTaken(ws *Workspace) string {
	var names []string
	for _, p := range ws.Session.History() {
		if p.Changed {
			names = append(names, p.Call.Step)
		}
	}
	return strings.Join(names, ", ")
}

// CommandLines returns the command line of s on the file that has the model as it is. If no file has it,
// it returns the command lines that take the steps so far on the opened model and then s. It is "" if
// an earlier step has no command.
func (ws *Workspace) CommandLines(s session.Step) string {
	if ws.Unsaved() == "" {
		return session.CommandOf(s, ws.Called())
	}
	var before []session.Command
	for _, p := range ws.Session.History() {
		if !p.Changed {
			continue
		}
		earlier := ws.NewStep(p.Call.Step)
		if earlier == nil || p.Call.Apply(earlier, "") != nil {
			return ""
		}
		before = append(before, earlier)
	}
	return session.CommandLines(before, s, ws.Options.Path)
}

// AfterSteps returns the text that precedes a step's command line. It says that the earlier steps have
// to be taken first. It is "" if there are none, or if the step does not use the model in the
// workbench.
func AfterSteps(ws *Workspace, s session.Step) string {
	if ws.Session.CanUndo() == "" || !session.TakesModel(s) {
		return ""
	}
	return "after the earlier steps: "
}
