package workspace

import (
	"strings"

	"lathe/session"
)

// StepsTaken returns the names of the steps that a saved recipe would contain, separated by commas.
func StepsTaken(ws *Workspace) string {
	var names []string
	for _, c := range ws.Session.Recipe().Steps {
		names = append(names, c.Step)
	}
	return strings.Join(names, ", ")
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
