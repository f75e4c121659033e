package tui

import (
	"strings"
	"testing"

	"lathe/tui/workspace"
)

// TestPaletteRanks puts entries that contain the words before entries that only contain their
// letters.
func TestPaletteRanks(t *testing.T) {
	for typed, want := range map[string]string{
		"prune":   "prune: does prune",
		"quit":    "quit",
		"log":     "log of messages",
		"undo":    "undo the last step",
		"name":    "copy the name of this node or value",
		"mark":    "mark an output to keep",
		"theme":   "next theme",
		"steps":   "the steps so far: change, move, remove",
		"axs":     "axes: does axes",
		"EXPORT ": "export: does export",
		"mac":     "show or hide the column macs: multiply-accumulates of the node",
		"memory":  "show or hide the column memory: size in bytes of the outputs of the node",
	} {
		d := branchyDesk(t, 80, 24)
		d.press(":").write(typed)
		p := d.app.dialogs.Top().(*palette)
		if len(p.shown) == 0 {
			t.Errorf("%q: nothing is found", typed)
			continue
		}
		if got := p.entries[p.shown[0]].help; got != want {
			t.Errorf("%q leads to %q, want %q", typed, got, want)
		}
	}
}

// TestPaletteOfColumns shows a column of the list and hides it again.
func TestPaletteOfColumns(t *testing.T) {
	d := branchyDesk(t, 120, 30)
	d.press(":").write("macs").press("enter")
	d.sees("the list shows the column macs", "macs  ")
	if !workspace.ShowsColumn(d.app.ws, "macs") {
		t.Error("it does not")
	}
	d.press(":").write("macs").press("enter")
	d.sees("the list no longer shows the column macs")
	if d.press(":").write("column name of the node").press("enter"); !workspace.ShowsColumn(d.app.ws, "name") {
		t.Error("the names are gone")
	}
	d.sees("names cannot be hidden")
}

// TestPaletteOfAPane lists actions that only the focused pane has, runs one there, and removes a
// key for which the pane has another meaning.
func TestPaletteOfAPane(t *testing.T) {
	d := branchyDesk(t, 120, 30)
	for i, m := range d.app.members {
		d.app.Look(m.Panel.Place)
		d.press(":")
		p := d.app.dialogs.Top().(*palette)
		for _, b := range m.Actions {
			if b.Name.IsMotion() {
				continue
			}
			at := 0
			for at < len(p.entries) && p.entries[at].action.Name != b.Name {
				at++
			}
			if at == len(p.entries) || p.entries[at].owner == any(d.app) {
				t.Errorf("pane %d: %s is not offered", i, b.Name)
			}
		}
		for _, e := range p.entries {
			if e.owner != any(d.app) || e.key == "" {
				continue
			}
			for _, b := range m.Actions {
				if b.Key() == e.key {
					t.Errorf("pane %d: %s is offered with %s, which means %s there", i, e.action.Name, e.key, b.Name)
				}
			}
		}
		d.press("esc")
	}
	d.app.Look(workspace.PlaceNodes)
	d.press(":").write("nodes:").press("enter")
	if !closed(d) || strings.Contains(d.screen(), "palette  ") && !looksAt(workspace.PlaceDetail)(d) {
		t.Errorf("the pane's own action is not done:\n%s", d.screen())
	}
}
