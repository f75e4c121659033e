package precision

import (
	"fmt"

	"lathe/tui/actions"
	"lathe/tui/cells"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

func (d *QuantizeDialog) tickAllRefusal() string {
	return actions.Unless(d.Ticks != nil && d.Ticks.Found.ticks > 0, "there is no node that could be quantized")
}

func (d *QuantizeDialog) weightTypeRefusal() string {
	return actions.Unless(d.hasWeightTypes(), d.Settings.Step+" has one type of weights")
}

func (d *QuantizeDialog) perChannelRefusal() string {
	return actions.Unless(workspace.HasOption(d.newStep(), "per-channel"), d.Settings.Step+" has no scales")
}

func (d *QuantizeDialog) copyRefusal() string {
	return actions.Unless(d.WS.Session.CanUndo() == "", "no command does this to the file, because the model has been changed here")
}

func (d *QuantizeDialog) editRefusal() string { return d.WS.StepRefusal(d.Settings.Step) }

func (d *QuantizeDialog) stopRefusal() string {
	return actions.Unless(d.isBusy() || d.Ticks == nil || d.Stopped || d.Measured < len(d.Ticks.Found.Weights), "all weights are measured")
}

func (d *QuantizeDialog) tickRefusal() string {
	c := d.At()
	switch {
	case c == nil:
		return "there is no node on this line"
	case c.Reason != "":
		return "it is not quantized: it " + cells.Prose(c.Reason)
	}
	return actions.Unless(c.Node().Name() != "", "the node has no name, so it cannot be left out; --include-ops chooses operators")
}

func (d *QuantizeDialog) asideRefusal() string {
	c := d.At()
	if c == nil {
		return "there is no node on this line"
	}
	_, _, ok := d.Ticks.Found.Where(c)
	return actions.Unless(ok, "the node is not in this model: inlining or simplifying makes it before quantization")
}

func (d *QuantizeDialog) lookRefusal() string {
	switch c := d.At(); {
	case c == nil:
		return "there is no node on this line"
	case len(c.Weights) == 0 && len(d.activations(c)) == 0:
		return "the node reads no weight that changes and no activation of the main graph"
	}
	return ""
}

func (d *QuantizeDialog) takeRefusal() string {
	switch {
	case d.Err != nil:
		return "the quantization is not possible: " + cells.Prose(d.Err.Error())
	case d.Question.IsOpen():
		return "the preview is still running"
	case d.Ticks == nil || d.Stopped:
		return "the preview was stopped; " + d.WS.Keys.Key(PlaceQuantize, shell.ActionCancel) + " starts it again"
	case d.Ticks.Found.Nothing != "":
		return cells.Prose(d.Ticks.Found.Nothing)
	case d.Ticks.On+d.Ticks.Found.unnamed == 0:
		return "no node is ticked; tick at least one"
	case workspace.HasOption(d.newStep(), "calibration") && d.Settings.Data == "":
		return fmt.Sprintf("quantize static needs samples to find ranges: %s takes a file of them, %s has all options", d.WS.Keys.Key(PlaceQuantize, ActionData), d.WS.Keys.Key(PlaceQuantize, shell.ActionEdit))
	}
	return d.WS.StepRefusal(d.Settings.Step)
}
