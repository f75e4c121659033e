package profile

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// node is an event of a node as the runtime writes it.
func node(name, op string, index, start, duration int) string {
	return fmt.Sprintf(`{"cat" : "Node","pid" :1,"tid" :1,"dur" :%d,"ts" :%d,"ph" : "X","name" :"%s_kernel_time","args" : {"op_name" : "%s","provider" : "CPUExecutionProvider","node_index" : "%d","activation_size" : "16","parameter_size" : "4","output_size" : "8","input_type_shape" : [{"float":[1,4]}],"thread_scheduling_stats" : ""}}`, duration, start, name, op, index)
}

// session is one of the session.
func session(name string, start, duration int) string {
	return fmt.Sprintf(`{"cat" : "Session","pid" :1,"tid" :1,"dur" :%d,"ts" :%d,"ph" : "X","name" :"%s","args" : {}}`, duration, start, name)
}

func trace(events ...string) string { return "[\n" + strings.Join(events, ",\n") + "\n]\n" }

func read(t *testing.T, text string, skip int) *Trace {
	t.Helper()
	got, err := Read(strings.NewReader(text), skip)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestRuns leaves the first run out and takes the median of the others.
func TestRuns(t *testing.T) {
	events := []string{session("session_initialization", 0, 5)}
	for i, took := range []int{900, 10, 30, 20} {
		start := 1000 * (i + 1)
		events = append(events, node("a", "Relu", 0, start, took), node("b", "Relu", 1, start+took+2, 4),
			session("SequentialExecutor::Execute", start, took+8), session("model_run", start-1, took+10))
	}
	got := read(t, trace(events...), 1)
	if got.Runs != 3 || got.Skipped != 1 || got.Cut || got.Busy != 1 {
		t.Errorf("%d runs, %d skipped, cut %v, busy %v", got.Runs, got.Skipped, got.Cut, got.Busy)
	}
	if a := got.Nodes[0]; a.median() != 20 || a.Calls != 3 || a.Total != 60 || a.Activations != 48 || a.Elem != "float" {
		t.Errorf("%+v, of median %v", a, a.median())
	}
	if d := cmp.Diff([]int64{6, 6, 6}, got.Overhead); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]int64{20, 40, 30}, got.RunTimes); d != "" {
		t.Error(d)
	}
}

// TestBodies gives a loop the time that it spends outside of its body, and tells nodes
// of a body from those around it: the clock makes them look alike.
func TestBodies(t *testing.T) {
	run := []string{
		node("before", "Relu", 0, 100, 5),
		node("inner", "Relu", 0, 110, 10), node("inner", "Relu", 0, 120, 11), // the last ends a tick late
		node("loop", "Loop", 1, 106, 24),
		node("inner", "Relu", 2, 130, 0), // of the same name, begins as the loop ends
		node("after", "Relu", 3, 131, 7),
		session("model_run", 99, 50),
	}
	got := read(t, trace(run...), 0)
	var lines []string
	for _, n := range got.Nodes {
		parent := "-"
		if n.Parent != nil {
			parent = n.Parent.Name
		}
		lines = append(lines, fmt.Sprintf("%s in %s: %v, %d calls, %d", n.Name, parent, n.median(), n.Calls, n.Total))
	}
	want := []string{"before in -: 5, 1 calls, 5", "loop in -: 3, 1 calls, 24", "inner in loop: 21, 2 calls, 21", "inner in -: 0, 1 calls, 0", "after in -: 7, 1 calls, 7"}
	if d := cmp.Diff(want, lines); d != "" {
		t.Error(d)
	}
	if got.Overhead[0] != 50-5-24-7 {
		t.Errorf("overhead %d", got.Overhead[0])
	}
}

// TestParallel tells nodes that overlap from those that follow each other.
func TestParallel(t *testing.T) {
	other := strings.Replace(node("b", "Relu", 1, 105, 10), `"tid" :1`, `"tid" :2`, 1)
	got := read(t, trace(node("a", "If", 0, 100, 20), other, session("model_run", 100, 25)), 0)
	if got.Busy != 1.5 || got.Overhead[0] != 5 || got.Nodes[1].Parent != nil {
		t.Errorf("busy %v, overhead %d, %+v", got.Busy, got.Overhead[0], got.Nodes[1])
	}
}

