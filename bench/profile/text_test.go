package profile

import (
	"strings"
	"testing"
)

// TestShortfall: a sum that is less than the time in nodes is explained.
func TestShortfall(t *testing.T) {
	r := &Result{RunUS: 110, OverheadUS: 10, NodesUS: 85, Parallel: 1}
	if got := r.Shortfall(); !strings.Contains(got, "the tables add up to 85 µs") {
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
	overhead := BoundOverhead
	r := &Result{Peak: &Peak{GFLOPS: map[string]float64{"f32": 93}, GBPS: 10, Threads: 1, Busy: true, Cached: true}, Nodes: []Node{{Bound: &overhead}}}
	got := strings.Join(r.remarks(), "\n")
	for _, want := range []string{
		"this machine at best with 1 thread: 93 GFLOP/s f32, 10 GB/s (measured by an earlier command); it was busy then, so this is measured again when it is idle",
		"bound is what limits a node: overhead, neither",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "compute, arithmetic") {
		t.Errorf("explains a bound that no node has:\n%s", got)
	}
}
