//go:build device

package command

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session/command/commandtest"
)

// The tests of this file are what `make device` runs. They use the plug-ins of .ci/device.txt: WebGPU
// on a Vulkan device in software, cpu_ep, which computes in host memory, ggml, which claims no node,
// and QNN, which has a processor in software and compiles models for it. SwiftShader needs most of the
// time for one processor, to compile shaders, so tests that time nothing run in parallel.

// needsWebGPU skips a test if there is no Vulkan device.
func needsWebGPU(t *testing.T) {
	t.Helper()
	if os.Getenv("LATHE_NO_WEBGPU") != "" {
		t.Skip("there is no Vulkan device")
	}
}

// onSoftware reports whether WebGPU runs on a device in software.
func onSoftware() bool { return os.Getenv("ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER") != "" }

// onDevice runs a command and returns its output, its message and its exit status.
func onDevice(t *testing.T, args ...string) (out, said string, status int) {
	t.Helper()
	c := commandtest.Process(t, args...)
	var message strings.Builder
	c.Stderr = &message
	result, err := c.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(result), message.String(), c.ProcessState.ExitCode()
}

// readDevice runs a command that must succeed and decodes its document.
func readDevice(t *testing.T, into any, args ...string) {
	t.Helper()
	out, said, status := onDevice(t, append(args, "--json")...)
	if status != 0 {
		t.Fatalf("lathe %s: status %d: %s", strings.Join(args, " "), status, said)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatal(err)
	}
}

func TestDeviceList(t *testing.T) {
	needsWebGPU(t)
	var report runtimeReport
	readDevice(t, &report, "runtime", "list")
	devices := map[string]int{}
	for _, p := range report.Plugins {
		if p.Package == "onnxruntime-qnn" {
			if p.Usable || !strings.Contains(p.Reason, "--ep-option qnn.backend_type=htp") {
				t.Errorf("%s needs an option: %+v", p.Path, p)
			}
		} else if !p.Usable {
			t.Errorf("%s: %s", p.Path, p.Reason)
		}
		for _, d := range p.Devices {
			devices[d.Provider]++
		}
	}
	for _, name := range []string{"webgpu", "ggml", "cpu_ep"} {
		if devices[name] == 0 && (!onGPU || name == "webgpu") {
			t.Errorf("no device of %s: %v", name, devices)
		}
	}
}

// placed is a part of the documents of run-model.
type placed struct {
	Attached  string         `json:"ep_attached"`
	NodesByEP map[string]int `json:"nodes_by_ep"`
	Placement struct {
		Nodes []struct{ Name, Op, Provider string }
		Copies,
		Fallbacks []struct{ Op, Node, Value, Reason string }
	}
	Notes  []string
	Values []struct {
		Name      string
		Mean, Max float64
	}
}

func TestDevicePlacement(t *testing.T) {
	t.Parallel()
	needsWebGPU(t)
	var digits, classifier placed
	readDevice(t, &digits, "run-model", "testdata/digits.onnx", "--ep", "webgpu,cpu", "--where")
	if digits.Attached != "webgpu" || digits.NodesByEP["webgpu"] < 8 || len(digits.NodesByEP) != 1 {
		t.Errorf("digits: %+v", digits)
	}
	readDevice(t, &classifier, "run-model", "testdata/text_classifier.onnx", "--ep", "webgpu,cpu", "--where")
	counted := map[string]int{}
	for _, n := range classifier.Placement.Nodes {
		counted[n.Provider]++
		if heavy := strings.Contains(n.Op, "MatMul") || n.Op == "Gemm" || n.Op == "Softmax"; heavy && n.Provider != "webgpu" {
			t.Errorf("%s %s runs on %s", n.Op, n.Name, n.Provider)
		}
	}
	if counted["webgpu"] < 100 || counted["webgpu"] != classifier.NodesByEP["webgpu"] || counted["cpu"] != len(classifier.Placement.Fallbacks) {
		t.Errorf("%v, by provider %v, %d reasons", counted, classifier.NodesByEP, len(classifier.Placement.Fallbacks))
	}
	for _, f := range classifier.Placement.Fallbacks {
		if f.Reason != "it has no kernel for this operator, version and types" {
			t.Errorf("%s: %s", f.Node, f.Reason)
		}
	}
}

