package page

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/graphops"
)

// earlier is a result of a version that gave the median of all runs as p50, outside of its own
// interval, which is of blocks.
func earlier(t *testing.T) *store.Result {
	r := &store.Result{Schema: store.Schema, Kind: store.KindBench, Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Lathe: "0.9", File: "b.json"}
	r.Machine = store.NewMachine([]byte(`{"host":"box","cpu":"abacus","cores":4}`), "")
	run := bench.Run{
		Name: "m.onnx", Facts: bench.Facts{Model: "m.onnx", EP: "cpu", Batch: 1}, P50: 0.003195, Min: 0.001, Max: 2, Mean: 0.004, Throughput: 250_000,
		CI95: &[2]bench.Number{0.001921, 0.003002}, Samples: 9000, Blocks: 7, Verdict: "noisy because the blocks spread", Warnings: []bench.Warning{{Kind: bench.Spread}},
		BlockMedians: []bench.Number{0.001921, 0.001930, 0.002, 0.002033, 0.0024, 0.0029, 0.003002},
		Histogram:    bench.Histogram{From: 0.001, Width: 0.001, Counts: []int{100, 5000, 3600, 300}},
	}
	r.Models = []store.Model{{Path: "m.onnx", Absolute: "/m.onnx", Digest: graphops.Digest{Content: strings.Repeat("ab", 32)}}}
	r.Subjects = []store.Subject{{Name: "m.onnx", Settings: store.Settings{"batch": "1"}}}
	document(t, r, struct {
		Schema string `json:"schema"`
		bench.Report
	}{"lathe.bench/1", bench.Report{Runs: []bench.Run{run}}})
	return r
}

// TestOneInterval: whatever shows a measurement shows the same median, with the interval that it
// is the middle of, and says that it is noisy. That holds of results of older versions as well.
func TestOneInterval(t *testing.T) {
	r := earlier(t)
	measured, err := r.Bench()
	if err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	if err := measured.WriteText(&plain); err != nil {
		t.Fatal(err)
	}
	folder := store.Folder{Path: t.TempDir(), Now: time.Now, Lathe: "0.9"}
	if _, err := folder.Keep(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	h, err := folder.History(t.Context(), store.Query{Here: r.Machine})
	if err != nil {
		t.Fatal(err)
	}
	var history bytes.Buffer
	if err := h.WriteText(&history); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]string{"bench": plain.String(), "history": history.String(), "html": written(t, formatHTML, r), "md": written(t, formatMarkdown, r), "csv": written(t, formatCSV, r)} {
		low, high, middle := "1.921", "3.002", "2.033"
		if name == "csv" {
			low, high, middle = "0.001921,ms", "0.003002,ms", "0.002033,ms"
		}
		s = strings.ReplaceAll(s, "&#46;", ".")
		for _, want := range []string{low, high, middle, "noisy"} {
			if !strings.Contains(s, want) {
				t.Errorf("%s: no %s in\n%s", name, want, s)
			}
		}
		if strings.Contains(s, "±") || strings.Contains(s, "3.195") || strings.Contains(s, "0.003195") {
			t.Errorf("%s has another uncertainty, or another median:\n%s", name, s)
		}
	}
	const headline = "m.onnx takes 2.033 µs (1.921 … 3.002), 250,000 samples per second on average; noisy by 34 %: blocks far apart"
	if got := measured.Headlines()[0]; got != headline {
		t.Errorf("got %s, want %s", got, headline)
	}
	if s := written(t, formatMarkdown, r); !strings.Contains(s, headline) {
		t.Errorf("the report says otherwise than bench:\n%s", s)
	}
}

// TestHistogramFits: every bin is as high as its runs, the highest within the figure.
func TestHistogramFits(t *testing.T) {
	counts := []int{1, 5, 300, 500, 190, 3}
	s := histogram(bench.Run{P50: 1, Histogram: bench.Histogram{From: 0.5, Width: 0.1, Counts: counts}}, series(0))
	if !strings.Contains(s, ">400<") {
		t.Errorf("the axis does not count to 500: %s", s)
	}
	var heights []float64 // as drawn, the axis has the least
	for _, path := range regexp.MustCompile(`<path d="(M[^"]*Z)"`).FindAllStringSubmatch(s, -1) {
		for _, y := range regexp.MustCompile(`[ ,](-?[\d.]+)(?:[LZ]|$)`).FindAllStringSubmatch(path[1], -1) {
			f, err := strconv.ParseFloat(y[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			heights = append(heights, figureLow-f)
		}
	}
	slices.Sort(heights)
	heights = slices.Compact(heights)
	if len(heights) != len(counts)+1 || heights[0] < 0 || heights[len(heights)-1] > float64(figureLow) {
		t.Fatalf("heights of %d bins and the axis: %v\n%s", len(counts), heights, s)
	}
	floor, top, third := heights[0], heights[6], heights[4]
	if ratio := (top - floor) / (third - floor); ratio < 2.6 || ratio > 2.66 {
		t.Errorf("500 runs are %.2f times as high as 190: %v", ratio, heights)
	}
}
