package tui

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/session/steps"
	"lathe/tui/tour"
)

// onTour opens the model of the tour with the real steps. The tour goes on when a key is pressed.
func onTour(t *testing.T, w, h int) *desk {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tour.onnx")
	if err := os.WriteFile(path, tour.Model, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := testOptions(m)
	o.Path, o.Steps = "tour.onnx", steps.All
	d := newDeskWith(t, o, w, h)
	d.app.tour.Waits = true
	d.perform(d.app.tour.Begin())
	return d
}

// TestTour plays the tour and looks at every stop.
func TestTour(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}} {
		d := onTour(t, size[0], size[1])
		for i, want := range []string{
			"2 × transformer layer", "query_key_value/MatMul", "query_key_value/Add", "numbers, ", "edit", "1 mark", "prune: ok", "input_ids:0=batch",
			"KiB → ", "fold", "profile: ", "type to find an action", "2 × transformer layer",
		} {
			if !d.app.tour.IsOn() {
				t.Fatalf("the tour is over before stop %d", i+1)
			}
			if i < len(tour.Stops)-1 {
				d.sees(tour.Stops[i].Says, want)
			}
			d.press("enter")
		}
		if d.app.tour.IsOn() || len(tour.Stops) != 13 {
			t.Errorf("the tour goes on after its %d stops", len(tour.Stops))
		}
		d.lacks("tour 13")
	}
}

// TestTourEnds leaves the tour in the middle; the keys then mean what they always mean.
func TestTourEnds(t *testing.T) {
	d := onTour(t, 100, 30)
	d.press("enter", "esc")
	d.lacks("tour 2/")
	if d.press("?"); !opens("help")(d) {
		t.Errorf("the keys do not work after the tour:\n%s", d.screen())
	}
}

// TestTourModel checks that the model of the tour is the one that testdata has.
func TestTourModel(t *testing.T) {
	made, err := os.ReadFile("../testdata/lm_batch1.onnx")
	if err != nil {
		t.Fatal(err)
	}
	if string(made) != string(tour.Model) {
		t.Error("tui/tour/model.onnx is not testdata/lm_batch1.onnx; copy it")
	}
}