// TestDeviceRefusedNode runs a node that WebGPU lacks between two that it has.
func TestDeviceRefusedNode(t *testing.T) {
	needsWebGPU(t)
	path := filepath.Join(t.TempDir(), "m.onnx")
	if err := os.WriteFile(path, graphtest.Bytes(t, `
input x f32[2,2]
output y f32[2,2]
first: a = Neg(x)
middle: b = Det(a)
last: y = Add(a, b)
`), 0o600); err != nil {
		t.Fatal(err)
	}
	var got placed
	readDevice(t, &got, "run-model", path, "--ep", "webgpu,cpu", "--where")
	if got.NodesByEP["webgpu"] != 2 || got.NodesByEP["cpu"] != 1 {
		t.Errorf("%v", got.NodesByEP)
	}
	if f := got.Placement.Fallbacks; len(f) != 1 || f[0].Node != "middle" {
		t.Errorf("fallbacks %+v", f)
	}
	copies := map[string]string{}
	for _, c := range got.Placement.Copies {
		copies[c.Op] = c.Value
	}
	if copies["MemcpyToHost"] != "a" || copies["MemcpyFromHost"] != "b" {
		t.Errorf("copies %v", copies)
	}
}

// TestDeviceValues compares with the CPU: outputs, and values inside of the graph.
func TestDeviceValues(t *testing.T) {
	t.Parallel()
	needsWebGPU(t)
	for _, model := range []string{"testdata/digits.onnx", "testdata/text_classifier.onnx"} {
		if out, said, status := onDevice(t, "validate", model, "--a", "ep=webgpu,cpu", "--b", "ep=cpu", "--layers", "--cases", "zeros"); status != 0 {
			t.Errorf("%s: status %d: %s%s", model, status, out, said)
		}
	}
	var device, cpu placed
	value := []string{"run-model", "testdata/digits.onnx", "--value", "/Relu_output_0"}
	readDevice(t, &device, append(value, "--ep", "webgpu,cpu")...)
	readDevice(t, &cpu, value...)
	if d, c := device.Values[0], cpu.Values[0]; device.NodesByEP["webgpu"] == 0 || math.Abs(d.Mean-c.Mean) > 1e-5 || math.Abs(d.Max-c.Max) > 1e-5 {
		t.Errorf("on webgpu %+v, on the CPU %+v", device, cpu)
	}
}

// timedRuns is a part of the document of bench.
type timedRuns struct {
	Runs []struct {
		Attached   string         `json:"ep_attached"`
		NodesByEP  map[string]int `json:"nodes_by_ep"`
		P50        float64        `json:"p50_ms"`
		First      float64        `json:"first_run_ms"`
		NewShape   *float64       `json:"new_shape_ms"`
		Memory     *struct{}      `json:"memory"`
		PeakMemory *int64         `json:"peak_rss_bytes"`
		Graph      *struct {
			Before int     `json:"runs_before"`
			MaxAbs float64 `json:"max_abs"`
		} `json:"graph_capture"`
		Phases struct {
			Device struct {
				Enqueue  float64 `json:"enqueue_ms"`
				Complete float64 `json:"complete_ms"`
			}
		}
	}
}

// TestDeviceTimes checks that the time of a run includes the device's work: on a device in software,
// WebGPU returns from a run after a hundredth of it.
func TestDeviceTimes(t *testing.T) {
	needsWebGPU(t)
	var got timedRuns
	readDevice(t, &got, "bench", "testdata/digits.onnx", "--ep", "webgpu,cpu", "--seconds", "1", "--no-store")
	run, least := got.Runs[0], 5.0
	if !onSoftware() {
		least = 1 // on a GPU, such a small model takes hardly longer than starting its work
	}
	if d := run.Phases.Device; d.Complete < least*d.Enqueue || run.P50 < least*d.Enqueue || run.P50 < d.Complete/5 {
		t.Errorf("a run takes %.3f ms; enqueued in %.3f ms, complete in %.3f ms", run.P50, d.Enqueue, d.Complete)
	}
	if run.First < 5*run.P50 {
		t.Errorf("the first run, with its shaders, takes %.1f ms, a later one %.1f ms", run.First, run.P50)
	}
	if run.Attached != "webgpu" || run.NodesByEP["webgpu"] < 8 || run.Memory == nil || run.PeakMemory == nil {
		t.Errorf("%+v", run)
	}
}

