package tui

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest/growth"
	"lathe/session/steps"
	"lathe/tui/shell"
)

// growthApart are the actions of the main screen that no walk presses, and why.
var growthApart = map[string]string{
	"write": "writes a file", "save-recipe": "writes a file", "quit": "ends the program, and each model is left with it at last",
	"theme": "shows the same in other colours", "mouse": "shows the same",
}

// growthWalks are keys that show every pane and every dialog of the main screen, by what they show.
// Each begins and ends there.
func growthWalks(d *desk) map[string][]string {
	out := map[string][]string{}
	back := []string{"esc", "esc", "esc", "esc", "2", "u"}
	for _, a := range d.app.ws.Keys.Of(shell.PlaceMain) {
		if len(a.Keys) > 0 && growthApart[string(a.Name)] == "" {
			out[string(a.Name)] = slices.Concat([]string{"g", "j", "j", a.Keys[0], "j", "j", "G", "k"}, back)
		}
	}
	for i, p := range panels() {
		keys := []string{fmt.Sprint(i)}
		for _, a := range d.app.ws.Keys.Of(p.Place) {
			if len(a.Keys) > 0 {
				keys = append(keys, a.Keys[0], "j")
			}
		}
		out["pane "+p.Title] = append(keys, back...)
	}
	return out
}

// growthFaults are what took time by the square once.
var growthFaults = map[string]string{"axes of a tensor": "pane tensor", "inputs": "value", "inputs of a node": "depends-on", "nested subgraphs": "value-before"}

// TestGrowthOfKeys opens a model with 200 of something and one with 2,000, and presses keys: those of
// growthFaults with five times as many, each walk with at least one thing, and each thing with at
// least one walk. With the tag soak, TestGrowthOfAllKeys tries all with 10,000 and 100,000.
func TestGrowthOfKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	growth.SkipRaced(t)
	names := slices.Sorted(maps.Keys(growthWalks(growthDesk(t, growth.Bombs[0], t.TempDir(), 2))))
	for i, b := range growth.Bombs {
		var walks []string
		for k := i; k < len(names); k += len(growth.Bombs) {
			walks = append(walks, names[k])
		}
		t.Run(b.Name, func(t *testing.T) { growthOfKeys(t, b, walks, 200, 2_000) })
		if fault := growthFaults[b.Name]; fault != "" {
			t.Run(b.Name+", "+fault, func(t *testing.T) { growthOfKeys(t, b, []string{fault}, 1_000, 10_000) })
		}
	}
}

func growthDesk(t *testing.T, b growth.Bomb, dir string, k int) *desk {
	t.Helper()
	path := b.Write(t, dir, k)
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := testOptions(m)
	o.Path, o.Steps = path, steps.All
	return newDeskWith(t, o, 120, 40)
}

// growthOfKeys compares the time of keys, with the frames and the work in the background that follow,
// on models with few and with many of a thing. At the end, Ctrl-C and q must be answered.
func growthOfKeys(t *testing.T, b growth.Bomb, names []string, few, many int) {
	dir := t.TempDir()
	t.Chdir(dir)
	desks := map[int]*desk{few: growthDesk(t, b, dir, few), many: growthDesk(t, b, dir, many)}
	walks := growthWalks(desks[few])
	for _, name := range names {
		desks[many].slowest = 0
		s := growth.Series{Few: few, Many: many, Run: func(k int) { desks[k].walkTimed(walks[name]) }}
		t.Logf("%s: %s, the slowest message %v", name, s.Measure(), desks[many].slowest)
		if !s.IsLinear() {
			t.Errorf("%s (%q) on %s: %s; expected at most twice the time for each", name, walks[name], b.Name, &s)
		}
	}
	for k, d := range desks {
		if d.press("ctrl+c"); !d.quit {
			d.sees("quit?")
			d.press("n")
		}
		if d.press("q"); !d.quit {
			d.press("y")
		}
		if !d.quit {
			t.Errorf("%d: q does not leave:\n%s", k, d.screen())
		}
	}
}

// walkTimed presses keys and draws a frame after each. It keeps the time of the slowest message or frame.
func (d *desk) walkTimed(keys []string) {
	for _, key := range keys {
		d.press(key)
		began := time.Now()
		_ = d.app.View()
		d.slowest = max(d.slowest, time.Since(began))
	}
}
