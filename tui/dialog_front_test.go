package tui

import (
	"context"
	"math"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui/actions"
	"lathe/tui/forms"
	"lathe/tui/front"
	"lathe/tui/guide"
	"lathe/tui/shell"
)

// foundReport is the report of a search that found five models.
type foundReport struct{ words }

func (foundReport) FrontTitle() string { return "models for snr>=30dB\x1b[31m" }

func (foundReport) FrontPoints() []reporting.FrontPoint {
	call := func(choose string) session.Call {
		return session.Call{Step: "search", Options: []session.Setting{{Name: "choose", Values: []string{choose}}}}
	}
	return []reporting.FrontPoint{
		{Bytes: 1000, Ratio: 0.25, SNR: 20, KL: 0.01, Top1: math.NaN(), Made: "2 nbits-4", Make: call("fc=nbits-4")},
		{Bytes: 1500, Ratio: 0.375, SNR: 30, KL: 0.005, Top1: math.NaN(), Made: "1 nbits-4", Make: call("left=nbits-4")},
		{Bytes: 2000, Ratio: 0.5, SNR: 40.5, KL: 0.001, Top1: math.NaN(), Made: "1 dynamic", Mark: "best", Make: call("fc=dynamic")},
		{Bytes: 3000, Ratio: 0.75, SNR: 60, KL: 1e-6, Top1: math.NaN(), Made: "1 float16", Make: call("fc=float16")},
		{Bytes: 4000, Ratio: 1, SNR: math.Inf(1), KL: 0, Top1: math.NaN(), Made: "unchanged", Make: session.Call{Step: "search"}},
	}
}

// searching returns a step that finds models, or makes one of them: a copy of the model.
func searching() session.Step {
	choose := new([]string)
	s := &fakeStep{name: "search", options: []session.Option{session.List(choose, "choose", "give `NODE` a type")}}
	s.run = func(_ context.Context, _ session.Env, m *graphops.Model) (session.Result, error) {
		if len(*choose) == 0 {
			return session.Result{Report: foundReport{words("3 trials")}}, nil
		}
		return session.Result{Report: words("made " + strings.Join(*choose, " ")), Model: m.WithRoots(nil)}, nil
	}
	return s
}

func searched(keys ...string) func(d *desk) {
	return func(d *desk) {
		o := testOptions(graphtest.Model(d.t, branchy))
		o.Steps = func() []session.Step { return []session.Step{searching()} }
		*d = *newDeskWith(d.t, o, d.app.w, d.app.h)
		d.perform(forms.OpenForm(d.app.ws, "search"))
		d.press("enter")
		d.press(keys...)
	}
}

func init() {
	effects[front.Place] = map[actions.Name]effect{
		shell.ActionTake:  {searched(), func(d *desk) bool { return d.app.ws.Session.CanUndo() == "search" }},
		shell.ActionCopy:  {searched(), copied("lathe search model.onnx --choose=fc=dynamic")},
		shell.ActionClose: {searched(), func(d *desk) bool { return !opens(front.Place)(d) }},
		shell.ActionHelp:  {searched(), opens(guide.PlaceHelp)},
	}
	positions[front.Place] = position{searched(), func(d *desk) int { return d.app.dialogs.Top().(*front.Dialog).Rows.Cursor }}
}

// TestFront: the models that a search found are shown as a chart and a list, from the best one, and Enter makes
// the selected one.
func TestFront(t *testing.T) {
	d := branchyDesk(t, 100, 30)
	searched()(d)
	d.sees("models for snr>=30dB", "of original", "40.5 dB", "best", "1 dynamic", "exact", "●")
	d.lacks("top-1")
	d.lacks("\x1b[31m")
	d.press("G", "enter")
	d.sees("this is the model as it is")
	d.press("g", "enter")
	d.sees("made fc=nbits-4")
	if got := d.app.ws.Session.CanUndo(); got != "search" {
		t.Errorf("the last step is %q", got)
	}
}

// TestFrontViews draws the dialog with and without room for the chart.
func TestFrontViews(t *testing.T) {
	for _, size := range [][2]int{{100, 30}, {80, 24}, {60, 12}, {25, 8}} {
		d := branchyDesk(t, size[0], size[1])
		searched()(d)
		screen := d.screen()
		if strings.Contains(screen, "└") != (size[1] > 12 && size[0] > 30) {
			t.Errorf("%v:\n%s", size, screen)
		}
		if want := text.Bytes(2000); size[0] > 30 && !strings.Contains(screen, want) {
			t.Errorf("%v: the list lacks %s:\n%s", size, want, screen)
		}
	}
}
