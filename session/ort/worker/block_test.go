//go:build cgo

package worker_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/workertest"

	"google.golang.org/protobuf/proto"
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
	// The clock of a block begins before that of its first run.
	const limit, lead = 20 * time.Millisecond, time.Millisecond
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
	if total < limit-lead || beforeLast >= limit {
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

// TestLanes: runs that go on at once share the number of a block, are all timed, and also so
// where each binds its inputs anew.
func TestLanes(t *testing.T) {
	client := start(t)
	session := load(t, client, addOne(t))
	feeds := fed(map[string]tensor.Tensor{"x": {DType: tensor.F32, Shape: []int64{1}, Data: floats(2)}})
	for _, b := range []ort.Binding{{Lanes: 1}, {Lanes: 4}, {CopyInputs: true}, {Lanes: 3, CopyInputs: true, Settle: true}} {
		if err := session.Bind(t.Context(), feeds, b); err != nil {
			t.Fatalf("%+v: %v", b, err)
		}
		for _, runs := range []int{1, 2, 1000} {
			times, err := session.Block(t.Context(), runs, time.Minute)
			if err != nil || len(times) != runs {
				t.Fatalf("%+v: %d of %d runs, %v", b, len(times), runs, err)
			}
			if slices.Min(times) <= 0 {
				t.Errorf("%+v: a run took %v", b, slices.Min(times))
			}
		}
		const limit = 20 * time.Millisecond
		times, err := session.Block(t.Context(), ort.MaxBlockRuns, limit)
		if err != nil {
			t.Fatal(err)
		}
		total := time.Duration(0)
		for _, run := range times {
			total += run
		}
		lanes := time.Duration(max(b.Lanes, 1))
		// A thread may begin late where the processors are busy.
		if len(times) < ort.MaxBlockRuns && total < lanes*limit/2 {
			t.Errorf("%+v: %d runs add up to %v in %v", b, len(times), total, limit)
		}
	}
	if times, err := session.Block(t.Context(), 100, time.Nanosecond); err != nil || len(times) != 3 {
		t.Errorf("without time %d runs, %v; every lane makes one", len(times), err)
	}
	for _, lanes := range []int{-1, 257} {
		if err := session.Bind(t.Context(), feeds, ort.Binding{Lanes: lanes}); err == nil || !strings.Contains(err.Error(), "runs at once, expected 1 to 256") {
			t.Errorf("%d lanes: %v", lanes, err)
		}
	}
	if _, err := session.Block(t.Context(), 1, time.Second); err != nil {
		t.Errorf("what was bound before is gone: %v", err)
	}
}

// TestLanesFail: what one of several runs fails with is told once, and nothing hangs.
func TestLanesFail(t *testing.T) {
	session := load(t, start(t), failsForZero(t))
	zero := fed(map[string]tensor.Tensor{"x": {DType: tensor.I64, Shape: []int64{1}, Data: make([]byte, 8)}})
	if err := session.Bind(t.Context(), zero, ort.Binding{Lanes: 4}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := session.Block(t.Context(), 100, time.Second); err == nil {
			t.Fatal("a run that cannot be made is made")
		}
	}
}

// failsForZero reshapes to a size that does not fit.
func failsForZero(tb testing.TB) []byte {
	return modelBytes(tb, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{node("Expand", []string{"x", "x"}, []string{"s"}), node("Reshape", []string{"s", "w"}, []string{"y"})},
		Input:  []*onnxpb.ValueInfoProto{value("x", tensor.I64, 1)},
		Output: []*onnxpb.ValueInfoProto{value("y", tensor.I64, 3)},
		Initializer: []*onnxpb.TensorProto{{
			Name: proto.String("w"), DataType: proto.Int32(int32(tensor.I64)), Dims: []int64{1}, Int64Data: []int64{3},
		}},
	})
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
	// What else the machine does can be in one look at the counters. A thread that spins is in all.
	const looks = 5
	for look := 1; ; look++ {
		if _, err := session.Block(t.Context(), 100, 20*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		took, rest := atRest(t, client)
		if took <= 0.2*rest+0.003 { // what is allowed is for the looks themselves
			return
		}
		if look == looks {
			t.Fatalf("%.1f ms of processor time in %.1f ms of rest, and as much in %d looks before", 1e3*took, 1e3*rest, looks-1)
		}
	}
}

// atRest are the seconds of processor time that a worker takes while it has nothing to do, and
// the seconds of that while.
func atRest(t *testing.T, client *ort.Client) (took, rest float64) {
	t.Helper()
	before, err := client.Machine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	after, err := client.Machine(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return float64(after.Counters.Own - before.Counters.Own), float64(after.Counters.Seconds - before.Counters.Seconds)
}

// TestStages: what runs consist of is timed on the host too, where it tells nothing and is not
// told; the inputs stay bound.
func TestStages(t *testing.T) {
	client := start(t)
	session := load(t, client, addOne(t))
	if _, err := session.Stages(t.Context(), 1, time.Second); err == nil || !strings.Contains(err.Error(), "Bind comes first") {
		t.Errorf("without inputs: %v", err)
	}
	feeds := fed(map[string]tensor.Tensor{"x": {DType: tensor.F32, Shape: []int64{1}, Data: floats(2)}})
	if err := session.Bind(t.Context(), feeds, ort.Binding{Lanes: 2}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if st, err := session.Stages(t.Context(), 20, time.Second); err != nil || st != nil {
			t.Errorf("on the host %+v, %v", st, err)
		}
		if times, err := session.Block(t.Context(), 10, time.Second); err != nil || len(times) != 10 {
			t.Errorf("%d runs after that, %v", len(times), err)
		}
	}
	for _, runs := range []int{0, 1001} {
		if _, err := session.Stages(t.Context(), runs, time.Second); err == nil {
			t.Errorf("stages of %d runs were accepted", runs)
		}
	}
}
