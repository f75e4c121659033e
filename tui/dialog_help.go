package tui

import (
	"strings"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/controls"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/shell"
	"lathe/tui/workspace"
)

const placeHelp actions.Place = "help"

// Help opens the help for the present place, unless it is open.
func (a *App) Help() tea.Cmd {
	if top := a.dialogs.Top(); top == nil || top.Place() != placeHelp {
		a.dialogs.Open(newHelpDialog(a))
	}
	return nil
}

// newHelpDialog lists the keys of the place from which it is opened.
func newHelpDialog(a *App) *shell.TextDialog {
	places := []actions.Place{a.focused().Place(), shell.PlaceMain, shell.PlaceAlways}
	if top := a.dialogs.Top(); top != nil {
		places = []actions.Place{top.Place(), shell.PlaceAlways}
	}
	var lines []string
	for _, p := range places {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, a.ws.Styles.Heading.On(string(p)))
		for _, b := range a.ws.Keys.Of(p) {
			if len(b.Keys) == 0 {
				continue
			}
			lines = append(lines, a.helpLine(b))
		}
	}
	if e, ok := a.dialogs.Top().(shell.Explained); ok {
		lines = append(lines, e.Page()...)
	}
	return shell.NewTextDialog(a, placeHelp, "help", lines)
}

// keyColumn is the width of the column of keys.
const keyColumn = 21

func (a *App) helpLine(b actions.Action) string {
	spelled := make([]string, len(b.Keys))
	for i, k := range b.Keys {
		spelled[i] = controls.Spell(k)
	}
	keys := strings.Join(spelled, "  ")
	gap := cells.Blanks(max(keyColumn-cells.Width(keys), 1))
	return "  " + a.ws.Styles.Key.On(keys) + gap + explain(a.ws, b)
}

// explain says what an action does. For the form of a step, it is the summary of the step.
func explain(ws *workspace.Workspace, act actions.Action) string {
	name, isStep := strings.CutPrefix(string(act.Name), workspace.StepPrefix)
	if !isStep {
		return act.Help
	}
	if s := ws.NewStep(name); s != nil {
		return name + ": " + s.Summary()
	}
	return name + ": not in this build"
}
