//go:build gpu && device

package command

import (
	"fmt"
	"testing"
)

// TestGPUProfile: on CUDA the time of a node ends when the device is done. Together the nodes take at
// least as long as a run, in which the processor starts a node while the device works.
func TestGPUProfile(t *testing.T) {
	var got struct {
		Clock string
		Nodes []struct {
			EP, Op string
			GFLOPS *float64
		}
		Explained float64
	}
	readDevice(t, &got, "profile", "testdata/vit_batch1.onnx", "--ep", "cuda,cpu", "--runs", "20", "--no-store")
	fmt.Printf("vit_batch1.onnx on cuda: the nodes add up to %.2f of a run\n", got.Explained)
	if got.Clock != "waits" || got.Explained < 0.9 {
		t.Errorf("clock %q, the nodes add up to %.2f of a run", got.Clock, got.Explained)
	}
	for _, n := range got.Nodes {
		if n.EP == "cuda" && n.Op == "MatMul" && n.GFLOPS == nil {
			t.Error("the rate of a MatMul is not known")
		}
	}
}
