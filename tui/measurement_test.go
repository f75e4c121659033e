package tui

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/bench"
	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/tui/cells"
	"lathe/tui/forms"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// measuredPair is a comparison of two models, the second of which is slower.
func measuredPair() *bench.Report {
	number := func(f float64) *bench.Number { n := bench.Number(f); return &n }
	run := func(name string, p50 float64) bench.Run {
		h := bench.Histogram{From: bench.Number(p50 * 0.9), Width: bench.Number(p50 * 0.01), Counts: make([]int, 60), Beyond: 3}
		for i := range h.Counts {
			h.Counts[i] = int(1000 * math.Exp(-math.Pow(float64(i-10)/6, 2)))
		}
		return bench.Run{
			Name: name, P50: bench.Number(p50), CI95: &[2]bench.Number{bench.Number(p50 * 0.995), bench.Number(p50 * 1.005)},
			Samples: 10_000, Blocks: 80, Histogram: h, Verdict: "steady", Stopped: bench.StoppedPrecise,
			Facts:  bench.Facts{EP: "cpu", SessionMS: number(15.3), FirstRunMS: number(0.4)},
			Phases: bench.Phases{WarmUp: 310, Measure: 3000},
		}
	}
	a, b := run("a.onnx", 1), run("b\x1b[2J.onnx", 1.2)
	b.Phases.Device = &bench.DevicePhases{ToDevice: 0.1, Enqueue: 0.3, Complete: 1, ToHost: 0.05}
	return &bench.Report{
		Runs: []bench.Run{a, b},
		Comparisons: []bench.Comparison{{
			A: a.Name, B: b.Name, Ratio: 1.2, Round: number(1.2), CI95: &[2]bench.Number{1.19, 1.215}, Significant: true,
		}},
	}
}

func TestMeasurementViews(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 50}, {shell.MinWidth, shell.MinHeight}} {
		t.Run(fmt.Sprintf("stored/%dx%d", size[0], size[1]), func(t *testing.T) {
			o := testOptions(graphtest.Model(t, weighted))
			o.Stored = Stored{Measured: measuredPair(), Told: []string{"b takes longer"}, Command: "lathe report r.json"}
			d := newDeskWith(t, o, size[0], size[1])
			checkSize(t, d, size)
			if d.unprintable() != "" {
				t.Errorf("a name gets onto the screen as it is: %q", d.unprintable())
			}
			golden.RequireEqual(t, trimmed(d.screen()))
		})
	}
}

// benched is a report of a measurement.
type benched struct{ *bench.Report }

func (m benched) Measurement() *bench.Report { return m.Report }
func (m benched) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, "b takes longer\n\nand more words")
	return err
}

// TestLiveMeasurement: during a measurement its numbers are shown as bars, and at the end its
// result is.
func TestLiveMeasurement(t *testing.T) {
	o := testOptions(graphtest.Model(t, weighted))
	step := &fakeStep{name: "bench", run: func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		return session.Result{Report: benched{measuredPair()}}, nil
	}}
	o.Steps = func() []session.Step { return append(fakeSteps()[:1:1], step) }
	d := newDeskWith(t, o, 100, 30)
	d.hold = true
	cmd := d.app.ws.Run(step)
	j := d.app.ws.Jobs.Running()
	d.press("r")
	sights := []bench.Sight{
		{Name: "a.onnx", Phase: "measuring", Runs: 120, Median: time.Millisecond, Low: 990 * time.Microsecond, High: 1010 * time.Microsecond, Spread: bench.Octaves{First: 316, Counts: []int{3, 40, 70, 6, 1}}},
		{Name: "b\x1b[2J.onnx", Phase: "waiting"},
	}
	d.send(workspace.JobTickMsg{ID: j.ID, Progress: session.Progress{Phase: "measuring a.onnx", Done: 1, Total: 4, Sights: sights}, Elapsed: time.Second})
	d.sees("a.onnx: measuring, p50 1.000 ms (0.990 … 1.010), 120 runs", `b\x1b[2J.onnx: waiting`, "▲", "█")
	if said := d.app.dialogs.Top().(*forms.ResultsDialog).Said(); strings.ContainsAny(said, "▁█▲") || !strings.Contains(said, "p50 1.000 ms") {
		t.Errorf("read aloud: %q", said)
	}
	d.hold = false
	d.perform(cmd)
	d.sees("b takes longer", `against a.onnx: 1.2 (1.19 … 1.215)`, "●", "┃", "█ session 15.30 ms", "one run on the device", "and more words")
	d.lacks("measuring, p50")
}