// TestCut reads a trace whose last run is not whole, as the runtime leaves one of a
// million events.
func TestCut(t *testing.T) {
	got := read(t, trace(node("a", "Relu", 0, 1, 2), session("model_run", 0, 4), node("a", "Relu", 0, 11, 2)), 0)
	if !got.Cut || got.Runs != 1 || got.Nodes[0].Calls != 1 {
		t.Errorf("%+v", got)
	}
}

// TestSometimes counts a node that runs in some runs only.
func TestSometimes(t *testing.T) {
	got := read(t, trace(session("model_run", 0, 4), node("a", "Relu", 0, 11, 2), session("model_run", 10, 4), session("model_run", 20, 4)), 0)
	if d := cmp.Diff([]int64{0, 2, 0}, got.Nodes[0].PerRun); d != "" {
		t.Error(d)
	}
}

// TestKernels adds the time of a device's kernels to the node that started them.
func TestKernels(t *testing.T) {
	kernel := `{"cat":"Kernel","pid":-1,"tid":7,"dur":40,"ts":12,"name":"void gemm<\"x\">","args":{"parent_name":"a_kernel_time"}}`
	got := read(t, trace(node("a", "MatMul", 0, 11, 2), kernel, session("model_run", 10, 60)), 0)
	if got.Nodes[0].Device != 40 || len(got.Nodes) != 1 || got.Overhead[0] != 58 {
		t.Errorf("%+v", got.Nodes[0])
	}
}

func TestNotATrace(t *testing.T) {
	good := trace(node("a", "Relu", 0, 1, 2), session("model_run", 0, 4))
	for name, c := range map[string]struct{ text, want string }{
		"nothing":      {"", "ends before"},
		"an object":    {"{}", "begins with a line ["},
		"no runs":      {"[\n]", "no complete run"},
		"one line":     {"[]", "begins with a line ["},
		"only skipped": {trace(node("a", "Relu", 0, 1, 2)), "no complete run"},
		"cut":          {good[:len(good)-20], "ends before"},
		"no end":       {good[:len(good)-3], "ends before"},
		"nothing in":   {"[\n", "ends before"},
		"negative":     {trace(`{"cat":"Node","dur":-1}`), "duration of -1"},
		"overflow":     {trace(`{"cat":"Node","dur":9223372036854775807}`), "duration of"},
		"before":       {trace(`{"cat":"Node","ts":-5}`), "start at -5"},
		"long name":    {trace(`{"cat":"Node","name":"` + strings.Repeat("x", maxName+1) + `"}`), "a name of more than"},
	} {
		_, err := Read(strings.NewReader(c.text), 0)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Read(strings.NewReader(good), 1); !errors.Is(err, ErrNoRuns) {
		t.Errorf("all runs left out: %v", err)
	}
}

// TestUnread leaves out what is no event, and counts it.
func TestUnread(t *testing.T) {
	for name, event := range map[string]string{
		"a number": "1", "wrong type": `{"cat":"Node","name":7}`, "wrong time": `{"cat":"Node","dur":1.5}`,
		"broken": `{"cat":"Node",`, "too long": `{"cat":"` + strings.Repeat("x", 3*maxEvent) + `"}`,
	} {
		got := read(t, trace(session("session_initialization", 0, 1), node("a", "Relu", 0, 1, 2)+",\n"+event, session("model_run", 0, 4)), 0)
		if got.Unread != 1 || // of what is no event by itself, that before it
			got.Runs != 1 {
			t.Errorf("%s: %d unread, %d runs", name, got.Unread, got.Runs)
		}
	}
}

// TestHostileNames reads names as versions before 1.31 write them: as they are.
func TestHostileNames(t *testing.T) {
	for _, name := range []string{`a"b`, "a\nb", `a\nb`, `a\`, `\"`, "\xff\xfe", `x","args" : {"op_name":"Forged"}},`, "a\n]\n", `"name" :"`, "]", "{", `}},`} {
		got := read(t, trace(node("before", "Relu", 0, 0, 1), node(name, "Exp", 1, 2, 2), node("after", "Abs", 2, 5, 1), session("model_run", 0, 9)), 0)
		if got.Runs != 1 || len(got.Nodes) != 3 || got.Unread != 0 {
			t.Errorf("%q: %d runs, %d nodes, %d unread", name, got.Runs, len(got.Nodes), got.Unread)
			continue
		}
		if n := got.Nodes[1]; n.Name != name && n.Escaped != name || n.Op != "Exp" {
			t.Errorf("%q is %q, or %q, of %s", name, n.Name, n.Escaped, n.Op)
		}
	}
	// As later ones do.
	got := read(t, trace(node(`a\"b\\c`, "Exp", 1, 2, 2), session("model_run", 0, 9)), 0)
	if n := got.Nodes[0]; n.Name != `a"b\c` {
		t.Errorf("%q", n.Name)
	}
}

