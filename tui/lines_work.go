package tui

import (
	"strings"

	"lathe/session"
)

// stepsTaken returns the names of the steps that a saved recipe would contain, separated by commas.
func stepsTaken(ws *workspace) string {
	var names []string
	for _, c := range ws.session.Recipe().Steps {
		names = append(names, c.Step)
	}
	return strings.Join(names, ", ")
}

// afterSteps returns the text that precedes a step's command line. It says that the earlier steps have
// to be taken first. It is "" if there are none, or if the step does not use the model in the
// workbench.
func afterSteps(ws *workspace, s session.Step) string {
	if ws.session.CanUndo() == "" || !session.TakesModel(s) {
		return ""
	}
	return "after the earlier steps: "
}
