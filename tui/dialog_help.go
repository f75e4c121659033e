package tui

import (
	"lathe/tui/cells"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// help opens the help for this place, once.
func (a *App) help() {
	if top := a.dialogs.top(); top == nil || top.place() != placeHelp {
		a.dialogs.open(newHelpDialog(a))
	}
}

// newHelpDialog lists the keys of the place where it is asked for.
func newHelpDialog(a *App) *textDialog {
	places := in(placeMain, a.focus.place(), placeAlways)
	if top := a.dialogs.top(); top != nil {
		places = in(top.place(), placeAlways)
	}
	var lines []string
	for _, p := range places {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, a.ws.styles.Heading.On(string(p)))
		for _, b := range bindingsOf(p) {
			lines = append(lines, a.helpLine(b))
		}
	}
	return &textDialog{app: a, at: placeHelp, head: "help", lines: lines}
}

// helpKeys is the width of the column of keys.
const helpKeys = 21

func (a *App) helpLine(b binding) string {
	spelled := make([]string, len(b.keys))
	for i, k := range b.keys {
		spelled[i] = spell(k)
	}
	keys := strings.Join(spelled, "  ")
	gap := cells.Blanks(max(helpKeys-ansi.StringWidth(keys), 1))
	return "  " + a.ws.styles.Key.On(keys) + gap + a.ws.explain(b)
}

// explain says what a binding does. What a step does, the step says.
func (ws *workspace) explain(b binding) string {
	name, isStep := strings.CutPrefix(string(b.action), stepPrefix)
	if !isStep {
		return b.help
	}
	if s := ws.newStep(name); s != nil {
		return name + ": " + s.Summary()
	}
	return name + ": not in this build"
}
