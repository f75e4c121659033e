//go:build cgo

package worker_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
	"lathe/session/ort"
)

// square is the product of a matrix of this size with itself.
func square(t *testing.T, side int64) []byte {
	t.Helper()
	return modelBytes(t, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{node("MatMul", []string{"x", "x"}, []string{"y"})},
		Input:  []*onnxpb.ValueInfoProto{value("x", tensor.F32, side, side)},
		Output: []*onnxpb.ValueInfoProto{value("y", tensor.F32, side, side)},
	})
}

// TestRate: requests that come far apart are answered as they come, and the clock of the queue
// is that of the blocks.
func TestRate(t *testing.T) {
	session := load(t, start(t), addOne(t))
	feeds := fed(map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 1)})
	const rate, blocks, limit = 2000, 5, 100 * time.Millisecond
	for _, lanes := range []int{1, 3} {
		if err := session.Bind(t.Context(), feeds, ort.Binding{Rate: rate, Seed: 7, Lanes: lanes}); err != nil {
			t.Fatal(err)
		}
		total := 0
		for range blocks {
			times, err := session.Block(t.Context(), 10_000, limit)
			if err != nil || len(times) == 0 {
				t.Fatalf("%d answers, %v", len(times), err)
			}
			total += len(times)
		}
		q := session.Queue()
		if want := rate * (blocks * limit).Seconds(); math.Abs(float64(total)-want) > 6*math.Sqrt(want) {
			t.Errorf("%d lanes: %d answers, about %.0f requests came", lanes, total, want)
		}
		if q.Answered != int64(total) || q.Span < blocks*limit/2 || q.Busy <= 0 || q.Busy > time.Duration(lanes)*q.Span {
			t.Errorf("%d lanes: %+v of %d answers", lanes, q, total)
		}
	}
}

// TestRateBeyond: where more requests come than can be answered they wait, longer and longer,
// also over the end of a block.
func TestRateBeyond(t *testing.T) {
	model := square(t, 256)
	session := load(t, start(t), model)
	x := pattern(t, tensor.F32, 256, 256)
	if err := session.Bind(t.Context(), fed(map[string]tensor.Tensor{"x": x}), ort.Binding{Rate: ort.MaxRate}); err != nil {
		t.Fatal(err)
	}
	var before time.Duration
	var waiting int64
	for i := range 3 {
		times, err := session.Block(t.Context(), 10_000, 20*time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		q := session.Queue()
		if times[0] < before || q.Waiting <= waiting {
			t.Errorf("block %d: the first answer took %v, before %v; %d wait, before %d", i, times[0], before, q.Waiting, waiting)
		}
		if busy := float64(q.Busy) / float64(q.Span); busy < 0.8 {
			t.Errorf("block %d: busy %.2f of the time", i, busy)
		}
		before, waiting = times[len(times)-1], q.Waiting
	}
}

// TestRateSlow: one request is waited for, however late it comes, and whoever waits can stop.
func TestRateSlow(t *testing.T) {
	session := load(t, start(t), addOne(t))
	feeds := fed(map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 1)})
	bind := func(rate float64) {
		t.Helper()
		if err := session.Bind(t.Context(), feeds, ort.Binding{Rate: rate, Lanes: 2}); err != nil {
			t.Fatal(err)
		}
	}
	bind(20)
	if times, err := session.Block(t.Context(), 10, time.Nanosecond); err != nil || len(times) != 1 {
		t.Errorf("without time %d answers, %v", len(times), err)
	}
	bind(ort.MinRate)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if _, err := session.Block(ctx, 10, time.Minute); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 20*time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	bind(1000)
	if times, err := session.Block(t.Context(), 50, time.Minute); err != nil || len(times) != 50 {
		t.Errorf("after that %d answers, %v", len(times), err)
	}
	for _, rate := range []float64{-1, math.NaN(), math.Inf(1), ort.MinRate / 2, 2 * ort.MaxRate} {
		if err := session.Bind(t.Context(), feeds, ort.Binding{Rate: rate}); err == nil || !strings.Contains(err.Error(), "requests a second, expected 0.001 to 1e+06") {
			t.Errorf("a rate of %g: %v", rate, err)
		}
	}
}
