package tui

import (
	"fmt"

	"lathe/graphops/quant"
	"lathe/tui/cells"
)

func (d *quantizeDialog) refusal(a action) string {
	c := d.at()
	switch a {
	case actionToggle:
		return tickRefusal(c)
	case actionTickAll:
		return unless(d.ticks != nil && d.ticks.found.ticks > 0, "there is no node that could be quantized")
	case actionTake:
		return d.takeRefusal()
	case actionLookAt:
		return d.lookRefusal(c)
	case actionAside:
		return d.asideRefusal(c)
	case actionWeightType:
		return unless(d.hasWeightTypes(), d.settings.step+" has one type of weights")
	case actionPerChannel:
		return unless(hasOption(d.newStep(), "per-channel"), d.settings.step+" has no scales")
	case actionCopy:
		return unless(d.app.ws.session.CanUndo() == "", "no command does this to the file, because the model has been changed here")
	case actionCancel:
		return unless(d.isBusy() || d.ticks == nil || d.stopped || d.measured < len(d.ticks.found.weights), "all weights are measured")
	case actionEdit:
		return d.app.ws.stepRefusal(d.settings.step)
	}
	return ""
}

func tickRefusal(c *quant.Candidate) string {
	switch {
	case c == nil:
		return "there is no node on this line"
	case c.Reason != "":
		return "it is not quantized: it " + cells.Prose(c.Reason)
	}
	return unless(c.Node().Name() != "", "the node has no name, so it cannot be left out; --include-ops chooses operators")
}

func (d *quantizeDialog) asideRefusal(c *quant.Candidate) string {
	if c == nil {
		return "there is no node on this line"
	}
	_, _, ok := d.ticks.found.where(c)
	return unless(ok, "the node is not in this model: inlining or simplifying makes it before quantization")
}

func (d *quantizeDialog) lookRefusal(c *quant.Candidate) string {
	switch {
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
	case d.question.isOpen():
		return "the preview is still running"
	case d.ticks == nil || d.stopped:
		return "the preview was stopped; " + d.app.ws.keys.key(placeQuantize, actionCancel) + " starts it again"
	case d.ticks.found.Nothing != "":
		return cells.Prose(d.ticks.found.Nothing)
	case d.ticks.on+d.ticks.found.unnamed == 0:
		return "no node is ticked; tick at least one"
	case hasOption(d.newStep(), "calibration") && d.settings.data == "":
		return fmt.Sprintf("quantize static needs samples to find ranges: %s takes a file of them, %s has all options", d.app.ws.keys.key(placeQuantize, actionData), d.app.ws.keys.key(placeQuantize, actionEdit))
	}
	return d.app.ws.stepRefusal(d.settings.step)
}