func TestDeviceNewShape(t *testing.T) {
	t.Parallel()
	needsWebGPU(t)
	var got timedRuns
	readDevice(t, &got, "bench", "testdata/text_classifier.onnx", "--ep", "webgpu,cpu", "--dim", "sequence=2", "--batch", "1,2", "--runs", "3", "--no-memory", "--no-store")
	if n := len(got.Runs); n != 2 || got.Runs[1].NewShape == nil || *got.Runs[1].NewShape < got.Runs[1].P50 {
		t.Errorf("%+v", got.Runs)
	}
}

func TestDeviceProfile(t *testing.T) {
	needsWebGPU(t)
	var got struct {
		Nodes []struct {
			EP     string
			US     float64
			GFLOPS *float64
			Op     string
		}
		Notes     []string
		Clock     string
		Wait      float64 `json:"wait_us"`
		Loose     float64
		Explained float64
	}
	readDevice(t, &got, "profile", "testdata/digits.onnx", "--ep", "webgpu,cpu", "--runs", "5", "--no-store")
	for _, n := range got.Nodes {
		if n.EP != "webgpu" {
			t.Errorf("a node runs on %q", n.EP)
		}
		if n.Op == "Gemm" && n.GFLOPS == nil {
			t.Error("the rate of a Gemm is not known")
		}
	}
	if len(got.Nodes) < 8 || got.Clock != "waits" || got.Wait <= 0 || got.Loose != 0 {
		t.Errorf("%d nodes, clock %q, wait %v µs, %v calls without one, notes %q", len(got.Nodes), got.Clock, got.Wait, got.Loose, got.Notes)
	}
	// On an idle machine it is within 5 % of 1. SwiftShader uses the processors of all other tests. On
	// a GPU most of the time of this model is that of starting nodes.
	if got.Explained < 0.5 || onSoftware() && got.Explained > 2 {
		t.Errorf("the nodes add up to %.2f of a run", got.Explained)
	}
}

// TestDeviceOnHost runs a plug-in that computes in host memory.
func TestDeviceOnHost(t *testing.T) {
	needsPackage(t, "nxrt-ep-cpu")
	var got placed
	readDevice(t, &got, "run-model", "testdata/external.onnx", "--ep", "cpu_ep,cpu", "--where")
	if got.NodesByEP["cpu_ep"] == 0 {
		t.Errorf("cpu_ep runs no node: %v", got.NodesByEP)
	}
	if out, said, status := onDevice(t, "validate", "testdata/external.onnx", "--a", "ep=cpu_ep,cpu", "--b", "ep=cpu", "--cases", "zeros"); status != 0 {
		t.Errorf("status %d: %s%s", status, out, said)
	}
}

func TestDeviceClaimsNothing(t *testing.T) {
	needsPackage(t, "onnxruntime-ggml")
	out, said, status := onDevice(t, "run-model", "testdata/digits.onnx", "--ep", "ggml")
	if status != 4 || out != "" || !strings.Contains(said, `"ggml" was added but runs none of the 9 nodes (it warns: onnxruntime-ggml: 1 of 9 nodes use ops this provider lacks: MaxPool`) {
		t.Errorf("alone: status %d, %q, %q", status, out, said)
	}
	out, said, status = onDevice(t, "run-model", "testdata/digits.onnx", "--ep", "ggml,cpu")
	if status != 0 || !strings.HasPrefix(out, "ran on seed 0, by cpu\n") || !strings.Contains(out, `"ggml" was added but runs none`) {
		t.Errorf("with the CPU: status %d, %q, %q", status, out, said)
	}
}

// TestDeviceCompilesNothing lets providers compile that cannot. Nothing is written.
func TestDeviceCompilesNothing(t *testing.T) {
	t.Parallel()
	needsPackage(t, "onnxruntime-ggml")
	needsPackage(t, "nxrt-ep-cpu")
	for _, c := range []struct{ ep, model, said string }{
		{"ggml", "testdata/digits.onnx", `execution provider "ggml" compiled none of the 9 nodes, so nothing is written: it runs none of them`},
		{"cpu_ep", "testdata/external.onnx", `execution provider "cpu_ep" compiled none of the 4 nodes, so nothing is written: it compiles nodes when a model is loaded, and has no form to store`},
	} {
		path := filepath.Join(t.TempDir(), "m_ctx.onnx")
		out, said, status := onDevice(t, "optimize", c.model, "--compile", "--ep", c.ep, "-o", path)
		if status != 4 || out != "" || !strings.Contains(said, c.said) {
			t.Errorf("%s: status %d, %q, %q", c.ep, status, out, said)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: %s was written", c.ep, path)
		}
	}
	if os.Getenv("LATHE_NO_WEBGPU") != "" {
		return
	}
	path := filepath.Join(t.TempDir(), "m_ctx.onnx")
	_, said, status := onDevice(t, "optimize", "testdata/digits.onnx", "--compile", "--ep", "webgpu", "-o", path)
	if _, err := os.Stat(path); err == nil || status == 0 || !strings.Contains(said, `execution provider "webgpu" compiled no`) {
		t.Errorf("webgpu: status %d, %q, %v", status, said, err)
	}
}

