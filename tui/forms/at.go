package forms

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/tui/workspace"
)

// OpenFormAt opens the form of a step with suggested values and the cursor on one option.
func OpenFormAt(ws *workspace.Workspace, name, option string) tea.Cmd {
	cmd := OpenForm(ws, name)
	f, isForm := ws.Host.Top().(*Form)
	if !isForm {
		return cmd
	}
	for _, fl := range f.Fields {
		if fl.option.Name == option {
			fl.Rare = false
			f.Focus(fl)
		}
	}
	return cmd
}

// Reachable returns the options of a step that a person may look for by name. The files that a step
// writes are not among them: every step has those.
func Reachable(step session.Step) []session.Option {
	return slices.DeleteFunc(step.Options(), func(o session.Option) bool { return o.Role != session.NoRole })
}
