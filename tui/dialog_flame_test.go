package tui

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"lathe/tui/guide"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/bench/profile"
	"lathe/graphops/graphtest"
	"lathe/tui/actions"
	"lathe/tui/flame"
	"lathe/tui/graph"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// timedModules spend most of their time in two halves of an encoder, little in a head, and almost
// none in ten others.
func timedModules() fakeTimes {
	f := timesOfWeighted()
	f.modules = []profile.Module{
		{Parent: -1, US: 1000, OwnUS: 5, Share: 1, Nodes: 40},
		{Path: "/encoder", Parent: 0, US: 700, Share: 0.7, Nodes: 20},
		{Path: "/encoder/att\x1b[2J", Parent: 1, US: 300, OwnUS: 300, Share: 0.3, Nodes: 12},
		{Path: "/encoder/mlp", Parent: 1, US: 400, OwnUS: 400, Share: 0.4, Nodes: 8},
		{Path: "/head", Parent: 0, US: 285, OwnUS: 285, Share: 0.285, Nodes: 10},
	}
	for i := range 10 {
		f.modules = append(f.modules, profile.Module{Path: "/tiny_" + string(rune('a'+i)), Parent: 0, US: 1, OwnUS: 1, Share: 0.001, Nodes: 1})
	}
	return f
}

// withTimes gives the shown model the times of its modules.
func withTimes(d *desk) {
	m := d.app.ws.Model()
	d.perform(workspace.TakeTimes(d.app.ws, m, graph.NewNodeTimes(timedModules(), m)))
}

func inFlame(keys ...string) func(*desk) {
	return func(d *desk) { withTimes(d); d.press("B"); d.press(keys...) }
}

func theFlame(d *desk) *flame.Dialog { return d.app.dialogs.Top().(*flame.Dialog) }

// chosenModule returns a check that the module with a path is chosen.
func chosenModule(path string) func(*desk) bool {
	return func(d *desk) bool {
		f := theFlame(d)
		return f.Flame().Modules[f.Chosen().Module].Path == path
	}
}

func init() {
	effects[shell.PlaceMain]["flame"] = effect{withTimes, opens(flame.Place)}
	effects[flame.Place] = map[actions.Name]effect{
		"longest-inside":  {inFlame(), chosenModule("/encoder")},
		"around":          {inFlame("j", "j"), chosenModule("/encoder")},
		"next-frame":      {inFlame("j"), chosenModule("/head")},
		"previous-frame":  {inFlame("j", "l"), chosenModule("/encoder")},
		"zoom-in":         {inFlame("j"), shows("where the time goes in /encoder")},
		"zoom-out":        {inFlame("j", "enter"), shows("where the time goes, by module")},
		"module-nodes":    {inFlame(), closed},
		shell.ActionClose: {inFlame(), closed},
		shell.ActionHelp:  {inFlame(), opens(guide.PlaceHelp)},
	}
}

// TestFlame moves over frames, into one and out again; a module that is too narrow to draw is
// named.
func TestFlame(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, weighted), 80, 24)
	d.press("B")
	d.lacks("where the time goes, by module")
	d.press("ctrl+c")
	inFlame()(d)
	d.sees("all", "encoder", "mlp", `att\x1b[2J`, "head", "the whole model: 1 ms, 100.0 %, 5 µs by itself, 40 nodes")
	d.press("j", "j")
	d.sees("/encoder/mlp: 400 µs, 40.0 %, nothing inside it, 8 nodes")
	d.press("k", "l", "l")
	d.sees("10 modules too narrow to be drawn: 10 µs, 1.0 %; /tiny_a 1 µs, /tiny_b 1 µs", "and 6 more")
	d.press("l") // there is none
	d.press("enter")
	d.sees("where the time goes, by module", "the module already fills the screen") // the module around them is the whole program
	d.press("h", "enter")
	d.sees("where the time goes in /head", "285 µs, 28.5 %, nothing inside it")
	d.press("backspace", "esc")
	if !closed(d) || d.unprintable() != "" {
		t.Errorf("left with %q", d.unprintable())
	}
}

