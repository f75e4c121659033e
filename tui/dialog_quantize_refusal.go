package tui

import (
	"fmt"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

func (d *quantizeDialog) tickAllRefusal() string {
	return actions.Unless(d.ticks != nil && d.ticks.found.ticks > 0, "there is no node that could be quantized")
}

func (d *quantizeDialog) weightTypeRefusal() string {
	return actions.Unless(d.hasWeightTypes(), d.settings.step+" has one type of weights")
}

func (d *quantizeDialog) perChannelRefusal() string {
	return actions.Unless(workspace.HasOption(d.newStep(), "per-channel"), d.settings.step+" has no scales")
}

func (d *quantizeDialog) copyRefusal() string {
	return actions.Unless(d.WS.Session.CanUndo() == "", "no command does this to the file, because the model has been changed here")
}

func (d *quantizeDialog) editRefusal() string { return d.WS.StepRefusal(d.settings.step) }

func (d *quantizeDialog) stopRefusal() string {
	return actions.Unless(d.isBusy() || d.ticks == nil || d.stopped || d.measured < len(d.ticks.found.weights), "all weights are measured")
}

func (d *quantizeDialog) tickRefusal() string {
	c := d.at()
	switch {
	case c == nil:
		return "there is no node on this line"
	case c.Reason != "":
		return "it is not quantized: it " + cells.Prose(c.Reason)
	}
	return actions.Unless(c.Node().Name() != "", "the node has no name, so it cannot be left out; --include-ops chooses operators")
}

func (d *quantizeDialog) asideRefusal() string {
	c := d.at()
	if c == nil {
		return "there is no node on this line"
	}
	_, _, ok := d.ticks.found.where(c)
	return actions.Unless(ok, "the node is not in this model: inlining or simplifying makes it before quantization")
}

func (d *quantizeDialog) lookRefusal() string {
	switch c := d.at(); {
	case c == nil:
		return "there is no node on this line"
	case len(c.Weights) == 0 && len(d.activations(c)) == 0:
		return "the node reads no weight that changes and no activation of the main graph"
	}
	return ""
}

func (d *quantizeDialog) takeRefusal() string {
	switch {
	case d.err != nil:
		return "the quantization is not possible: " + cells.Prose(d.err.Error())
	case d.question.IsOpen():
		return "the preview is still running"
	case d.ticks == nil || d.stopped:
		return "the preview was stopped; " + d.WS.Keys.Key(placeQuantize, shell.ActionCancel) + " starts it again"
	case d.ticks.found.Nothing != "":
		return cells.Prose(d.ticks.found.Nothing)
	case d.ticks.on+d.ticks.found.unnamed == 0:
		return "no node is ticked; tick at least one"
	case workspace.HasOption(d.newStep(), "calibration") && d.settings.data == "":
		return fmt.Sprintf("quantize static needs samples to find ranges: %s takes a file of them, %s has all options", d.WS.Keys.Key(placeQuantize, actionData), d.WS.Keys.Key(placeQuantize, shell.ActionEdit))
	}
	return d.WS.StepRefusal(d.settings.step)
}
