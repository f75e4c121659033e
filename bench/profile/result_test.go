package profile

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/cost"
	"lathe/graphops/graphtest"
)

// TestBound has a case for each side of each edge of the rule.
func TestBound(t *testing.T) {
	peak := &Peak{GFLOPS: map[string]float64{"f32": 100}, GBPS: 10} // 1e5 operations or 1e4 bytes in a microsecond
	for _, c := range []struct {
		what                  string
		us, operations, bytes float64
		elem                  string
		want                  Bound
	}{
		{"arithmetic at its peak", 1, 1e5, 0, "f32", BoundCompute},
		{"two fifths of it", 2.5, 1e5, 0, "f32", BoundCompute},
		{"less", 2.51, 1e5, 0, "f32", BoundNeither},
		{"bytes", 1, 1e4, 1e4, "f32", BoundMemory},
		{"as much of both", 1, 1e5, 1e4, "f32", BoundCompute},
		{"faster than memory: a cache", 1, 0, 1e6, "f32", BoundMemory},
		{"nothing to do", 1, 0, 0, "f32", BoundNeither},
		{"no time", 0, 1e5, 1e4, "f32", BoundUnknown},
		{"unknown arithmetic, bytes that explain it", 1, -1, 1e4, "f32", BoundMemory},
		{"unknown arithmetic that may explain it", 1, -1, 1, "f32", BoundUnknown},
		{"unknown bytes, arithmetic that explains it", 1, 1e5, -1, "f32", BoundCompute},
		{"unknown bytes", 1, 1, -1, "f32", BoundUnknown},
		{"nothing known", 1, -1, -1, "f32", BoundUnknown},
		{"a type without a peak", 1, 1e5, 1e4, "f64", BoundUnknown},
		{"no arithmetic: the type does not matter", 1, 0, 1e4, "f64", BoundMemory},
	} {
		if got := peak.bound(c.us, c.operations, c.bytes, c.elem); got != c.want {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
	if got := (*Peak)(nil).bound(1, 1, 1, "f32"); got != BoundUnknown {
		t.Errorf("without a peak: %q", got)
	}
}

// TestExplain follows times, costs and shares from a trace to modules.
func TestExplain(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[batch,64]
		init w f32[64,64] 1
		output y f32
		/enc/fc/MatMul: h = MatMul(x, w)
		/enc/act/Relu: r = Relu(h)
		/dec/Neg: n = Neg(r)
		/dec/Flatten: y = Flatten(n)
	`)
	optimized := graphtest.Model(t, `
		input x f32[batch,64]
		init w f32[64,64] 1
		output y f32
		opset com.microsoft 1
		/enc/fc/MatMul: r = com.microsoft::FusedMatMul(x, w)
		/dec/Neg: n = Neg(r)
		Copy: z = MemcpyToHost(n)
		/dec/Flatten: y = Flatten(z)
	`)
	trace := read(t, trace(
		node("/enc/fc/MatMul", "FusedMatMul", 0, 10, 60), node("/dec/Neg", "Neg", 1, 71, 30), node("Copy", "MemcpyToHost", 4, 102, 8),
		node("/dec/Flatten", "Flatten", 2, 111, 2), node("lost", "Cast", 3, 114, 20), session("model_run", 9, 150),
	), 0)
	costs, err := cost.Analyze(t.Context(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	costs = costs.At(SizesOf(m, map[string][]int64{"x": {8, 64}}))
	peak := &Peak{GFLOPS: map[string]float64{"f32": 2}, GBPS: 10}
	r := Explain(trace, Subject{Model: m, Optimized: optimized, Costs: costs, Peak: peak})

	first := r.Nodes[0]
	macs, bytes := int64(8*64*64), int64(16+64*64*4+8) // what the trace says, and the weight that it lacks
	if first.Op != "FusedMatMul" || *first.Index != 0 || *first.MACs != macs || first.Bytes != bytes || *first.Bound != BoundCompute {
		t.Errorf("%+v: %d MACs, %d bytes, %s", first, *first.MACs, first.Bytes, *first.Bound)
	}
	if want := 2 * float64(macs) / 60e3; math.Abs(float64(*first.GFLOPS)-want) > 1e-9 {
		t.Errorf("%v GFLOP/s, want %v", *first.GFLOPS, want)
	}
	if neg := r.Nodes[1]; neg.Bytes != 2*8*64*4 || *neg.Bound != BoundMemory && *neg.Bound != BoundNeither {
		t.Errorf("%+v", neg)
	}
	if r.OverheadUS != 30 || r.RunUS != 150 || math.Abs(float64(r.UnjoinedShare)-20.0/120) > 1e-9 || r.FloorUS != 2 || r.Folded != 0 {
		t.Errorf("overhead %v of %v, unjoined %v, floor %v, %d folded", r.OverheadUS, r.RunUS, r.UnjoinedShare, r.FloorUS, r.Folded)
	}
	if len(r.Copies) != 1 || r.Copies[0].US != 8 || r.Copies[0].Bytes != 28 {
		t.Errorf("%+v", r.Copies)
	}
	var modules []string
	for _, m := range r.Modules {
		text, err := json.Marshal([]any{m.Path, m.Parent, m.US, m.OwnUS, m.Nodes})
		if err != nil {
			t.Fatal(err)
		}
		modules = append(modules, string(text))
	}
	if d := cmp.Diff([]string{`["/",-1,100,0,4]`, `["/enc",0,60,0,1]`, `["/enc/fc",1,60,60,1]`, `["/dec",0,40,40,3]`}, modules); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"f32"}, r.Types()); d != "" {
		t.Error(d)
	}
	cells := r.Cells(4)
	if len(cells) != 4 || cells[0].US != 60 || cells[1].With != 0 || cells[1].US != 0 || cells[3].US != 10 || cells[0].Bound != BoundCompute || cells[1].Provider != "cpu" {
		t.Errorf("%+v", cells)
	}
	// The same of a result that was stored, and nothing of another model's.
	stored, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var again Result
	if err := json.Unmarshal(stored, &again); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(cells, again.Cells(4)); d != "" {
		t.Error(d)
	}
	if few := again.Cells(1); len(few) != 1 || few[0].US != 60 {
		t.Errorf("%+v", few)
	}
}

// TestExplainDevice tells what a device reached by the time of its kernels alone: a node's
// own is that of starting them.
func TestExplainDevice(t *testing.T) {
	m := graphtest.Model(t, "input x f32[64,64]\ninit w f32[64,64] 1\noutput y f32\na: h = MatMul(x, w)\nb: y = MatMul(h, w)\n")
	costs, err := cost.Analyze(t.Context(), m, 0)
	if err != nil {
		t.Fatal(err)
	}
	kernel := `{"cat":"Kernel","pid":-1,"tid":7,"dur":40,"ts":12,"name":"gemm","args":{"parent_name":"a_kernel_time"}}`
	text := strings.ReplaceAll(trace(node("a", "MatMul", 0, 11, 2), node("b", "MatMul", 1, 14, 2), kernel, session("model_run", 10, 60)), "CPUExecution", "CUDAExecution")
	r := Explain(read(t, text, 0), Subject{Model: m, Costs: costs, Peak: &Peak{GFLOPS: map[string]float64{"f32": 20}, GBPS: 10}})
	a, b := r.Nodes[0], r.Nodes[1]
	if want := Number(2 * 64 * 64 * 64 / 40e3); a.DeviceUS != 40 || math.Abs(float64(*a.GFLOPS-want)) > 1e-9 || *a.Bound != BoundCompute {
		t.Errorf("%+v", a)
	}
	if b.DeviceUS != 0 || b.GFLOPS != nil || b.GBPS != nil || b.Bound != nil {
		t.Errorf("%+v", b)
	}
}

// TestText shows one screen, and tells what is left out.
func TestText(t *testing.T) {
	m := graphtest.Model(t, "input x f32[4]\noutput y f32\nevil\\x1b[2J: h = Relu(x)\ni = Neg(h)\nj = Exp(i)\ny = Abs(j)\n")
	trace := read(t, trace(node("Relu_0", "Relu", 0, 0, 5), node("Neg_1", "Neg", 1, 6, 5), node("Exp_2", "Exp", 2, 12, 50), node(`evil\u001b[2J`, "Abs", 3, 70, 5), session("model_run", 0, 99)), 0)
	var b strings.Builder
	if err := Explain(trace, Subject{Model: m}).WriteText(&b, 1); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3 more", "Exp", "node 2", "23.1 %", "could not be mapped to a node of the model", "the shortest"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	if strings.ContainsRune(b.String(), '\x1b') {
		t.Error("an escape is printed")
	}
}

// TestPeakStore keeps a peak for what it was measured on, and believes no file that is
// about something else.
func TestPeakStore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "a", "b")
	key := PeakKey{Machine: "m", Runtime: "1", Provider: "cpu", Threads: 2}
	p := LoadPeak(folder, key)
	if d := cmp.Diff([]string{"", "f32", "i8"}, p.Lacks([]string{"f32", "i8", "f64"})); d != "" {
		t.Error(d)
	}
	for _, elem := range []string{"", "f32"} {
		probes, err := Probes(elem, false)
		if err != nil {
			t.Fatal(err)
		}
		last := probes[len(probes)-1]
		p.Raise(last, 1000)
		p.Raise(last, 2000)
	}
	if err := StorePeak(context.Background(), folder, key, p); err != nil {
		t.Fatal(err)
	}
	again := LoadPeak(folder, key)
	if !again.Cached || again.GFLOPS["f32"] != 2*1024*1024*1024/1e6 || again.GBPS != 2*4*(1<<25)/1e6 {
		t.Errorf("%+v", again)
	}
	if d := cmp.Diff([]string{"i8"}, again.Lacks([]string{"f32", "i8"})); d != "" {
		t.Error(d)
	}
	other := key
	other.Threads = 1
	if LoadPeak(folder, other).GBPS != 0 || LoadPeak("", key).GBPS != 0 {
		t.Error("another key has the same peak")
	}
	if err := os.Rename(peakPath(folder, key), peakPath(folder, other)); err != nil {
		t.Fatal(err)
	}
	if LoadPeak(folder, other).GBPS != 0 {
		t.Error("a file of another key is believed")
	}
	for _, content := range []string{"", "{", `{"schema":"lathe.peak/1","gbps":-1}`, `{"schema":"other"}`, strings.Repeat(" ", 1<<17)} {
		if err := os.WriteFile(peakPath(folder, key), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if p := LoadPeak(folder, key); p.GBPS != 0 || p.GFLOPS == nil {
			t.Errorf("%q gives %+v", content, p)
		}
	}
}

// TestBeaten finds peaks that cannot be right, and believes no node that is too short to
// tell.
func TestBeaten(t *testing.T) {
	rate := func(x Number) *Number { return &x }
	r := &Result{Peak: &Peak{GFLOPS: map[string]float64{"f32": 10, "i8": 40}}, Nodes: []Node{
		{US: 1000, Elem: "f32", GFLOPS: rate(10.4)},
		{US: 50, Elem: "f32", GFLOPS: rate(30)},
		{US: 1000},
		{US: 1000, Elem: "i8", GFLOPS: rate(43)},
		{US: 1000, Elem: "i8", GFLOPS: rate(44)},
		{US: 1000, Elem: "f64", GFLOPS: rate(44)},
	}}
	if d := cmp.Diff([]string{"i8"}, r.Beaten()); d != "" {
		t.Error(d)
	}
	r.Peak = nil
	if got := r.Beaten(); got != nil {
		t.Errorf("without a peak: %v", got)
	}
}

// TestProbes has models that say what they do.
func TestProbes(t *testing.T) {
	for _, elem := range []string{elemF32, elemF16, elemI8} {
		host, err := Probes(elem, false)
		if err != nil {
			t.Fatal(err)
		}
		device, err := Probes(elem, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range append(host, device...) {
			costs, err := cost.Analyze(t.Context(), p.Model, 0)
			if err != nil {
				t.Fatal(err)
			}
			whole, _ := costs.Total().MACs.Whole()
			if n, ok := whole.Number(); !ok || 2*float64(n) != p.Amount {
				t.Errorf("%s: %s MACs, %v operations", elem, whole, p.Amount)
			}
		}
	}
	copies, err := Probes("", false)
	if err != nil || len(copies) != 1 {
		t.Fatal(copies, err)
	}
	costs, err := cost.Analyze(t.Context(), copies[0].Model, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := costs.Node(copies[0].Model.Places()[0], 0)
	if n, ok := c.Read.Add(c.Written).Number(); !ok || float64(n) != copies[0].Amount {
		t.Errorf("copy: %d bytes, want %v", n, copies[0].Amount)
	}
	if p, err := Probes("f64", false); p != nil || err != nil {
		t.Errorf("f64: %v, %v", p, err)
	}
}