// TestOrder reads the same whether events stand in the order of their starts or of their
// ends.
func TestOrder(t *testing.T) {
	byEnd := []string{
		session("session_initialization", 0, 5),
		node("a", "Relu", 0, 11, 2), node("i", "Relu", 0, 16, 1), node("l", "Loop", 1, 15, 4), session("SequentialExecutor::Execute", 11, 9), session("model_run", 10, 12),
		node("a", "Relu", 0, 31, 3), node("i", "Relu", 0, 36, 1), node("l", "Loop", 1, 35, 5), session("SequentialExecutor::Execute", 31, 9), session("model_run", 30, 12),
	}
	byStart := []string{byEnd[0], byEnd[5], byEnd[1], byEnd[4], byEnd[3], byEnd[2], byEnd[10], byEnd[9], byEnd[6], byEnd[8], byEnd[7]}
	a, b := read(t, trace(byEnd...), 0), read(t, trace(byStart...), 0)
	if d := cmp.Diff(a, b); d != "" {
		t.Error(d)
	}
	if a.Runs != 2 || a.Cut || a.Nodes[2].Parent != a.Nodes[1] || a.Nodes[1].median() != 3.5 {
		t.Errorf("%+v", a)
	}
}

// repeated is a trace of so many events.
func repeated(event string, n int) io.Reader {
	parts := []io.Reader{strings.NewReader("[\n")}
	const block = 1000
	many := strings.Repeat(event+",\n", block)
	for range n / block {
		parts = append(parts, strings.NewReader(many))
	}
	return io.MultiReader(append(parts, strings.NewReader(session("model_run", 0, 4)+"\n]"))...)
}

// TestLargeTrace reads what is far larger than what is kept of it.
func TestLargeTrace(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	other := `{"cat":"Api","name":"` + strings.Repeat("n", 400) + `","dur":1,"ts":1}`
	got, err := Read(repeated(other, 100_000), 0) // 43 MB
	if err != nil || got.Runs != 1 {
		t.Fatal(got, err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapInuse) - int64(before.HeapInuse); grown > 8<<20 {
		t.Errorf("%d bytes are kept", grown)
	}
}

// FuzzRead wants that no trace panics, and that what is made of one is consistent.
func FuzzRead(f *testing.F) {
	f.Add(trace(node("a", "Relu", 0, 1, 2), session("model_run", 0, 4)), 0)
	f.Add(trace(node("i", "Relu", 0, 2, 2), node("l", "Loop", 1, 1, 4), session("model_run", 0, 9), session("model_run", 9, 9)), 1)
	f.Add(trace(`{"cat":"Node","name":"x_kernel_time","args":{"input_type_shape":{"a":[1]}}}`, `{"cat":"Session","name":"model_run"}`), 0)
	f.Fuzz(func(t *testing.T, text string, skip int) {
		got, err := Read(strings.NewReader(text), skip)
		if err != nil {
			return
		}
		for _, n := range got.Nodes {
			if len(n.PerRun) != got.Runs || n.Total < 0 || n.Calls < 1 {
				t.Fatalf("%+v of %d runs", n, got.Runs)
			}
		}
	})
}

// BenchmarkRead reads events as the runtime writes them.
func BenchmarkRead(b *testing.B) {
	event := node("/model/layers.11/self_attn/q_proj/MatMul", "MatMul", 7, 1, 2)
	b.SetBytes(int64(len(event)) * 10_000)
	for b.Loop() {
		if _, err := Read(repeated(event, 10_000), 0); err != nil {
			b.Fatal(err)
		}
	}
}
