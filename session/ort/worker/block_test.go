//go:build cgo

package worker_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/workertest"
)

func TestBlock(t *testing.T) {
	client := start(t)
	session := load(t, client, addOne(t))
	if _, err := session.Block(t.Context(), 1, time.Second); err == nil {
		t.Error("a block ran without bound inputs")
	}
	feeds := map[string]tensor.Tensor{"x": {DType: tensor.F32, Shape: []int64{1}, Data: floats(2)}}
	if err := session.Bind(t.Context(), fed(feeds), ort.Binding{}); err != nil {
		t.Fatal(err)
	}
	byCount, err := session.Block(t.Context(), 100, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if len(byCount) != 100 {
		t.Errorf("%d runs, want 100", len(byCount))
	}
	const limit = 20 * time.Millisecond
	byTime, err := session.Block(t.Context(), ort.MaxBlockRuns, limit)
	if err != nil {
		t.Fatal(err)
	}
	var total, beforeLast time.Duration
	for _, run := range byTime {
		beforeLast = total
		total += run
		if run <= 0 {
			t.Fatalf("a run took %v", run)
		}
	}
	if total < limit || beforeLast >= limit {
		t.Errorf("samples add up to %v, and %v without the last; the limit is %v", total, beforeLast, limit)
	}
}

func TestBlockLimits(t *testing.T) {
	session := load(t, start(t), ort.IdentityModel())
	if err := session.Bind(t.Context(), fed(map[string]tensor.Tensor{"x": pattern(t, tensor.F32)}), ort.Binding{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		runs  int
		limit time.Duration
	}{{0, time.Second}, {-1, time.Second}, {ort.MaxBlockRuns + 1, time.Second}, {1, 0}, {1, -1}} {
		if _, err := session.Block(t.Context(), tt.runs, tt.limit); err == nil {
			t.Errorf("a block of %d runs in %v was accepted", tt.runs, tt.limit)
		}
	}
}

// A block whose run fails tells the runtime's error, and a new Bind mends it.
func TestBlockError(t *testing.T) {
	session := load(t, start(t), identity(t, tensor.F32, 2))
	if err := session.Bind(t.Context(), fed(map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 3)}), ort.Binding{}); err != nil {
		t.Fatal(err)
	}
	_, err := session.Block(t.Context(), 10, time.Second)
	checkText(t, err, `running "model in memory": Got invalid dimensions for input: x …`)
	if err := session.Bind(t.Context(), fed(map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 2)}), ort.Binding{}); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Block(t.Context(), 10, time.Second); err != nil {
		t.Error(err)
	}
}

// BenchmarkRunCost reports what one run of the shortest model costs, as samples
// see it.
func BenchmarkRunCost(b *testing.B) {
	client := start(b)
	session, err := client.Load(b.Context(), ort.Model{Bytes: addOne(b)}, ort.SessionOptions{IntraThreads: 1})
	if err != nil {
		b.Fatal(err)
	}
	if err := session.Bind(b.Context(), fed(map[string]tensor.Tensor{"x": pattern(b, tensor.F32, 1)}), ort.Binding{}); err != nil {
		b.Fatal(err)
	}
	runs, total := 0, time.Duration(0)
	for b.Loop() {
		samples, err := session.Block(b.Context(), 10_000, 50*time.Millisecond)
		if err != nil {
			b.Fatal(err)
		}
		for _, run := range samples {
			total += run
		}
		runs += len(samples)
	}
	b.ReportMetric(float64(total.Nanoseconds())/float64(runs), "ns/run")
}

// BenchmarkAgainstC times the shortest model here and in a bare loop in C, in turn,
// and reports the ratio of what they say a run costs.
func BenchmarkAgainstC(b *testing.B) {
	bare := built(b, "bare_loop.c")
	o := workertest.Options(b)
	model := filepath.Join(b.TempDir(), "add.onnx")
	if err := os.WriteFile(model, addOne(b), 0o600); err != nil {
		b.Fatal(err)
	}
	const runs = 50_000
	var ours, theirs []float64
	for b.Loop() {
		out, err := exec.CommandContext(b.Context(), bare, o.Library, model, strconv.Itoa(runs)).Output()
		if err != nil {
			b.Fatal(err)
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			b.Fatal(err)
		}
		theirs = append(theirs, n)
		ours = append(ours, medianRun(b, o, model, runs))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	b.ReportMetric(ours[len(ours)/2], "ns/run")
	b.ReportMetric(theirs[len(theirs)/2], "ns/bare")
	b.ReportMetric(ours[len(ours)/2]/theirs[len(theirs)/2], "ratio")
}

// medianRun is the median of the runs in blocks of a fresh worker.
func medianRun(b *testing.B, o ort.Options, model string, runs int) float64 {
	client, err := ort.Start(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	session, err := client.Load(b.Context(), ort.Model{Path: model}, ort.SessionOptions{IntraThreads: 1})
	if err != nil {
		b.Fatal(err)
	}
	if err := session.Bind(b.Context(), fed(map[string]tensor.Tensor{"x": pattern(b, tensor.F32, 1)}), ort.Binding{}); err != nil {
		b.Fatal(err)
	}
	var samples []time.Duration
	for range 2 { // the first is the warm-up
		samples = samples[:0]
		for len(samples) < runs {
			block, err := session.Block(b.Context(), min(10_000, runs-len(samples)), 50*time.Millisecond)
			if err != nil {
				b.Fatal(err)
			}
			samples = append(samples, block...)
		}
	}
	slices.Sort(samples)
	return float64(samples[len(samples)/2])
}

// BenchmarkTransfer moves 100 MB to the worker and back.
func BenchmarkTransfer(b *testing.B) {
	const elements = 25 << 20
	session := load(b, start(b), identity(b, tensor.F32, "n"))
	in := pattern(b, tensor.F32, elements)
	b.SetBytes(2 * int64(len(in.Data)))
	for b.Loop() {
		if _, err := run(b.Context(), session, map[string]tensor.Tensor{"x": in}, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStart is from nothing to the worker's hello, and its end.
func BenchmarkStart(b *testing.B) {
	o := workertest.Options(b)
	for b.Loop() {
		client, err := ort.Start(b.Context(), o)
		if err != nil {
			b.Fatal(err)
		}
		if err := client.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// TestSettle: a block that settles leaves no thread spinning behind it.
func TestSettle(t *testing.T) {
	client := start(t)
	const side = 256
	model := modelBytes(t, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{node("MatMul", []string{"a", "b"}, []string{"y"})},
		Input:  []*onnxpb.ValueInfoProto{value("a", tensor.F32, side, side), value("b", tensor.F32, side, side)},
		Output: []*onnxpb.ValueInfoProto{value("y", tensor.F32, side, side)},
	})
	session, err := client.Load(t.Context(), ort.Model{Bytes: model}, ort.SessionOptions{IntraThreads: 4})
	if err != nil {
		t.Fatal(err)
	}
	x := pattern(t, tensor.F32, side, side)
	if err := session.Bind(t.Context(), fed(map[string]tensor.Tensor{"a": x, "b": x}), ort.Binding{Settle: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Block(t.Context(), 100, 20*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	before, err := client.Machine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	after, err := client.Machine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// What is allowed is for the looks themselves.
	if took := after.Counters.Own - before.Counters.Own; took > 0.2*(after.Counters.Seconds-before.Counters.Seconds)+0.003 {
		t.Errorf("%.1f ms of processor time in %.1f ms of rest", 1e3*took, 1e3*(after.Counters.Seconds-before.Counters.Seconds))
	}
}
