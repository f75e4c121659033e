package tui

import (
	"context"
	"io"
	"strings"
	"testing"

	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/tui/graph"
	"lathe/tui/workspace"
)

// fakeTimes is a profile of the model weighted, in which c ran as a part of b.
type fakeTimes struct {
	cells   []profile.Cell
	modules []profile.Module
}

func (f fakeTimes) Cells(nodes int) []profile.Cell { return f.cells[:min(nodes, len(f.cells))] }

func (f fakeTimes) ByModule() []profile.Module { return f.modules }

func (fakeTimes) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, "profiled")
	return err
}

func timesOfWeighted() fakeTimes {
	return fakeTimes{cells: []profile.Cell{
		{US: 12, Share: 0.012, Provider: "cpu", Bound: profile.BoundNeither, With: 0},
		{US: 980.4, Share: 0.98, Provider: "cu\x1b[2Jda", Bound: profile.BoundMemory, With: 1},
		{Provider: "cuda", With: 1},
		{With: -1},
	}}
}

// TestTimesOfAResult: a stored profile is shown from the start, can be sorted by, and disappears
// with the model that it is about.
func TestTimesOfAResult(t *testing.T) {
	o := testOptions(graphtest.Model(t, weighted))
	o.Stored = Stored{Times: timesOfWeighted(), Told: []string{"times of 3 nodes, from p.json"}}
	d := newDeskWith(t, o, 160, 24)
	d.sees("12 µs", "1.2 %", "980 µs", "98.0 %", "in b", `cu\x1b[…`, "memory", "neither", "times of 3 nodes, from p.json")
	if d.unprintable() != "" {
		t.Errorf("a provider's name gets onto the screen as it is: %q", d.unprintable())
	}
	d.column("time", "s")
	if got, want := d.shownNames(), "b a x c d s"; got != want {
		t.Errorf("by time %q, expected %q", got, want)
	}
	d.column("bound", "space") // the user hides it, and it stays hidden
	d.lacks("neither")
	workspace.TakeTimes(d.app.ws, d.app.ws.Model(), graph.NewNodeTimes(timesOfWeighted(), d.app.ws.Model()))
	d.lacks("neither")
}

// TestTimesOfAStep: the columns appear with a report that has times, and belong to the model that
// it is about.
func TestTimesOfAStep(t *testing.T) {
	o := testOptions(graphtest.Model(t, weighted))
	o.Env.Progress = func(session.Progress) {}
	step := &fakeStep{name: "bench", run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		return session.Result{Report: timesOfWeighted()}, nil
	}}
	o.Steps = func() []session.Step { return append(fakeSteps()[:1:1], step) }
	d := newDeskWith(t, o, 160, 24)
	d.lacks("µs")
	d.perform(d.app.ws.Run(step))
	d.sees("980 µs", "98.0 %")
	d.press("/").write("b").press("enter", "space", "p")
	if n := len(d.app.ws.Model().Graph().Nodes()); n == 4 {
		t.Fatal("nothing was pruned")
	}
	if s := d.screen(); strings.Contains(s, "980 µs") {
		t.Errorf("another model has the times:\n%s", s)
	}
	d.press("u")
	d.sees("980 µs")
}

// TestTimesOfFewer: a profile of a model with other nodes leaves rows empty.
func TestTimesOfFewer(t *testing.T) {
	o := testOptions(graphtest.Model(t, weighted))
	o.Stored.Times = fakeTimes{timesOfWeighted().cells[:1], nil}
	d := newDeskWith(t, o, 160, 24)
	d.sees("12 µs")
	d.lacks("980")
}

func TestMicroseconds(t *testing.T) {
	for us, want := range map[float64]string{0.25: "0.25 µs", 12.345: "12.3 µs", 1234: "1.23 ms", 2.5e6: "2.5 s"} {
		if got := graph.Microseconds(us); got != want {
			t.Errorf("%v: %q, expected %q", us, got, want)
		}
	}
}
