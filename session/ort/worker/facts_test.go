//go:build cgo

package worker_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/orttest"
	"lathe/session/ort/workertest"
)

// chain is Add and Relu, which an optimizer would fuse with nothing.
func chain(tb testing.TB) []byte {
	return modelBytes(tb, &onnxpb.GraphProto{
		Node: []*onnxpb.NodeProto{
			node("Add", []string{"x", "x"}, []string{"s"}),
			node("Relu", []string{"s"}, []string{"y"}),
		},
		Input:  []*onnxpb.ValueInfoProto{value("x", tensor.F32, "n")},
		Output: []*onnxpb.ValueInfoProto{value("y", tensor.F32, "n")},
	})
}

func TestPlacement(t *testing.T) {
	client := start(t)
	session, err := client.Load(t.Context(), ort.Model{Bytes: chain(t)}, ort.SessionOptions{Placement: true})
	if err != nil {
		t.Fatal(err)
	}
	nodes, _, err := session.Placed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []ort.PlacedNode{
		{Name: "Add of s", Op: "Add", Provider: "CPUExecutionProvider"},
		{Name: "Relu of y", Op: "Relu", Provider: "CPUExecutionProvider"},
	}
	if diff := cmp.Diff(want, nodes); diff != "" {
		t.Error(diff)
	}
	_, _, err = load(t, client, chain(t)).Placed(t.Context())
	checkText(t, err, `running "model in memory": the session was loaded without recording which provider runs each node`)
}

func TestMemoryStatistics(t *testing.T) {
	client := start(t)
	session := load(t, client, identity(t, tensor.U8, "n"))
	if _, err := run(t.Context(), session, map[string]tensor.Tensor{"x": pattern(t, tensor.U8, 3<<20)}, nil); err != nil {
		t.Fatal(err)
	}
	use, err := session.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a := use.Allocators; len(a) != 1 || a[0].Memory != "Cpu" || a[0].Statistics["MaxInUse"] < 3<<20 || *use.Resident > *use.Peak || *use.Resident < 3<<20 {
		t.Errorf("got %+v, want at least the output of 3 MiB", use)
	}
}