// TestFramesAddUp checks at any width that the frames of a row follow each other inside the frames
// above, and that no module is missing.
func TestFramesAddUp(t *testing.T) {
	f := graph.NewFlame(timedModules().modules)
	for w := 1; w < 300; w++ {
		for level, row := range f.Rows(0, w, 9) {
			at, shown := 0, 0
			for _, fr := range row {
				if fr.From < at || fr.To <= fr.From || fr.To > w {
					t.Fatalf("%d cells, level %d: %+v after cell %d", w, level, fr, at)
				}
				at = fr.To
				shown += max(fr.Several, 1)
			}
			if level == 1 && shown != 12 && row[len(row)-1].To < w {
				t.Errorf("%d cells: %d of 12 modules, and room behind cell %d", w, shown, at)
			}
		}
	}
}

// TestFlameFolds shows layers that differ only in their numbers as one, with what is inside them. Two
// modules without any inside are different things, and so is a layer with other modules inside.
func TestFlameFolds(t *testing.T) {
	list := []profile.Module{{Parent: -1, US: 1000, Share: 1, Nodes: 100}}
	add := func(parent int, path string, us float64) int {
		list = append(list, profile.Module{Path: path, Parent: parent, US: profile.Number(us), OwnUS: 1, Nodes: 2})
		return len(list) - 1
	}
	for i := range 20 {
		layer := add(0, fmt.Sprintf("/layers.%d", i), 40+float64(i))
		mlp := add(layer, fmt.Sprintf("/layers.%d/mlp", i), 30)
		add(mlp, fmt.Sprintf("/layers.%d/mlp/fc1", i), 20)
		add(mlp, fmt.Sprintf("/layers.%d/mlp/fc2", i), 8)
	}
	odd := add(0, "/layers.20", 10)
	add(odd, "/layers.20/other", 5)
	f := graph.NewFlame(list)
	var names []string
	for _, row := range f.Rows(0, 120, 9) {
		for _, fr := range row {
			names = append(names, f.Name(fr)+" "+f.Share(fr))
		}
	}
	want := "all 100 %, layers.* ×20 99 %, layers.20 1.0 %, mlp 60 %, … 1 more 0.5 %, fc1 40 %, fc2 16 %"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("frames %s,\nwant   %s", got, want)
	}
	words := f.Words(graph.Frame{Module: 1, Us: 990})
	if !strings.Contains(words, "/layers.*, 20 modules of 40 µs to 59 µs (/layers.19) each") {
		t.Error(words)
	}
	if got := f.First(2); got != "/layers.0/mlp" {
		t.Errorf("the first is %s", got)
	}
}

func TestFlameOfNonsense(t *testing.T) {
	for name, list := range map[string][]profile.Module{
		"none":                nil,
		"no number":           {{Parent: -1, US: profile.Number(math.NaN())}},
		"endless":             {{Parent: -1, US: profile.Number(math.Inf(1))}},
		"below nothing":       {{Parent: -1, US: -1}},
		"around after inside": {{Parent: 1, US: 1}, {Parent: 2, US: 1}, {Parent: 1, US: 1}},
		"the model alone":     {{Parent: -1, US: 1}},
		"two roots":           {{Parent: -1, US: 1}, {Parent: -1, US: 1}},
	} {
		if graph.NewFlame(list) != nil {
			t.Errorf("%s: has a view", name)
		}
	}
	for _, list := range [][]profile.Module{
		{{Parent: -1}, {Parent: 0}},
		{{Parent: -1, US: 1}, {Parent: 0, US: 1e300}, {Parent: 0, US: 5}, {Parent: 1, US: 1e308}},
	} {
		f := graph.NewFlame(list)
		for _, row := range f.Rows(0, 80, 5) {
			for _, fr := range row {
				if fr.To > 80 || fr.From < 0 {
					t.Errorf("%+v", fr)
				}
			}
		}
	}
}

func TestFlameViews(t *testing.T) {
	for _, v := range []struct{ name, keys string }{{"flame", "B"}, {"flame-inside", "B j j"}, {"flame-zoomed", "B j enter j"}} {
		for _, size := range [][2]int{{80, 24}, {200, 50}, {shell.MinWidth, shell.MinHeight}} {
			t.Run(fmt.Sprintf("%s/%dx%d", v.name, size[0], size[1]), func(t *testing.T) {
				d := newDesk(t, graphtest.Model(t, weighted), size[0], size[1])
				withTimes(d)
				d.press(strings.Fields(v.keys)...)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}
