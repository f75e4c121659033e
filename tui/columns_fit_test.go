package tui

import (
	"fmt"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/nodes"
	"lathe/tui/workspace"
)

// widthsOfScreens are those at which columns are checked.
var widthsOfScreens = []int{60, 80, 120, 200}

// leastName is the room that names have before another column is shown.
const leastName = 28

// withModels calls f with the models of the repository.
func withModels(t *testing.T, f func(t *testing.T, m *graphops.Model)) {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"../testdata/*.onnx", "../../shared/models/*/*.onnx"} {
		some, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, some...)
	}
	if len(paths) == 0 {
		t.Fatal("there are no models")
	}
	for _, path := range paths {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			continue // one of those that are broken
		}
		t.Run(filepath.Base(path), func(t *testing.T) { f(t, m) })
	}
}

// TestNamesGetTheRoom shows every column of the list. Those without a text disappear, and names
// have their room before any other column has.
func TestNamesGetTheRoom(t *testing.T) {
	withModels(t, func(t *testing.T, m *graphops.Model) {
		for _, w := range widthsOfScreens {
			o := testOptions(m)
			for _, c := range graph.AllColumns {
				if !c.Shown {
					o.Settings.Columns = append(o.Settings.Columns, c.Name)
				}
			}
			d := newDeskWith(t, o, w, 30)
			for _, focus := range []string{"2", "3"} {
				d.press(focus)
				checkColumns(t, d, fmt.Sprintf("%d columns, pane %s", w, focus))
			}
		}
	})
}

func checkColumns(t *testing.T, d *desk, when string) {
	t.Helper()
	ws := d.app.ws
	longest := 0
	for row := range ws.Outline.Len() {
		longest = max(longest, cells.Width(ws.Outline.Name(row)))
	}
	c := d.paneOf(workspace.PlaceNodes).(*nodes.Pane).Columns()
	if c.Name < min(leastName, longest) && (c.Typ > 0 || len(c.More) > 0) {
		t.Errorf("%s: names of up to %d have %d cells beside a type of %d and %d columns", when, longest, c.Name, c.Typ, len(c.More))
	}
	for _, e := range c.More {
		filled := false
		for row := range ws.Outline.Len() {
			filled = filled || e.Text(ws.Wiring, row) != ""
		}
		if !filled {
			t.Errorf("%s: the empty column %s is shown", when, e.Name)
		}
	}
}

// TestSortedColumnIsShown sorts a list that has hardly room for names.
func TestSortedColumnIsShown(t *testing.T) {
	m, err := graphops.Open("../testdata/text_classifier.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, m, 60, 24)
	d.column("readers", "s")
	d.sees("readers↓")
}
