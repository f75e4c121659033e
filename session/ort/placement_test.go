package ort_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/session/ort"
)

// The log's lines are those of ONNX Runtime 1.24 to 1.30 on other providers than
// the CPU's; the nodes those of a model with one operator that CUDA lacks and a
// shape that is computed.
func TestPlacementOf(t *testing.T) {
	const cuda, cpu = "CUDAExecutionProvider", "CPUExecutionProvider"
	nodes := []ort.PlacedNode{
		{Name: "conv", Op: "Conv", Provider: cuda},
		{Name: "relu", Op: "Relu", Provider: cuda},
		{Name: "odd one", Op: "NonMaxSuppression", Provider: cpu},
		{Name: "shape", Op: "Shape", Provider: cpu},
		{Name: "lstm", Op: "LSTM", Provider: cpu},
		{Name: "silent", Op: "Cast", Provider: cpu},
		{Name: "", Op: "Relu", Provider: cpu},
		{Name: "", Op: "Neg", Provider: cpu},
		{Name: "fused", Op: "Gelu", Provider: cuda, Domain: "com.microsoft"},
		{Name: "out", Op: "Add", Provider: cuda},
	}
	log := []ort.LogLine{
		{Severity: 1, Message: "CUDA kernel not found in registries for Op type: NonMaxSuppression node name: odd one"},
		{Severity: 1, Message: "CUDA kernel not found in registries for Op type: NonMaxSuppression node name: odd one"},
		{Severity: 1, Message: "CUDA kernel not found in registries for Op type: Relu node name: relu"}, // found in a later round
		{Severity: 1, Message: "CUDA kernel not found in registries for Op type: Neg node name: "},
		{Severity: 2, Message: "CUDA kernel not supported. Fallback to CPU execution for Op type: LSTM node name: lstm"},
		{Severity: 1, Message: "ORT optimization- Force fallback to CPU execution for node: shape because the CPU execution path is deemed faster than overhead involved with execution on other EPs  capable of executing this node"},
		{Severity: 1, Message: "Add MemcpyFromHost after boxes and scores for CUDAExecutionProvider"},
		{Severity: 1, Message: "Add MemcpyToHost before picked for CUDAExecutionProvider"},
		{Severity: 2, Message: "2 Memcpy nodes are added to the graph main_graph for CUDAExecutionProvider. It might have negative impact on performance (including unable to run CUDA graph)."},
	}
	got := ort.PlacementOf(nodes, log, "cuda")
	got.Nodes = nil
	want := ort.Placement{
		Shares: []ort.ProviderShare{{Provider: "cpu", Nodes: 6, Share: 0.6}, {Provider: "cuda", Nodes: 4, Share: 0.4}},
		Copies: []ort.DeviceCopy{
			{Op: "MemcpyFromHost", Value: "boxes and scores", Provider: "cuda"},
			{Op: "MemcpyToHost", Value: "picked", Provider: "cuda"},
		},
		Fallbacks: []ort.Fallback{
			{Node: "odd one", Op: "NonMaxSuppression", Provider: "cuda", Reason: "it has no kernel for this operator, version and types"},
			{Node: "shape", Op: "Shape", Provider: "cuda", Reason: "it computes a shape or an index, which is cheaper on the CPU than the copies would be"},
			{Node: "lstm", Op: "LSTM", Provider: "cuda", Reason: "its kernel does not support what this node asks for"},
			{Node: "silent", Op: "Cast", Provider: "cuda", Reason: "the runtime does not say why"},
			{Node: "", Op: "Relu", Provider: "cuda", Reason: "the runtime does not say why"},
			{Node: "", Op: "Neg", Provider: "cuda", Reason: "it has no kernel for this operator, version and types"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	alone := ort.PlacementOf([]ort.PlacedNode{{Name: "a", Op: "Add", Provider: cpu}}, nil, "cpu")
	if len(alone.Fallbacks) != 0 || alone.Nodes[0].Provider != "cpu" {
		t.Errorf("on the CPU alone: %+v", alone)
	}
	if none := ort.PlacementOf(nil, nil, "cuda"); len(none.Shares) != 0 {
		t.Errorf("without nodes: %+v", none)
	}
}

// TestPlacementOfLog checks which of the runtime's two lists is used. WebGPU's partitioner only lists
// the nodes that the change of the layout adds.
func TestPlacementOfLog(t *testing.T) {
	const webgpu, cpu = "WebGpuExecutionProvider", "CPUExecutionProvider"
	said := func(messages ...string) (out []ort.LogLine) {
		for _, m := range messages {
			out = append(out, ort.LogLine{Location: "session_state.cc:1385 VerifyEachNodeIsAssignedToAnEp", Message: m})
		}
		return out
	}
	named := func(provider string, names ...string) (out []ort.PlacedNode) {
		for _, n := range names {
			out = append(out, ort.PlacedNode{Name: n, Op: "Conv", Provider: provider})
		}
		return out
	}
	split := said("Node placements", " Node(s) placed on [WebGpuExecutionProvider]. Number of nodes: 3", "  Conv (first)", "  Conv ((a b) c)", "  Conv ()", "  MemcpyToHost (Memcpy)",
		" Node(s) placed on [CPUExecutionProvider]. Number of nodes: 1", "  Shape (shape)")
	for name, c := range map[string]struct {
		assigned []ort.PlacedNode
		log      []ort.LogLine
		want     []ort.ProviderShare
		nodes    int
	}{
		"the log's":         {named(webgpu, "Transpose"), split, []ort.ProviderShare{{"webgpu", 3, 0.75}, {"cpu", 1, 0.25}}, 4},
		"the partitioner's": {append(named(webgpu, "a", "b", "c", "d"), named(cpu, "e")...), split, []ort.ProviderShare{{"webgpu", 4, 0.8}, {"cpu", 1, 0.2}}, 5},
		"compiled":          {named(webgpu, "a", "b"), said(" All nodes placed on [WebGpuExecutionProvider]. Number of nodes: 1"), []ort.ProviderShare{{"webgpu", 2, 1}}, 2},
		"all on one":        {named(webgpu, "a", "b"), said(" All nodes placed on [WebGpuExecutionProvider]. Number of nodes: 9"), []ort.ProviderShare{{"webgpu", 9, 1}}, 0},
		"idle":              {named(cpu, "a", "b"), said(" All nodes placed on [CPUExecutionProvider]. Number of nodes: 7"), []ort.ProviderShare{{"cpu", 2, 1}}, 2},
		"other messages":    {named(cpu, "a"), []ort.LogLine{{Location: "x", Message: " All nodes placed on [WebGpuExecutionProvider]. Number of nodes: 9"}}, []ort.ProviderShare{{"cpu", 1, 1}}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			got := ort.PlacementOf(c.assigned, c.log, "webgpu")
			if diff := cmp.Diff(c.want, got.Shares); diff != "" || len(got.Nodes) != c.nodes {
				t.Errorf("%d nodes, want %d: %s", len(got.Nodes), c.nodes, diff)
			}
		})
	}
	got := ort.PlacementOf(named(webgpu, "Transpose"), split, "webgpu")
	want := []ort.PlacedNode{{Name: "first", Op: "Conv", Provider: "webgpu"}, {Name: "(a b) c", Op: "Conv", Provider: "webgpu"}, {Op: "Conv", Provider: "webgpu"}, {Name: "shape", Op: "Shape", Provider: "cpu"}}
	if diff := cmp.Diff(want, got.Nodes); diff != "" {
		t.Error(diff)
	}
}
