package launch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
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
