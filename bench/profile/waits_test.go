package profile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/onnxtext"
)

// deviceNode is an event of a node on a provider.
func deviceNode(name, op, provider string, start, duration int) string {
	return strings.Replace(node(name, op, 0, start, duration), "CPUExecutionProvider", provider, 1)
}

const onWebGPU = "WebGpuExecutionProvider"

// waitingGraph has two nodes on a device, one on the host with a copy before it, and a loop.
const waitingGraph = `<ir_version: 8, opset_import: ["" : 17]> g (float[4] x, int64 n, bool go) => (float[4] z) {
	[a] a = Relu(x)
	[b] b = Neg(a)
	[copy] b_host = MemcpyToHost(b)
	[c] c = Round(b_host)
	z = Loop(n, go, c) <body = body (int64 i, bool on, float[4] s) => (bool still, float[4] t) { still = Identity(on) t = Add(s, b_host) }>
}`

func parsed(t *testing.T, text string) *graphops.Model {
	t.Helper()
	m, err := onnxtext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func waitsOf(t *testing.T, graph string, version int) *Waits {
	t.Helper()
	m := parsed(t, strings.Replace(graph, `: 17`, fmt.Sprintf(": %d", version), 1))
	plain := read(t, trace(
		deviceNode("a", "Relu", onWebGPU, 100, 5), deviceNode("b", "Neg", onWebGPU, 110, 5),
		deviceNode("copy", "MemcpyToHost", onWebGPU, 120, 50), node("c", "Round", 2, 180, 5),
		session("model_run", 99, 100)), 0)
	w := WithWaits(m, plain, graphops.Feeds{"x": {}, "n": {}, "go": {}})
	if w == nil {
		t.Fatal("no node needs a wait")
	}
	return w
}

// TestWithWaits reads the outputs of the nodes on the device, those of the first node last, and leaves
// everything else as it was.
func TestWithWaits(t *testing.T) {
	w := waitsOf(t, waitingGraph, 17)
	var got []string
	for _, n := range w.Model.Graph().Nodes() {
		got = append(got, fmt.Sprintf("%s(%s)", n.OpType(), strings.Join(n.Inputs(), ",")))
	}
	wait := func(k, turn int, of string) []string {
		p := fmt.Sprintf("lathe_wait/%d/%d/", k, turn)
		return []string{
			"Reshape(" + of + ",lathe_wait_shape)", "Slice(" + p + "flat,lathe_wait_first,lathe_wait_second)", "ExpandDims(" + p + "one,lathe_wait_axis)",
		}
	}
	want := slices.Concat(
		[]string{"Constant()", "Constant()", "Constant()", "Constant()", "Relu(x)", "Neg(a)", "Round(b)", "Loop(n,go,c)"},
		wait(1, 1, "b"), wait(1, 0, "b"), wait(0, 1, "a"), wait(0, 0, "a"),
	)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	loop := w.Model.Graph().Nodes()[7]
	if captured := loop.Captured(); !slices.Equal(captured, []string{"b"}) {
		t.Errorf("the body reads %q of the graph", captured)
	}
	if version, ok := w.Model.Opset(graphops.MicrosoftDomain); !ok || version != 1 {
		t.Errorf("version %d of the domain of ExpandDims, %v", version, ok)
	}
	for _, n := range waitsOf(t, waitingGraph, 9).Model.Graph().Nodes() {
		if n.OpType() == "Slice" && (len(n.Inputs()) != 1 || len(n.Attributes()) != 2) {
			t.Errorf("Slice of opset 9 has inputs %q", n.Inputs())
		}
	}
}

// TestWithoutWaits adds nothing if every node runs on the host.
func TestWithoutWaits(t *testing.T) {
	m := parsed(t, waitingGraph)
	if w := WithWaits(m, read(t, trace(node("a", "Relu", 0, 100, 5), session("model_run", 99, 100)), 0), nil); w != nil {
		t.Errorf("waits after %d nodes", len(w.nodes))
	}
}

// waitingRun is a run in which a and b take 100 and 300 µs on the device, a wait 30 µs, and the node
// on the host 7.
func waitingRun(start int) []string {
	at := start
	var out []string
	event := func(name, op, provider string, took int) {
		out = append(out, deviceNode(name, op, provider, at, took))
		at += took + 1
	}
	wait := func(k, turn, took int) {
		p := fmt.Sprintf("lathe_wait/%d/%d/", k, turn)
		event(p+"flat", "Reshape", onWebGPU, 4)
		event(p+"one", "Slice", onWebGPU, 4)
		event("Memcpy_token_"+p[:12], "MemcpyToHost", onWebGPU, took+20)
		event(p+"sink", "ExpandDims", "CPUExecutionProvider", 9)
	}
	event("a", "Relu", onWebGPU, 5)
	wait(0, 0, 100-5-1)
	wait(0, 1, 0)
	event("b", "Neg", onWebGPU, 5)
	wait(1, 0, 300-5-1)
	wait(1, 1, 0)
	event("Memcpy_token_7", "MemcpyToHost", onWebGPU, 11)
	event("c", "Round", "CPUExecutionProvider", 7)
	return append(out, session("model_run", start-1, at-start+1))
}

// TestReadWaits gives the time of a wait to the node before it, and removes the waits from the run.
func TestReadWaits(t *testing.T) {
	w := waitsOf(t, waitingGraph, 17)
	events := slices.Concat(waitingRun(1000), waitingRun(5000))
	got, err := ReadWaits(strings.NewReader(trace(events...)), 1, w)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, n := range got.Nodes {
		lines = append(lines, fmt.Sprintf("%s %s %v", n.Name, n.Op, n.median()))
	}
	if d := cmp.Diff([]string{"a Relu 100", "b Neg 300", "copy MemcpyToHost 11", "c Round 7"}, lines); d != "" {
		t.Error(d)
	}
	// One microsecond before each of the four events that stay, and at the end, is in no node.
	if d := cmp.Diff([]int64{418 + 5}, got.RunTimes); d != "" {
		t.Error(d)
	}
	if median(got.Idle) != 30 || got.Loose != 0 || got.Clock != ClockWaits || w.Moved(got) != 0 {
		t.Errorf("idle %v, %d loose, clock %s, %d moved", got.Idle, got.Loose, got.Clock, w.Moved(got))
	}
	r := got.Summary()
	if r.Clock != ClockWaits || r.WaitUS != 30 || r.NodesUS != 418 {
		t.Errorf("clock %s, wait %v, nodes %v", r.Clock, r.WaitUS, r.NodesUS)
	}
}

// TestLooseNodes: a node keeps the time of starting it if other work comes between it and its wait,
// or if a wait is missing.
func TestLooseNodes(t *testing.T) {
	w := waitsOf(t, waitingGraph, 17)
	run := waitingRun(1000)
	between := slices.Insert(slices.Clone(run), 1, deviceNode("b", "Neg", onWebGPU, 1005, 1))
	missing := slices.DeleteFunc(slices.Clone(run), func(e string) bool { return strings.Contains(e, "lathe_wait/1/1/") })
	for name, events := range map[string][]string{"between": between, "missing": missing} {
		got, err := ReadWaits(strings.NewReader(trace(events...)), 0, w)
		if err != nil {
			t.Fatal(err)
		}
		loose := map[string]int64{"between": 2, "missing": 1}[name]
		if got.Loose != loose {
			t.Errorf("%s: %d loose calls, expected %d", name, got.Loose, loose)
		}
	}
}

// TestMovedNodes counts nodes that run on another provider because of the waits.
func TestMovedNodes(t *testing.T) {
	w := waitsOf(t, waitingGraph, 17)
	events := waitingRun(1000)
	for i, e := range events {
		if strings.Contains(e, `"c_kernel_time"`) {
			events[i] = strings.Replace(e, "CPUExecutionProvider", onWebGPU, 1)
		}
	}
	got, err := ReadWaits(strings.NewReader(trace(events...)), 0, w)
	if err != nil || w.Moved(got) != 1 {
		t.Errorf("%d moved, %v", w.Moved(got), err)
	}
}

// TestClocks derives the clock from the nodes.
func TestClocks(t *testing.T) {
	for want, n := range map[Clock]Timed{
		ClockHost:    {Provider: "CPUExecutionProvider"},
		ClockStarts:  {Provider: onWebGPU},
		ClockKernels: {Provider: "CUDAExecutionProvider", Device: 1},
	} {
		if got := (&Trace{Nodes: []*Timed{&n}}).clock(); got != want {
			t.Errorf("%+v: clock %q, expected %q", n, got, want)
		}
	}
	host := &Trace{Clock: ClockWaits, Nodes: []*Timed{{Provider: "CPUExecutionProvider"}}}
	if got := host.clock(); got != ClockHost {
		t.Errorf("without a node on a device: %q", got)
	}
}
