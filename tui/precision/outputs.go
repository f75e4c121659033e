package precision

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/quant"
	"lathe/tui/actions"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// sensitivity is the name of the step that measures what each node costs at the outputs.
const sensitivity = workspace.QuantizePrefix + "sensitivity"

// costs returns what each node of the dialog's model costs at the outputs. It is nil if that is not
// measured for the mode of the dialog.
func (d *QuantizeDialog) costs() *graph.NodeSignals {
	if d.WS.Types.Model != d.Base {
		return nil
	}
	if s := d.WS.Types.Signals.Load(); s != nil && s.AtOutputs && strings.HasSuffix(s.How, ", "+d.mode()) {
		return s
	}
	return nil
}

// costOf returns the signal-to-noise ratio in dB at the outputs if only this candidate is quantized, and
// false if it is not known.
func (f *quantizeFound) costOf(c *quant.Candidate, costs *graph.NodeSignals) (db float64, known bool) {
	if p, index, ok := f.Where(c); ok {
		return costs.Of(p, index)
	}
	return 0, false
}

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

// compares is the name of the step that compares all modes.
const compares = workspace.QuantizePrefix + "compare"

func (d *QuantizeDialog) compareRefusal() string {
	return actions.Unless(d.WS.NewStep(compares) != nil, "there is no step "+compares)
}

// compareModes opens the form of the step that compares all modes.
func (d *QuantizeDialog) compareModes() tea.Cmd { return d.openAbove(compares, map[string][]string{}) }

// measureOutputs opens the form of the step that measures what each node costs.
func (d *QuantizeDialog) measureOutputs() tea.Cmd {
	return d.openAbove(sensitivity, map[string][]string{"mode": {d.mode()}})
}

// openAbove opens the form of a step with the data of the dialog, which stays open below it.
func (d *QuantizeDialog) openAbove(step string, values map[string][]string) tea.Cmd {
	if d.Settings.Data != "" {
		values["data"] = []string{d.Settings.Data}
	}
	return forms.OpenFormFilled(d.WS, step, values)
}
