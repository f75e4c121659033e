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
