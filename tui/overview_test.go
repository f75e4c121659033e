package tui

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"lathe/bench"
	"lathe/bench/profile"
	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/steps"
	"lathe/session/timing"
	"lathe/tui/config"
	"lathe/tui/graph"
	"lathe/tui/overview"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// TestFirstScreen shows the overview in the place of the detail until the cursor moves.
func TestFirstScreen(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, layered), 120, 40)
	d.sees("0 overview", "2 × layers.*", "in  x f32 4", "next", "find a node", "groups")
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

// TestOverviewPorts shows the model's inputs and outputs, and goes there. A high screen shows more of
// them.
func TestOverviewPorts(t *testing.T) {
	text := "input input_ids i64[n,s]\noutput logits f32[n,s]\n"
	for i := range 12 {
		text += fmt.Sprintf("input past.%d f32[n,4]\noutput present.%d f32[n,4]\npresent.%d = Relu(past.%d)\n", i, i, i, i)
	}
	m := graphtest.Model(t, text+"logits = Cast(input_ids) to=1\n")
	d := newDesk(t, m, 80, 24).press("0")
	d.sees("in  input_ids i64 n×s", "    past.0    f32 n×4", "    and 11 more", "out logits    f32 n×s", "opset 17, IR 8", "next")
	d.lacks("past.3 ")
	d = newDesk(t, m, 200, 50).press("0")
	d.sees("past.6", "and 5 more")
	for !strings.HasPrefix(overviewOf(d).Said(), "out logits") {
		d.press("k")
	}
	d.press("enter")
	if got := d.selected(); got != "logits" || !looksAt(workspace.PlaceNodes)(d) {
		t.Errorf("the line of an output leads to %q", got)
	}
}

// conditionedTimes are times that say how they were measured.
type conditionedTimes struct {
	fakeTimes
	of reporting.Conditions
}

func (c conditionedTimes) Conditions() reporting.Conditions { return c.of }

// latencyOf is a benchmark of 2 ms.
func latencyOf(provider string, threads int64, at time.Time) graph.Latency {
	run := bench.Run{P50: 2, CI95: &[2]bench.Number{1.9, 2.1}}
	run.EP, run.Threads = provider, threads
	return graph.LatencyOf(run, "", at)
}

// TestStoredLatency shows the latency of a stored benchmark that was measured as the profile was, and
// what share of it a group has. If no benchmark was, it says how the profile differs.
func TestStoredLatency(t *testing.T) {
	at := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	profiled := conditionedTimes{timesOfWeighted(), reporting.Conditions{Provider: "cpu", Threads: 2}}
	o := testOptions(graphtest.Model(t, weighted))
	o.Earlier = func(context.Context) Stored {
		return Stored{Times: profiled, Latency: []graph.Latency{latencyOf("cpu", 0, at), latencyOf("cpu", 2, at)}}
	}
	d := newDeskWith(t, o, 80, 24).press("0")
	d.sees("p50 2.000 ms (1.900 … 2.100) · cpu, batch 1, 2 threads · 2 Jan 2026", "~ of p50: estimated as share × p50", "of p50", "~1.98 ms")
	d.lacks("the profile ran")

	o.Earlier = func(context.Context) Stored {
		return Stored{Times: profiled, Latency: []graph.Latency{latencyOf("cuda", 0, at)}}
	}
	newDeskWith(t, o, 120, 40).press("0").sees("cuda, batch 1, default threads", "profile ran on cpu, with 2 threads", "~1.98 ms")

	o.Earlier = func(context.Context) Stored {
		return Stored{Times: timesOfWeighted(), Latency: []graph.Latency{latencyOf("cuda", 0, at)}}
	}
	newDeskWith(t, o, 120, 40).press("0").sees("profile ran is not known")

	o.Earlier = func(context.Context) Stored { return Stored{Latency: []graph.Latency{latencyOf("cuda", 0, at)}} }
	d = newDeskWith(t, o, 120, 40).press("0")
	d.sees("p50 2.000 ms")
	d.lacks("of p50") // no node has a share of it
}