// onGPU is true in make gpu, where packages of .ci/device.txt may be missing. make device needs all of
// them, which TestDeviceList checks.
var onGPU bool

// needsPackage skips a test unless a package of .ci/device.txt is installed.
func needsPackage(t *testing.T, name string) {
	t.Helper()
	var report runtimeReport
	readDevice(t, &report, "runtime", "list")
	for _, p := range report.Plugins {
		if p.Package == name {
			return
		}
	}
	t.Skip("the package " + name + " is not installed; make device installs it")
}

// compiledParts is a part of the documents of inspect.
type compiledParts struct {
	Compiled []struct {
		EP, Storage, File, SHA256, Problem string
		Bytes                              int64
	}
}

// TestDeviceCompile compiles for QNN, whose library has a Hexagon processor in software, and runs the
// result.
func TestDeviceCompile(t *testing.T) {
	t.Parallel()
	needsPackage(t, "onnxruntime-qnn")
	qnn := []string{"--ep", "qnn", "--ep-option", "qnn.backend_type=htp"}
	dir := t.TempDir()
	for _, blob := range []string{"embed", "file"} {
		path := filepath.Join(dir, blob+"_ctx.onnx")
		var report struct {
			Compiled struct{ Nodes, Left int }
			Proof    struct{ Pass bool }
		}
		readDevice(t, &report, append([]string{"optimize", "testdata/digits.onnx", "--compile", "--blob", blob, "-o", path}, qnn...)...)
		if report.Compiled.Nodes != 9 || report.Compiled.Left != 0 || !report.Proof.Pass {
			t.Errorf("%s: %+v", blob, report)
		}
		var got compiledParts
		readDevice(t, &got, "inspect", path)
		if len(got.Compiled) != 1 {
			t.Fatalf("%s: %+v", blob, got)
		}
		c := got.Compiled[0]
		if c.EP != "qnn" || c.Bytes < 100_000 || len(c.SHA256) != 64 || c.Problem != "" || (c.File != "") != (blob == "file") {
			t.Errorf("%s: %+v", blob, c)
		}
		if out, said, status := onDevice(t, "check", path); status != 0 || !strings.Contains(out, "info: context-provider: ") {
			t.Errorf("%s: check: status %d: %s%s", blob, status, out, said)
		}
		copied := filepath.Join(t.TempDir(), "copy.onnx")
		if out, said, status := onDevice(t, "metadata", path, "--set", "a=b", "-o", copied); status != 0 {
			t.Fatalf("%s: copy: status %d: %s%s", blob, status, out, said)
		}
		args := append([]string{"validate", path, copied, "--cases", "seeds"}, "--a", "ep=qnn", "--b", "ep=qnn", "--ep-option", "qnn.backend_type=htp")
		if out, said, status := onDevice(t, args...); status != 0 {
			t.Errorf("%s: status %d: %s%s", blob, status, out, said)
		}
	}
}

// TestDeviceNextProvider goes on to the next provider of a chain if one attaches and runs no node.
func TestDeviceNextProvider(t *testing.T) {
	t.Parallel()
	needsWebGPU(t)
	needsPackage(t, "onnxruntime-ggml")
	var got placed
	readDevice(t, &got, "run-model", "testdata/digits.onnx", "--ep", "ggml,webgpu,cpu", "--where")
	if got.Attached != "webgpu" || got.NodesByEP["webgpu"] < 8 || len(got.Notes) == 0 || !strings.Contains(got.Notes[0], `"ggml" was added but runs none of the 9 nodes`) {
		t.Errorf("run-model: %+v", got)
	}
	if f := got.Placement.Fallbacks; len(f) != 9 || !strings.Contains(f[0].Reason, "claiming nothing") {
		t.Errorf("the reasons of ggml: %+v", f)
	}
	var times timedRuns
	readDevice(t, &times, "bench", "testdata/digits.onnx", "--ep", "ggml,webgpu,cpu", "--runs", "3", "--no-memory", "--no-store")
	if r := times.Runs[0]; r.Attached != "webgpu" || r.NodesByEP["webgpu"] < 8 {
		t.Errorf("bench: %+v", r)
	}
}