// TestPromptsAndTokensHaveAxes draws the runs of a language model above two axes: those that read a
// prompt take a hundred times as long as those that choose a token.
func TestPromptsAndTokensHaveAxes(t *testing.T) {
	r := measuredPair()
	r.Runs[0].Decode, r.Runs[1].Decode = &bench.Decode{Test: "pp512"}, &bench.Decode{Test: "tg128"}
	scale := func(h *bench.Histogram, by bench.Number) { h.From, h.Width = h.From*by, h.Width*by }
	scale(&r.Runs[0].Histogram, 100)
	lines := forms.SpreadLines(forms.EndRows(r), 60)
	var axes, bars []string
	for _, line := range lines {
		switch {
		case strings.Contains(line, "ms") && strings.HasPrefix(line, "  "):
			axes = append(axes, line)
		case strings.Contains(line, "█"):
			bars = append(bars, line)
		}
	}
	if len(axes) != 2 || !strings.Contains(axes[0], "90.00 ms") || !strings.Contains(axes[1], "1.080 ms") {
		t.Errorf("the axes are %q in\n%s", axes, strings.Join(lines, "\n"))
	}
	for _, line := range bars {
		if n := len(strings.Fields(line)[0]); n < len("▁▁▁▁▁") {
			t.Errorf("the bars have no room: %q", line)
		}
	}
	sight := bench.Sight{Name: "m pp512", Work: "prompt", Runs: 3, Spread: bench.Octaves{First: 300, Counts: []int{3}}}
	token := sight
	token.Work, token.Spread.First = "token", 200
	live := strings.Join(forms.SpreadLines(forms.LiveRows([]bench.Sight{sight, token}), 60), "\n")
	if got := strings.Count(live, " µs"); got != 4 {
		t.Errorf("%d ends of axes while it measures, want 4:\n%s", got, live)
	}
}

// TestSpreadsAreWhole: bins of any kind are drawn within the width, and the runs of a tail are
// counted.
func TestSpreadsAreWhole(t *testing.T) {
	long := bench.Octaves{First: 300, Counts: make([]int, 200)}
	long.Counts[0], long.Counts[199] = 1000, 2
	rows := forms.LiveRows([]bench.Sight{{Name: "m", Runs: 1002, Spread: long, Median: time.Second}, {Name: "n"}})
	if rows[0].Beyond != 2 || len(rows[0].Counts) != 1 {
		t.Errorf("%d beyond %d bins", rows[0].Beyond, len(rows[0].Counts))
	}
	for w := range 100 {
		for _, r := range [][]forms.SpreadRow{rows, forms.EndRows(measuredPair()), nil} {
			for _, line := range forms.SpreadLines(r, w) {
				if strings.HasPrefix(line, "  ") && w > 30 && cells.Width(line) > w {
					t.Errorf("%d cells: %q", w, line)
				}
			}
		}
		forms.RatioLines(measuredPair().Comparisons, w)
		forms.PhaseLines(measuredPair(), w)
	}
	if lines := forms.RatioLines([]bench.Comparison{{A: "a", B: "b", Ratio: 1}}, 80); lines != nil {
		t.Errorf("a comparison without an interval: %q", lines)
	}
}