// TestMeasuredLatency shows the latency that a benchmark in the workbench measured for the model, and
// not that of another model that was measured with it.
func TestMeasuredLatency(t *testing.T) {
	o := testOptions(graphtest.Model(t, weighted))
	o.Env.Progress = func(session.Progress) {}
	run := func(model string, p50 bench.Number) bench.Run {
		r := bench.Run{Name: model, P50: p50}
		r.Model, r.EP = model, "cpu"
		return r
	}
	step := &fakeStep{name: "bench", run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		report := &bench.Report{Runs: []bench.Run{run("other.onnx", 7), run(o.Path, 3)}}
		return session.Result{Report: &timing.Report{Report: report}}, nil
	}}
	o.Steps = func() []session.Step { return append(fakeSteps()[:1:1], step) }
	d := newDeskWith(t, o, 120, 40).press("0")
	d.lacks("p50")
	d.perform(d.app.ws.Run(step))
	d.sees("p50 3.000 ms · cpu, batch 1")
	d.lacks("p50 7.000")
	d.press("2", "/").write("b").press("enter", "space", "p").press("0").lacks("p50") // another model
	d.press("2", "u", "0").sees("p50 3.000 ms")
}

// TestSlowestNode: from the first screen, one key shows the slowest node with its module and the line of
// its source, and the second goes there.
func TestSlowestNode(t *testing.T) {
	m, err := graphops.Open("../testdata/mlp_dynamo.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	times := fakeTimes{}
	for i := range m.Graph().Nodes() {
		times.cells = append(times.cells, profile.Cell{US: float64(10 + (i*7)%18), Share: 0.05, Provider: "cpu", With: i})
	}
	o := testOptions(m)
	o.Earlier = func(context.Context) Stored { return Stored{Times: times} }
	slowest := m.Graph().Nodes()[5].Name() // 35 % 18 is 17
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		d := newDeskWith(t, o, size[0], size[1])
		d.press("0").sees("slowest nodes", "27 µs", "blocks.0 · mlp_dynamo.py:33")
		if s := d.screen(); size[1] == 24 && !strings.Contains(s, "3 × MLP  ") {
			t.Errorf("the groups have no room:\n%s", s)
		}
		d.press("enter")
		if got := d.selected(); got != slowest || !looksAt(workspace.PlaceNodes)(d) {
			t.Errorf("at %v, the two keys lead to %q, expected %q", size, got, slowest)
		}
		if d.press("3"); !strings.Contains(d.screen(), "mlp_dynamo.py:33") && size[1] > 24 {
			t.Errorf("the detail lacks the line of the source:\n%s", d.screen())
		}
	}
	// Not every node has a time of its own, a name and metadata.
	o = testOptions(graphtest.Model(t, "input x f32[2]\noutput y f32[2]\nh = Relu(x)\ny = Abs(h)\n"))
	o.Earlier = func(context.Context) Stored {
		return Stored{Times: fakeTimes{cells: []profile.Cell{{With: 1}, {US: 5, Share: 1, With: 1}}}}
	}
	newDeskWith(t, o, 80, 24).press("0").sees("Abs → y")
	o.Earlier = func(context.Context) Stored {
		return Stored{Times: fakeTimes{cells: []profile.Cell{{With: -1}, {With: -1}}}}
	}
	newDeskWith(t, o, 80, 24).press("0").lacks("slowest nodes")
}

// TestEarlierProfileDoesNotScroll: the overview begins with what the model is, also if the slowest nodes
// of an earlier session are below the screen.
func TestEarlierProfileDoesNotScroll(t *testing.T) {
	begins := func(stored bool) string {
		o := testOptions(graphtest.Model(t, weighted))
		if stored {
			o.Earlier = func(context.Context) Stored {
				return Stored{Times: timesOfWeighted(), Name: "profile of 1 January 2026"}
			}
		}
		return linesOf(newDeskWith(t, o, 120, 12), &nameView{region: shell.RegionRight})[1]
	}
	if got, want := begins(true), begins(false); got != want {
		t.Errorf("with the times the overview begins with %q, without with %q", got, want)
	}
}
