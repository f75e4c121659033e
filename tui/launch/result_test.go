package launch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/command"
	"lathe/session/reporting"
)

// traced returns a trace of ONNX Runtime with one run of one node.
func traced(name string) []map[string]any {
	return []map[string]any{
		{"cat": "Node", "name": name + "_kernel_time", "ts": 10, "dur": 5, "tid": 1, "args": map[string]any{"op_name": "Conv", "provider": "CPUExecutionProvider", "node_index": "0"}},
		{"cat": "Session", "name": "model_run", "ts": 9, "dur": 8, "tid": 1, "args": map[string]any{}},
	}
}

// TestStoredResult opens models with results of this model, of others, and with files that are not
// results.
func TestStoredResult(t *testing.T) {
	open := func(path string) *graphops.Model {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	digits, other := open("testdata/digits.onnx"), open("testdata/gather_mlp.onnx")
	digest, err := graphops.DigestOf(t.Context(), digits)
	if err != nil {
		t.Fatal(err)
	}
	profile := map[string]any{"schema": "lathe.profile/1", "model": "digits.onnx", "nodes": []map[string]any{
		{"name": "conv", "op": "Conv", "ep": "cpu", "us": 12.5, "share": 0.5, "main_index": 0, "index": 0},
		{"name": "far", "op": "Conv", "ep": "cpu", "us": 1, "share": 0.1, "main_index": 1 << 40},
	}}
	kept := map[string]any{
		"schema": "lathe.result/1", "kind": "profile", "time": "2026-01-02T03:04:05Z", "lathe": "x",
		"machine": map[string]any{"id": "m", "environment": map[string]any{"os": "linux"}},
		"models":  []any{map[string]any{"path": "digits.onnx", "bytes": 1, "structure": digest.Structure, "content": digest.Content, "covers": digest.Covers}},
		"result":  profile,
	}
	for _, c := range []struct {
		name    string
		content any
		of      *graphops.Model
		want    string // part of the error, or of the introduction
	}{
		{"its own", kept, digits, "times of 2 nodes"},
		{"of another model", kept, other, "it belongs to another model: digits.onnx with content " + digest.Content[:8]},
		{"as printed", profile, digits, "does not say"},
		{"a share beyond all", map[string]any{"schema": "lathe.profile/1", "model": "m", "nodes": []any{map[string]any{"name": "n", "us": 1, "share": 7}}}, digits, `node "n": 7 is not a possible share`},
		{"a time below none", map[string]any{"schema": "lathe.profile/1", "model": "m", "nodes": []any{map[string]any{"name": "n", "us": -1}}}, digits, "-1"},
		{"a trace", traced("/conv1/Conv"), digits, "nodes of this model take 100 % of the time in the trace"},
		{"a trace of another model", traced("elsewhere"), digits, "is a trace of another model: this model has none of the nodes in it"},
		{"something else", map[string]any{"schema": "lathe.diff/1"}, digits, "lathe.diff"},
		{"no result", []int{1}, digits, "--result"},
	} {
		content, err := json.Marshal(c.content)
		if err != nil {
			t.Fatal(err)
		}
		w := &Workbench{result: filepath.Join(t.TempDir(), "r.json")}
		if err := os.WriteFile(w.result, content, 0o600); err != nil {
			t.Fatal(err)
		}
		kept, err := w.stored(t.Context(), c.of)
		times, said := kept.Times, strings.Join(kept.Told, "; ")
		if err != nil {
			said = err.Error()
		}
		if !strings.Contains(said, c.want) || (err == nil) != (times != nil) {
			t.Errorf("%s: %q, expected %q", c.name, said, c.want)
		}
		if times != nil {
			if cells := times.Cells(9); cells[0].US == 0 || cells[1].US != 0 {
				t.Errorf("%s: cells %v", c.name, cells[:2])
			}
		}
	}
}

// TestEarlier finds the stored profile of a model and its latencies on this machine, with the
// conditions of both.
func TestEarlier(t *testing.T) {
	m, err := graphops.Open("testdata/digits.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	digest, err := graphops.DigestOf(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	folder := store.Folder{Path: t.TempDir(), Now: time.Now}
	keep := func(kind, document string, here store.Machine) {
		t.Helper()
		r := &store.Result{
			Kind: kind, Machine: here, Models: []store.Model{{Path: "digits.onnx", Digest: digest}},
			Subjects: []store.Subject{{Name: "digits.onnx", Settings: store.Settings{"threads": "2"}}}, Document: json.RawMessage(document),
		}
		if _, err := folder.Keep(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	const measured = `{"schema": "lathe.bench/1", "runs": [{"name": "digits.onnx", "model": "digits.onnx", "ep": "cuda,cpu", "ep_attached": "cpu", "batch": 4, "p50_ms": 2.5, "samples": 10, "blocks": 1, "verdict": "steady"}], "comparisons": [], "warnings": []}`
	far := thisMachine()
	far.ID, far.Name = "other", "gpu1"
	keep(store.KindBench, measured, thisMachine())
	keep(store.KindBench, measured, far)
	opening := command.Opening{Model: m, Env: session.Env{Results: folder.Path}}
	found := earlier(t.Context(), opening)
	if found.Times != nil || len(found.Latency) != 1 {
		t.Fatalf("%+v", found)
	}
	if l := found.Latency[0]; l.P50 != 2.5 || l.Batch != 4 || l.Threads != 2 || l.Provider != "cpu" || l.Machine != "" || l.At.IsZero() {
		t.Errorf("%+v", l)
	}
	const profiled = `{"schema": "lathe.profile/1", "model": "digits.onnx", "ep_attached": "cpu", "sizes": {"batch": 4}, "nodes": [{"name": "conv", "us": 12.5, "share": 0.5, "main_index": 0, "index": 0}]}`
	for _, here := range []store.Machine{thisMachine(), far} {
		keep(store.KindProfile, profiled, here)
		found := earlier(t.Context(), opening)
		of, ok := found.Times.(reporting.Conditioned)
		if !ok || len(found.Latency) != 1 {
			t.Fatalf("%+v", found)
		}
		c := of.Conditions()
		if want := map[string]string{"other": "gpu1"}[here.ID]; c.Machine != want || c.Provider != "cpu" || c.Threads != 2 || c.Sizes.At() == "" {
			t.Errorf("%+v", c)
		}
		if said := c.Beside(found.Latency[0].Conditions); here.ID == "other" && said != "on gpu1, at batch=4" || here.ID != "other" && said != "at batch=4" {
			t.Errorf("the profile differs: %q", said)
		}
	}
}
