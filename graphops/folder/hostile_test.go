package folder

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// write writes files below a folder. Those with the extension .onnx are in the form of modelOf.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		data := []byte(text)
		if strings.HasSuffix(name, ".onnx") && strings.HasPrefix(text, "in ") {
			data = modelOf(t, text)
		}
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const oneModel = "in x f32[b,4]\nout y f32[b,4]\n"

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"empty":     {map[string]string{}, "is a directory, expected"},
		"no model":  {map[string]string{"a.txt": "x"}, "is a directory, expected"},
		"too deep":  {map[string]string{"a/b/m.onnx": oneModel}, "is a directory, expected"},
		"not there": {nil, "no such file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "gone")
			if c.files != nil {
				dir = write(t, c.files)
			}
			_, err := Open(context.Background(), dir, Options{Open: openModel})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), dir) {
				t.Errorf("error %v, expected %q and the path", err, c.want)
			}
		})
	}
}

func TestBrokenMember(t *testing.T) {
	dir := write(t, map[string]string{"encoder_model.onnx": "not a model", "decoder_model.onnx": "in encoder_hidden_states f32[b,s,4]\nout logits f32[b,s,9]\n"})
	f, err := Open(context.Background(), dir, Options{Open: openModel})
	if err != nil {
		t.Fatal(err)
	}
	m := f.Member("encoder")
	if m == nil || m.Err == nil || m.Model != nil || len(f.Problems) != 1 || f.Problems[0].Member != m {
		t.Errorf("the broken member is %+v, problems %+v", m, f.Problems)
	}
}

// TestHostileConfigurations checks that a configuration that cannot be used is a problem, and that
// the folder still opens.
func TestHostileConfigurations(t *testing.T) {
	for name, c := range map[string]struct{ config, want string }{
		"deep":     {strings.Repeat("[", maxDepth+1) + strings.Repeat("]", maxDepth+1), "nests deeper"},
		"large":    {`{"a": "` + strings.Repeat("x", maxConfig) + `"}`, "is larger"},
		"list":     {`[1,2]`, "is not the JSON"},
		"absolute": {`{"model": {"decoder": {"filename": "/etc/passwd"}}}`, "leaves the folder"},
		"parent":   {`{"model": {"decoder": {"filename": "a/../../m.onnx"}}}`, "leaves the folder"},
		"windows":  {`{"model": {"decoder": {"filename": "..\\..\\m.onnx"}}}`, "leaves the folder"},
		"empty":    {`{}`, "names no model"},
		"types":    {`{"model": {"decoder": [1]}}`, "is not the JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{"genai_config.json": c.config, "m.onnx": oneModel})
			f, err := Open(context.Background(), dir, Options{Open: openModel})
			if err != nil {
				t.Fatal(err)
			}
			if len(f.Members) != 1 || f.Kind != Single || len(f.Problems) == 0 || !strings.Contains(f.Problems[0].Text, c.want) {
				t.Errorf("kind %s, %d members, problems %v; expected %q", f.Kind, len(f.Members), f.Problems, c.want)
			}
		})
	}
}

// TestManyPorts checks that a model with very many ports does not make the search slow.
func TestManyPorts(t *testing.T) {
	var a, b strings.Builder
	for i := range maxPorts + 10 {
		n := json.Number(strings.Repeat("0", i%3) + string(rune('a'+i%26)) + time.Duration(i).String())
		a.WriteString("out o" + n.String() + " f32[b,7]\n")
		b.WriteString("in i" + n.String() + " f32[b,7]\n")
	}
	dir := write(t, map[string]string{"a.onnx": "in x f32[b,7]\n" + a.String(), "b.onnx": b.String() + "out y f32[b,7]\n"})
	start := time.Now()
	f, err := Open(context.Background(), dir, Options{Open: openModel})
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Limits) < 2 || time.Since(start) > 20*time.Second {
		t.Errorf("limits %v after %s", f.Limits, time.Since(start))
	}
}

func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"model": {"decoder": {"filename": "m.onnx", "inputs": {"past_key_names": "p.%d"}, "pipeline": [{"a": {"filename": "m.onnx"}}]}}}`))
	f.Add([]byte(`{"_class_name": "P", "unet": ["a", "OnnxRuntimeModel"], "vae": [null, null], "../x": ["a", "b"]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		for _, name := range []string{"genai_config.json", "model_index.json"} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		l := &listing{path: dir, files: map[string]bool{"genai_config.json": true, "model_index.json": true, "m.onnx": true, "unet/model.onnx": true}, models: []string{"m.onnx", "unet/model.onnx"}}
		for range 2 {
			r := &Folder{Path: dir}
			r.lay(l)
			for _, m := range r.Members {
				if rel, err := filepath.Rel(dir, m.Path); err != nil || !filepath.IsLocal(rel) {
					t.Errorf("the member %q leaves the folder", m.Path)
				}
			}
			delete(l.files, "genai_config.json")
		}
	})
}
