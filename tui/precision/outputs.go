package precision

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/actions"
	"lathe/tui/forms"
	"lathe/tui/workspace"
)

// sensitivity is the name of the step that measures what each node costs at the outputs.
const sensitivity = workspace.QuantizePrefix + "sensitivity"

// mode returns the mode of the dialog, such as "dynamic".
func (d *QuantizeDialog) mode() string {
	return strings.TrimPrefix(d.Settings.Step, workspace.QuantizePrefix)
}

// outputsRefusal says why the cost of each node cannot be measured in the mode of the dialog, or "".
func (d *QuantizeDialog) outputsRefusal() string {
	step := d.WS.NewStep(sensitivity)
	if step == nil {
		return "there is no step " + sensitivity
	}
	err := workspace.SetOption(step, "mode", d.mode())
	return actions.Unless(err == nil, "it cannot be measured for "+d.mode())
}

// measureOutputs opens the form of the step that measures what each node costs.
func (d *QuantizeDialog) measureOutputs() tea.Cmd {
	values := map[string][]string{"mode": {d.mode()}}
	if d.Settings.Data != "" {
		values["data"] = []string{d.Settings.Data}
	}
	d.WS.Host.Close(d)
	return forms.OpenFormFilled(d.WS, sensitivity, values)
}
