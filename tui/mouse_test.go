package tui

import (
	"testing"

	"lathe/tui/guide"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops/graphtest"
	"lathe/tui/controls"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

func (d *desk) click(x, y int) *desk {
	d.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	return d
}

func (d *desk) wheel(x, y int, b tea.MouseButton) {
	d.send(tea.MouseWheelMsg{X: x, Y: y, Button: b})
}

func TestClicks(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 120, 24)
	if d.click(10, 4); d.selected() != "left" {
		t.Errorf("a click selects %q, want left", d.selected())
	}
	if d.click(10, 4); d.app.focused().Panel.Place != workspace.PlaceDetail {
		t.Error("a click on the selected row does not open it")
	}
	if d.click(10, 23).click(10, 22); d.selected() != "left" {
		t.Errorf("a click beside the rows selects %q", d.selected())
	}
	d.send(tea.MouseClickMsg{X: 10, Y: 2, Button: tea.MouseRight})
	if d.selected() != "left" {
		t.Error("the right button selects")
	}
}

// TestClickOnAPane gives a pane the focus by a click, and shows a pane by a click on its title.
func TestClickOnAPane(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 120, 24).press("3", "2")
	if d.click(100, 10); d.app.focused().Panel.Place != workspace.PlaceDetail {
		t.Error("a click on the detail does not give it the focus")
	}
	s := d.app.screen()
	at := s.At[shell.RegionRight]
	for i, n := range d.app.sharing(shell.RegionRight) {
		x := at.X + 1
		for _, before := range d.app.sharing(shell.RegionRight)[:i] {
			x += len(d.app.members[before].Title) + 4
		}
		if d.click(x, at.Y); d.app.at != n {
			t.Errorf("a click on title %d gives pane %d the focus, want %d", i, d.app.at, n)
		}
	}
}

func TestClickInDialogs(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("j", "j", "l")
	d.sees("read by")
	r := shell.Inner(d.app.dialogs.Top(), d.app.screen())
	if d.click(r.X+2, r.Y+1); d.selected() != "right" {
		t.Errorf("a click on the second choice leads to %q, want right", d.selected())
	}
	d.press("?")
	if d.click(0, 0); !opens(guide.PlaceHelp)(d) {
		t.Error("a click beside a dialog reaches what is below")
	}
}

// TestWheelFlood turns the wheel faster than frames are drawn: the events become one movement.
func TestWheelFlood(t *testing.T) {
	d := newDesk(t, chain(t, 1000), 120, 24)
	d.hold = true
	for range 10 {
		d.wheel(10, 10, tea.MouseWheelDown)
	}
	if n := d.app.ws.Row(); n != 0 {
		t.Errorf("the list is at row %d before it is time", n)
	}
	if len(d.waiting) != 1 {
		t.Fatalf("%d movements wait, want 1", len(d.waiting))
	}
	d.resume()
	if n := d.app.ws.Row(); n != 10*controls.Wheel(tea.MouseWheelDown) {
		t.Errorf("the list is at row %d, want %d", n, 10*controls.Wheel(tea.MouseWheelDown))
	}
	d.wheel(10, 10, tea.MouseWheelUp)
	if n := d.app.ws.Row(); n != 9*controls.Wheel(tea.MouseWheelDown) {
		t.Errorf("back at row %d, want %d", n, 9*controls.Wheel(tea.MouseWheelDown))
	}
}

func TestMouseIsTheTerminals(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.app.ws.Options.Settings.Mouse = true
	if d.press("M"); d.app.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is still taken")
	}
}
