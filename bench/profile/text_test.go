package profile

import (
	"strings"
	"testing"
)

// TestShortfall: a sum that is less than the time in nodes is explained.
func TestShortfall(t *testing.T) {
	r := &Result{RunUS: 110, OverheadUS: 10, NodesUS: 85, Parallel: 1}
	if got := r.Shortfall(); !strings.Contains(got, "the tables add up to only 85 µs") {
		t.Errorf("%q", got)
	}
	for _, equal := range []*Result{{RunUS: 110, OverheadUS: 10, NodesUS: 99, Parallel: 1}, {RunUS: 110, OverheadUS: 10, NodesUS: 50, Parallel: 2}} {
		if got := equal.Shortfall(); got != "" {
			t.Errorf("%+v: %q", equal, got)
		}
	}
}

// TestPeakRemark: the number of threads, and that the machine was busy, belong to its peak.
func TestPeakRemark(t *testing.T) {
	neither := BoundNeither
	r := &Result{Peak: &Peak{GFLOPS: map[string]float64{"f32": 93}, GBPS: 10, Threads: 1, Busy: true, Cached: true}, Nodes: []Node{{Bound: &neither}}}
	got := strings.Join(r.remarks(), "\n")
	for _, want := range []string{
		"this machine at best with 1 thread: 93 GFLOP/s f32, 10 GB/s (stored earlier); it was busy then, so this is measured again when it is idle",
		"bound is what limits a node: neither, below 40 % of both",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "compute, arithmetic") {
		t.Errorf("explains a bound that no node has:\n%s", got)
	}
}

// TestUnsure: a time that varies from run to run is marked and explained; one that does not, or only by
// the precision of the clock, is not.
func TestUnsure(t *testing.T) {
	for _, c := range []struct {
		runs []int64
		want bool
	}{
		{[]int64{20, 20, 20, 930, 931, 940, 950}, true},
		{[]int64{100, 101, 102, 103, 104, 105, 9000}, false},
		{[]int64{1, 2, 3, 4, 5, 5, 5}, false},
		{[]int64{500}, false},
		{nil, false},
	} {
		n := (&Timed{PerRun: c.runs, Calls: 1}).node(max(len(c.runs), 1), 1000)
		if n.Unsure != c.want {
			t.Errorf("%v: %v, quartiles %v", c.runs, n.Unsure, n.Quartiles)
		}
	}
	r := &Result{Nodes: []Node{{Name: "a", US: 931, Quartiles: [2]Number{20, 940}, Unsure: true}}}
	if got := strings.Join(r.unsureRemark(8), "\n"); !strings.Contains(got, "~ varies from run to run") || !strings.Contains(got, "between 20 µs and 940 µs") {
		t.Errorf("%q", got)
	}
	if got := r.Nodes[0].said(); got != "~931 µs" {
		t.Errorf("%q", got)
	}
}

// TestCaveat: the text says that clocks make the times of nodes too long, and by how much.
func TestCaveat(t *testing.T) {
	r := &Result{Slowdown: 12, Parallel: 1, Nodes: []Node{{Name: "a", US: 931, Share: 0.027}}}
	if got, want := r.Caveat(), "with a clock at each node 12 × a run; the shares count, not the times"; got != want {
		t.Errorf("%q", got)
	}
	if got := strings.Join(r.Clocks(5864), "\n"); !strings.Contains(got, "a run takes 5.864 ms, and 2.7 % of that is 158.3 µs: 931 µs for") {
		t.Errorf("%q", got)
	}
	r.Slowdown = 1.1
	if r.Caveat() != "" || len(r.Clocks(5864)) > 0 {
		t.Errorf("%q, %q", r.Caveat(), r.Clocks(5864))
	}
}

// TestAboveMemory: a node that moves more bytes than memory can is explained, and one that no cache could
// serve raises the bandwidth.
func TestAboveMemory(t *testing.T) {
	rate := Number(14.4)
	r := &Result{Peak: &Peak{GBPS: 9.89}, Nodes: []Node{{Name: "a", US: 900, Calls: 1, Bytes: 1 << 20, GBPS: &rate}}}
	if got := strings.Join(r.aboveMemory(), "\n"); !strings.Contains(got, "moved 14.4 GB/s, more than the 9.89 GB/s of memory") {
		t.Errorf("%q", got)
	}
	if r.Peak.RaiseBy(r) {
		t.Error("a node whose values fit a cache raised the bandwidth")
	}
	r.Nodes[0].Bytes = 1 << 28
	if !r.Peak.RaiseBy(r) || r.Peak.GBPS != 14.4 || len(r.aboveMemory()) > 0 {
		t.Errorf("%+v", r.Peak)
	}
}
