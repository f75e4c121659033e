package tui

import (
	"context"
	"strings"
	"testing"
	"time"

	"lathe/graphops/graphtest"
	"lathe/session/steps"
	"lathe/tui/config"
	"lathe/tui/overview"
	"lathe/tui/workspace"
)

// TestFirstScreen shows the overview in the place of the detail until the cursor moves.
func TestFirstScreen(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, layered), 120, 40)
	d.sees("0 overview", "2 × layers.*", "input x", "next", "find a node", "groups")
	if !looksAt(workspace.PlaceNodes)(d) {
		t.Error("the list does not have the focus")
	}
	d.press("/", "esc").sees("0 overview")
	d.press("j").lacks("0 overview")
	d.sees("3 detail", "Relu")
	d.press("0").sees("0 overview")
	d.press("2").sees("0 overview") // the user has chosen it
	d.press("3").lacks("0 overview")
}

// TestFirstScreenNarrow shows the beginning of the overview in a box over the list. Any key closes it
// and does what it does otherwise.
func TestFirstScreenNarrow(t *testing.T) {
	for _, w := range []int{40, 60, 80} {
		d := newDesk(t, graphtest.Model(t, layered), w, 24)
		d.sees("2 × layers.*", "0 more")
		before := d.app.ws.Row()
		d.press("j").lacks("2 × layers.*")
		if d.app.ws.Row() != before+1 {
			t.Errorf("at width %d, the first key did not move the cursor", w)
		}
	}
	d := newDesk(t, graphtest.Model(t, layered), 80, 24).press("0")
	d.sees("groups")
	if !looksAt(overview.Place)(d) {
		t.Error("0 does not lead to the overview")
	}
	d = newDesk(t, graphtest.Model(t, layered), 80, 12)
	d.lacks("0 more") // too low for a box
}

// TestNextActions proposes what makes sense, with the keys of the settings, and performs it.
func TestNextActions(t *testing.T) {
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = steps.All
	o.Settings.Keys = []config.Binding{{Place: "main", Action: "step-axes", Keys: []string{"Z"}}, {Place: "main", Action: "quantize"}}
	d := newDeskWith(t, o, 120, 40)
	d.sees("Z      make the batch size free", "T      measure where the time goes")
	d.lacks("smaller weights") // it has no key
	d.press("0")
	for !strings.Contains(overviewOf(d).Said(), "batch size") {
		d.press("j")
	}
	d.press("enter").sees("dynamic")
	d.press("esc")
	d.press("2", "j", "j", "space").press("0").sees("p      prune to the marks")
}

// TestGroups goes to the nodes of a group, and shows what is in it.
func TestGroups(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, layered), 120, 40).press("0", "G", "l")
	d.sees("▾ 2 × layers.*", "a ", "b ")
	d.press("j", "enter")
	d.sees("nodes of a: row 1 of 4")
	if got := d.selected(); got != "/layers.0/a/Relu" {
		t.Errorf("the first node of the group is %q", got)
	}
}

// TestEarlierProfile shows the times of a stored profile, and adds them to the groups. Times that
// were measured in the meantime stay.
func TestEarlierProfile(t *testing.T) {
	o := testOptions(graphtest.Model(t, weighted))
	o.Earlier = func(context.Context) Stored {
		return Stored{Times: timesOfWeighted(), Told: []string{"profile of 1 January 2026"}}
	}
	d := newDeskWith(t, o, 200, 40)
	d.sees("980 µs", "98.0 %", "profile of 1 January 2026", "time")
	o.Earlier = func(context.Context) Stored { return Stored{} }
	d = newDeskWith(t, o, 200, 40)
	d.lacks("98.0 %")
	o.Stored = Stored{Times: timesOfWeighted()}
	o.Earlier = func(context.Context) Stored { t.Error("it was asked although times are given"); return Stored{} }
	d = newDeskWith(t, o, 200, 40)
	d.sees("98.0 %")
}

// TestOverviewDoesNotWait draws the first frame before the model is summed up.
func TestOverviewDoesNotWait(t *testing.T) {
	a := New(t.Context(), testOptions(chain(t, 20_000)))
	at := time.Now()
	a.w, a.h = 120, 40
	a.sync()
	if s := a.View().Content; !strings.Contains(s, "working out what this model is") {
		t.Errorf("the first frame is\n%s", s)
	}
	if took := time.Since(at); took > time.Second {
		t.Errorf("the first frame took %v", took)
	}
}
