package timing

import (
	"errors"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/ort"
)

// TestUnable has a placement for each reason why a graph cannot be captured, and some with which it can.
func TestUnable(t *testing.T) {
	const plain = "input x f32[2]\noutput y f32[2]\na: h = Neg(x)\nb: y = Abs(h)\n"
	on := func(providers ...string) []ort.PlacedNode {
		return []ort.PlacedNode{{Name: "a", Op: "Neg", Provider: providers[0]}, {Name: "b", Op: "Abs", Provider: providers[1]}}
	}
	copied := []ort.DeviceCopy{{Op: "MemcpyToHost", Value: "h"}}
	branch := "input x f32[2]\ninput c bool[]\ngraph then\np = Neg(x)\noutput p f32[2]\nend\ngraph else\nq = Abs(x)\noutput q f32[2]\nend\nb: y = If(c) then_branch=@then else_branch=@else\noutput y f32[2]\n"
	for name, c := range map[string]struct {
		model, provider string
		placed          ort.Placement
		why             string
	}{
		"all on the device":       {plain, "cuda", ort.Placement{Nodes: on("cuda", "cuda")}, ""},
		"only their number":       {plain, "webgpu", ort.Placement{}, ""},
		"a shape on the CPU":      {plain, "cuda", ort.Placement{Nodes: on("cpu", "cuda")}, ""},
		"a copy":                  {plain, "cuda", ort.Placement{Nodes: on("cuda", "cpu"), Copies: copied}, `node "b" (Abs) runs on cpu, and "h" is copied`},
		"TensorRT needs all":      {plain, "tensorrt", ort.Placement{Nodes: on("tensorrt", "cuda")}, `node "b" (Abs) runs on cuda; `},
		"a copy without a node":   {plain, "cuda", ort.Placement{Copies: copied}, `value "h" is copied`},
		"the CPU":                 {plain, "cpu", ort.Placement{}, "it runs on cpu, which captures none"},
		"no capture in the table": {plain, "openvino", ort.Placement{}, "it runs on openvino, which captures none"},
		"a branch":                {branch, "cuda", ort.Placement{}, `node "b" (If) decides in each run`},
		"a branch that is gone":   {branch, "cuda", ort.Placement{Nodes: on("cuda", "cuda")}, ""},
		"strings":                 {"input x string[2]\noutput y str[2]\ny = Identity(x)\n", "cuda", ort.Placement{}, `"x" is a tensor of strings`},
	} {
		if got := unable(graphtest.Model(t, c.model), c.provider, c.placed); (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%s: %q, want %q", name, got, c.why)
		}
	}
}

func TestSizeByData(t *testing.T) {
	m := graphtest.Model(t, "input x f32[n,4]\noutput y f32[n,4]\noutput k i64[2,c]\ny = Neg(x)\nfind: k = NonZero(x)\n")
	feeds := graphops.Feeds{"x": graphops.TensorValue(tensor.FromSlice(make([]float32, 8), 2, 4))}
	if got := sizeByData(t.Context(), m, feeds); !strings.Contains(got, `the size of axis 1 of "k", an output of node "find" (NonZero)`) {
		t.Error(got)
	}
	m = graphtest.Model(t, "input x f32[n,4]\noutput y f32[n,4]\ny = Neg(x)\n")
	if got := sizeByData(t.Context(), m, feeds); got != "" {
		t.Errorf("sizes that the inputs fix: %s", got)
	}
}

// TestCaptureOptions checks which options go together, and that the option of the provider is set.
func TestCaptureOptions(t *testing.T) {
	for name, c := range map[string]struct {
		b   Benchmark
		why string
	}{
		"copies":      {Benchmark{WithCopies: true}, "--with-copies"},
		"concurrency": {Benchmark{Concurrency: 2}, "--concurrency"},
		"rate":        {Benchmark{Rate: 10}, "--rate"},
	} {
		c.b.Captures = true
		var usage session.UsageError
		if err := c.b.checkCapture(); !errors.As(err, &usage) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for chain, c := range map[string]struct {
		captures bool
		option   string // given by hand
		key, why string
	}{
		"cuda,cpu":   {captures: true, key: "enable_cuda_graph"},
		"tensorrt":   {captures: true, key: "trt_cuda_graph_enable"},
		"webgpu,cpu": {captures: true, key: "enableGraphCapture"},
		"cpu":        {captures: true, why: "has an effect only on cuda, tensorrt, webgpu"},
		"cuda":       {option: "cuda.enable_cuda_graph=1", why: "only lathe bench --graph-capture"},
		"webgpu":     {option: "webgpu.enableGraphCapture=0"},
	} {
		r := flags.Running{Captures: c.captures}
		if c.option != "" {
			r.EPOption = []string{c.option}
		}
		how, err := r.WithChain(session.Env{}, chain, "")
		if c.why != "" {
			if err == nil || !strings.Contains(err.Error(), c.why) {
				t.Errorf("%s: %v", chain, err)
			}
			continue
		}
		if err != nil || c.key != "" && how.Providers[0].Options[c.key] != "1" {
			t.Errorf("%s: %v, %+v", chain, err, how.Providers)
		}
	}
}