// A profile has an event for every node of every run, and the file that the
// runtime writes is gone.
func TestProfile(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	client := start(t)
	session, err := client.Load(t.Context(), ort.Model{Bytes: chain(t)}, ort.SessionOptions{Profile: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := run(t.Context(), session, map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 2)}, nil); err != nil {
			t.Fatal(err)
		}
	}
	var content bytes.Buffer
	if err := session.EndProfile(t.Context(), &content); err != nil {
		t.Fatal(err)
	}
	var events []struct {
		Cat  string
		Args struct {
			OpName   string `json:"op_name"`
			Provider string `json:"provider"`
		}
	}
	if err := json.Unmarshal(content.Bytes(), &events); err != nil {
		t.Fatal(err)
	}
	adds := 0
	for _, e := range events {
		if e.Cat == "Node" && e.Args.OpName == "Add" && e.Args.Provider == "CPUExecutionProvider" {
			adds++
		}
	}
	if adds != 3 {
		t.Errorf("%d events of Add in %s", adds, content.Bytes())
	}
	err = session.EndProfile(t.Context(), io.Discard)
	checkText(t, err, `running "model in memory": the session was loaded without profiling, or its profile was already read`)
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// A session that ends with its profile untaken leaves no file, nor does a model
// that cannot be loaded.
func TestProfileNotTaken(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	client := start(t)
	session, err := client.Load(t.Context(), ort.Model{Bytes: chain(t)}, ort.SessionOptions{Profile: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Load(t.Context(), ort.Model{Bytes: []byte("none")}, ort.SessionOptions{Profile: true}); err == nil {
		t.Error("no model was loaded")
	}
	if _, err := client.Load(t.Context(), ort.Model{Bytes: chain(t)}, ort.SessionOptions{Profile: true}); err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil { // with a session whose profile is open
		t.Fatal(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The library reports to nobody: it leaves nothing behind that it would send.
func TestNoTelemetry(t *testing.T) {
	for _, name := range []string{"TMPDIR", "HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	// Suites of tests are exempt; this is about a person's machine.
	for _, name := range []string{"CI", "TF_BUILD", "GITHUB_ACTIONS"} {
		t.Setenv(name, "")
	}
	library := orttest.Library(t)
	client, err := ort.Start(t.Context(), workertest.Process(t, library))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run(t.Context(), load(t, client, addOne(t)), map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 1)}, nil); err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"TMPDIR", "HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if left, err := os.ReadDir(os.Getenv(name)); err != nil || len(left) > 0 {
			t.Errorf("%s holds %v, %v", name, left, err)
		}
	}
}

// Every switch is taken, and what a dimension is fixed to shows in the inputs.
func TestSwitches(t *testing.T) {
	client := start(t)
	session, err := client.Load(t.Context(), ort.Model{Bytes: chain(t)}, ort.SessionOptions{
		NoArena: true, NoMemoryPattern: true, Deterministic: true, FreeDims: map[string]int64{"n": 4},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := session.Inputs()[0].Dims; len(got) != 1 || got[0].Value != 4 {
		t.Errorf("the input has dimensions %+v, want 4", got)
	}
	if _, err := run(t.Context(), session, map[string]tensor.Tensor{"x": pattern(t, tensor.F32, 4)}, nil); err != nil {
		t.Error(err)
	}
	use, err := session.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range use.Allocators {
		if a.Statistics["NumArenaExtensions"] > 0 {
			t.Errorf("an arena in use: %+v", a)
		}
	}
}

// What the runtime warns of comes with the session that it is about.
func TestLog(t *testing.T) {
	client := start(t)
	graph := &onnxpb.GraphProto{
		Node:        []*onnxpb.NodeProto{node("Relu", []string{"x"}, []string{"y"})},
		Input:       []*onnxpb.ValueInfoProto{value("x", tensor.F32, "n")},
		Output:      []*onnxpb.ValueInfoProto{value("y", tensor.F32, "n")},
		Initializer: []*onnxpb.TensorProto{int64s("unused", nil, 1)},
	}
	session := load(t, client, modelBytes(t, graph))
	log := session.Log()
	if len(log) != 1 || log[0].Severity != 2 || !strings.Contains(log[0].Message, "unused") {
		t.Errorf("got %+v, want the warning of an initializer that nothing reads", log)
	}
	if log := load(t, client, addOne(t)).Log(); len(log) != 0 {
		t.Errorf("another session got %+v", log)
	}
}

func TestTimeout(t *testing.T) {
	o := workertest.Options(t)
	o.Limit = 300 * time.Millisecond
	client, err := ort.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	session := load(t, client, loop(t))
	_, err = run(t.Context(), session, endless(), nil)
	var late *ort.TimeoutError
	if !errors.As(err, &late) {
		t.Fatalf("got %v, want an *ort.TimeoutError", err)
	}
	checkText(t, err, `running "model in memory": not done within 300ms, the limit that --timeout sets`)
	three := map[string]tensor.Tensor{"times": {DType: tensor.I64, Data: []byte{3, 0, 0, 0, 0, 0, 0, 0}}}
	if _, err := run(t.Context(), session, three, nil); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// A run that wants more memory than it may have is refused by the system, and the
// worker lives.
func TestMemoryLimit(t *testing.T) {
	o := workertest.Options(t)
	o.MemoryLimit = 1 << 30 // room for what a race detector keeps
	client, err := ort.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	session := load(t, client, modelBytes(t, &onnxpb.GraphProto{
		Node:   []*onnxpb.NodeProto{node("ConstantOfShape", []string{"shape"}, []string{"y"})},
		Input:  []*onnxpb.ValueInfoProto{value("shape", tensor.I64, 1)},
		Output: []*onnxpb.ValueInfoProto{value("y", tensor.F32, "n")},
	}))
	shape := func(n int64) map[string]tensor.Tensor {
		return map[string]tensor.Tensor{"shape": tensor.FromSlice([]int64{n}, 1)}
	}
	_, err = run(t.Context(), session, shape(1<<30), nil)
	var refused *ort.Error
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "the worker's memory limit is 1.0 GiB") {
		t.Fatalf("got %v, want the runtime's error and the limit", err)
	}
	if _, err := run(t.Context(), session, shape(1<<10), nil); err != nil {
		t.Errorf("after it: %v", err)
	}
}
