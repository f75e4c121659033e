package tui

import (
	"testing"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// TestClicksOnFindings selects a line with a click, and goes to its node with another; a line
// without a node leads nowhere.
func TestClicksOnFindings(t *testing.T) {
	d := axesDesk(t, pinned, 80, 24)
	d.press("6", "j", "d", "enter")
	r := shell.Inner(d.app.dialogs.Top(), d.app.screen())
	for range 2 {
		d.click(r.X, r.Y+3)
	}
	if closed(d) || theChange(d).Rows.Cursor != 2 {
		t.Fatalf("a click on a line about no node leads away:\n%s", d.screen())
	}
	d.sees("this line is not about a node")
	for range 2 {
		d.click(r.X, r.Y+1)
	}
	if !closed(d) || d.selected() != "split" {
		t.Errorf("clicks on a pin lead to %q", d.selected())
	}
	d.press("6", "d", "enter", "r", "enter", "A")
	r = shell.Inner(d.app.dialogs.Top(), d.app.screen())
	if d.click(r.X, r.Y); !closed(d) {
		t.Errorf("a click on the selected pin does not lead to it:\n%s", d.screen())
	}
}

// TestClicksOnAxes selects a value with a click, and goes to its row with another.
func TestClicksOnAxes(t *testing.T) {
	d := axesDesk(t, pinned, 120, 24)
	d.press("6")
	x, y := d.app.screen().At[shell.RegionRight].X+2, d.app.screen().At[shell.RegionRight].Y+1
	d.click(x, y+3)
	d.sees("output e")
	d.click(x, y+3)
	if d.selected() != "e" || !looksAt(workspace.PlaceNodes)(d) {
		t.Errorf("a click on the selected value leads to %q", d.selected())
	}
	d.click(x, y+9)
	d.wheel(x, y, 0)
}

// TestModelChangesBelowADialog does not go to nodes of a model that is no longer shown.
func TestModelChangesBelowADialog(t *testing.T) {
	d := axesDesk(t, pinned, 120, 40)
	d.press("6", "j", "d", "enter").hold = true
	change := func() {
		ws := d.app.ws
		ws.Session.Record(fakeAxes(), resultOf(graphops.Edit(ws.Model()).Model()))
		d.perform(ws.ShowModel())
		d.send(nil)
		d.app.sync()
	}
	change()
	d.press("o")
	d.sees("the search for fixed sizes is still running")
	d.resume()
	d.press("esc", "6", "d", "enter", "r", "enter", "A")
	change()
	if d.press("enter"); closed(d) {
		t.Error("enter leads to a node of another model")
	}
	d.sees("the model has changed since then")
}

func resultOf(m *graphops.Model) session.Result { return session.Result{Model: m} }
