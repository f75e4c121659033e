package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A result is what a tool took for a row.
type result struct {
	row
	tool    int // its number in the row; 0 is Lathe
	samples samples
	peak    int64  // bytes, the most of all runs
	floor   int64  // below which a peak cannot be seen
	verdict string // right, or what is wrong
}

// measure runs the tools of a row in turns. The first run of each is judged. It counts only if the
// tool is slow, because it also reads programs and models into the page cache.
func (b *bench) measure(ctx context.Context, r row) results {
	fmt.Fprintf(os.Stderr, "%s\n", r.name())
	outcomes := make([]outcome, len(r.tools))
	for i := range r.tools {
		outcomes[i] = b.once(ctx, r, i)
	}
	verdicts := r.judge.verdicts(ctx, b, r, outcomes)
	out := make(results, len(r.tools))
	left := make([]int, len(r.tools))
	for i, o := range outcomes {
		out[i] = result{row: r, tool: i, floor: b.floor, verdict: verdicts[i]}
		if left[i] = b.planned(r, o); isSlow(o.time) || o.failed != "" {
			out[i].take(o)
			left[i]--
		}
	}
	for turn := 0; ctx.Err() == nil && b.turn(ctx, r, out, left, turn); turn++ {
	}
	return out
}

// turn runs each tool that has runs left, and reports whether there was one.
func (b *bench) turn(ctx context.Context, r row, out results, left []int, turn int) bool {
	some := false
	for i := range out {
		if turn >= left[i] {
			continue
		}
		some = true
		out[i].take(b.once(ctx, r, i))
	}
	if !some {
		b.clear(r)
	}
	return some
}

// take adds a run, or the reason why it failed.
func (r *result) take(o outcome) {
	r.peak = max(r.peak, o.peak)
	if o.failed != "" {
		r.verdict = "failed: " + o.failed
		return
	}
	r.samples = append(r.samples, o.time.Seconds())
}

// isSlow reports whether reading programs and models is a small part of a run.
func isSlow(first time.Duration) bool { return first >= 5*time.Second }

const (
	usualRuns = 5
	fewRuns   = 3
	allotted  = 30 * time.Second // for all runs of a tool, unless even a few take longer
)

// planned is how often a tool runs: fewer times if it is slow, once if it takes over 25 s or failed.
func (b *bench) planned(r row, first outcome) int {
	runs := usualRuns
	if r.runs > 0 {
		runs = r.runs
	}
	runs = b.atMost(runs)
	if first.failed != "" || first.time > 25*time.Second {
		return 1
	}
	return min(runs, max(int(allotted/max(first.time, time.Millisecond)), fewRuns))
}

// atMost is a number of runs, or the one of -runs if that is smaller.
func (b *bench) atMost(runs int) int {
	if b.runs > 0 {
		return min(runs, b.runs)
	}
	return runs
}

// once runs a tool of a row in an empty folder.
func (b *bench) once(ctx context.Context, r row, tool int) outcome {
	given := b.given(r, tool)
	if err := os.RemoveAll(given["folder"]); err != nil {
		return outcome{failed: err.Error()}
	}
	if err := os.MkdirAll(given["folder"], 0o755); err != nil {
		return outcome{failed: err.Error()}
	}
	return b.process(ctx, b.line(r.tools[tool].line, given), limit)
}

// given is what a row puts into the places of a command line.
func (b *bench) given(r row, tool int) map[string]string {
	folder := filepath.Join(b.work, strconv.Itoa(tool))
	return map[string]string{
		"model": b.modelFile(r), "inputs": b.inputsFile(r), "other": filepath.Join(b.models, r.model.name+"-20.onnx"),
		"folder": folder, "out": filepath.Join(folder, "out.onnx"), "npz": filepath.Join(folder, "out.npz"),
		"cut": r.cut, "needs": r.inputs,
	}
}

func (b *bench) modelFile(r row) string  { return filepath.Join(b.models, r.model.name+".onnx") }
func (b *bench) inputsFile(r row) string { return filepath.Join(b.models, r.model.name+".npz") }

// clear removes the results of a row, which can be gigabytes. What stays is removed before the next run.
func (b *bench) clear(r row) {
	for i := range r.tools {
		_ = os.RemoveAll(b.given(r, i)["folder"])
	}
}
