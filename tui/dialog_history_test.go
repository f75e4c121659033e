package tui

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/graphops/graphtest"
	"lathe/tui/forms"
	"lathe/tui/graph"
	"lathe/tui/history"
	"lathe/tui/workspace"
)

// storeResults stores results of bench for the model of the desk, a minute apart.
func storeResults(d *desk, n int) {
	d.t.Helper()
	f := store.Folder{Path: d.t.TempDir(), Now: time.Now}
	d.app.ws.Options.Env.Results = f.Path
	for i := range n {
		run := bench.Run{Name: "model.onnx", Facts: bench.Facts{Model: "model.onnx", Batch: 8}, P50: bench.Number(10 + float64(i)/1000), Min: 9, Max: 12, Mean: 10, Throughput: 800}
		for range 20 {
			run.BlockMedians = append(run.BlockMedians, run.P50)
		}
		doc, err := json.Marshal(&bench.Report{Runs: []bench.Run{run}})
		if err != nil {
			d.t.Fatal(err)
		}
		r := &store.Result{
			Kind: store.KindBench, Time: time.Unix(int64(60*i), 0).AddDate(50, 0, 0).UTC(), Document: doc, Text: fmt.Sprintf("stored text %d\n\nmore\n", i),
			Models: []store.Model{{Path: "/elsewhere/model.onnx"}}, Subjects: []store.Subject{{Name: "model.onnx", Settings: store.Settings{"provider": "cpu", "batch": "8", "threads": "1"}}},
		}
		if _, err := f.Keep(d.t.Context(), r); err != nil {
			d.t.Fatal(err)
		}
	}
}

// openStored opens the list of two stored results, and presses keys there.
func openStored(keys ...string) func(*desk) {
	return func(d *desk) {
		storeResults(d, 2)
		d.press("r").press(keys...)
	}
}

// TestStoredResults: after a restart the earlier results are one key away, with what they were
// measured with; Enter shows the text that was printed.
func TestStoredResults(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy+branchyBody), 80, 24)
	d.press("r")
	if !strings.Contains(d.screen(), "no step has been run yet") {
		t.Errorf("without a folder:\n%s", d.screen())
	}
	storeResults(d, 3)
	d.press("r")
	screen := d.screen()
	for _, want := range []string{"3 stored results", "10.00 ms", "cpu, batch 8, 1 thread", "other content"} {
		if !strings.Contains(screen, want) {
			t.Errorf("no %q in\n%s", want, screen)
		}
	}
	d.press("enter")
	if !strings.Contains(d.screen(), "stored text 2") {
		t.Errorf("the newest is not first:\n%s", d.screen())
	}
	d.press("esc", "down", "enter")
	if !strings.Contains(d.screen(), "stored text 1") || len(d.app.ws.Jobs.List) != 2 {
		t.Errorf("%d jobs\n%s", len(d.app.ws.Jobs.List), d.screen())
	}
	d.press("esc", "up", "enter") // shown before
	if !strings.Contains(d.screen(), "stored text 2") || len(d.app.ws.Jobs.List) != 2 {
		t.Errorf("%d jobs\n%s", len(d.app.ws.Jobs.List), d.screen())
	}
	d.press("esc", "esc", "E", "enter", "r")
	if !opens(history.Place)(d) {
		t.Errorf("a job of this session hides them:\n%s", d.screen())
	}
	d.press("r")
	if !opens(forms.PlaceResults)(d) || !strings.Contains(d.screen(), "export: ok") {
		t.Errorf("no way back:\n%s", d.screen())
	}
}

// TestTimesSayWhen: the chart of times says when they were measured, and with what.
func TestTimesSayWhen(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy+branchyBody), 80, 24)
	m := d.app.ws.Model()
	times := graph.NewNodeTimes(timedModules(), m)
	times.Said = "profile of 27 Nov 18:03, cpu, batch=8, 1 thread"
	d.perform(workspace.TakeTimes(d.app.ws, m, times))
	d.press("B").sees("where the time goes: " + times.Said)
}

// TestNothingStored: an empty list says how it gets filled.
func TestNothingStored(t *testing.T) {
	d := newDesk(t, graphtest.Model(t, branchy), 80, 24)
	d.app.ws.Options.Env.Results = t.TempDir()
	d.press("r")
	if !strings.Contains(d.screen(), "b measures its latency") {
		t.Error(d.screen())
	}
	d.press("enter", "b", "space", "y")
	if !opens(history.Place)(d) {
		t.Error(d.screen())
	}
}