// graphModels are models whose graph WebGPU cannot capture, by name: their text and a part of the reason.
var graphModels = map[string][2]string{
	"a node on the CPU": {`
input x f32[2,2]
output y f32[2,2]
first: a = Neg(x)
middle: b = Det(a)
last: y = Add(a, b)
`, `node "middle" (Det) runs on cpu, and "`},
	"no node on the device": {`
input x string[2]
output y string[2]
y = Identity(x)
`, "it runs on cpu, which captures none"},
}

// TestDeviceGraph captures a graph and replays it, and has a reason where that cannot be done.
func TestDeviceGraph(t *testing.T) {
	t.Parallel()
	needsWebGPU(t)
	for model, chain := range map[string]string{"testdata/digits_batch1.onnx": "ggml,webgpu,cpu", "testdata/external.onnx": "webgpu"} {
		var got timedRuns
		readDevice(t, &got, "bench", model, "--ep", chain, "--graph-capture", "--runs", "5", "--no-store")
		r := got.Runs[0]
		if r.Attached != "webgpu" || r.Graph == nil || r.Graph.Before != 0 || r.Graph.MaxAbs > 1e-4 || r.Phases.Device.Complete != 0 || r.Memory == nil {
			t.Errorf("%s: %+v, graph %+v", model, r, r.Graph)
		}
	}
	dir := t.TempDir()
	for name, m := range graphModels {
		path := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+".onnx")
		if err := os.WriteFile(path, graphtest.Bytes(t, m[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		refusesGraph(t, 4, m[1], "bench", path, "--ep", "webgpu,cpu", "--graph-capture")
	}
	refusesGraph(t, 4, `node "choose" (If) decides in each run`, "bench", "testdata/if_loop.onnx", "--ep", "webgpu,cpu", "--graph-capture")
	refusesGraph(t, 2, "nothing is copied in a run", "bench", "testdata/digits.onnx", "--ep", "webgpu", "--graph-capture", "--with-copies")
}

func refusesGraph(t *testing.T, want int, why string, args ...string) {
	t.Helper()
	out, said, status := onDevice(t, append(args, "--no-store")...)
	if status != want || out != "" || strings.Count(strings.TrimSpace(said), "\n") > 0 || !strings.Contains(said, why) {
		t.Errorf("%v: status %d, %q, %q; want status %d and one line with %q", args, status, out, said, want, why)
	}
}

// TestDeviceOption has a note about an option that WebGPU ignores, and none about its own.
func TestDeviceOption(t *testing.T) {
	t.Parallel()
	needsWebGPU(t)
	var got placed
	readDevice(t, &got, "run-model", "testdata/external.onnx", "--ep", "webgpu",
		"--ep-option", "webgpu.frobnicate=1", "--ep-option", "webgpu.validationMode=full", "--ep-option", "webgpu.enableInt64=1")
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], `option "frobnicate" is probably ignored`) {
		t.Errorf("notes %q", got.Notes)
	}
}

// TestDeviceGone runs on a device that is not there, in different ways.
func TestDeviceGone(t *testing.T) {
	needsWebGPU(t)
	for name, c := range map[string]struct {
		variable, value string
		args            []string
		said            string
	}{
		"no software adapter": {"ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER", "0", nil, "offers no device"},
		"no driver":           {"VK_DRIVER_FILES", "/nowhere.json", nil, "adapter"},
		"no such device":      {"X", "", []string{"--device", "7"}, `there is no device "7"`},
		"no such type":        {"X", "", []string{"--device", "nobody/npu"}, `there is no device "nobody/npu"`},
		"wrong value":         {"X", "", []string{"--ep-option", "webgpu.validationMode=frob"}, "validation"},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "no software adapter" && !onSoftware() {
				t.Skip("the adapter of this machine is not software")
			}
			t.Setenv(c.variable, c.value)
			out, said, status := onDevice(t, append([]string{"run-model", "testdata/digits.onnx", "--ep", "webgpu"}, c.args...)...)
			if status != 4 || out != "" || strings.Count(strings.TrimSpace(said), "\n") > 0 || !strings.Contains(said, c.said) {
				t.Errorf("status %d, %q, %q; want status 4 and one line with %q", status, out, said, c.said)
			}
		})
	}
}
