package graphops_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

func compiledModel(t *testing.T, dir, attributes string) *graphops.Model {
	t.Helper()
	path := filepath.Join(dir, "m.onnx")
	text := "opset com.microsoft 1\nopset 17\ninput x f32[2]\nctx: y = com.microsoft::EPContext(x) " + attributes + "\noutput y f32[2]\n"
	if err := os.WriteFile(path, graphtest.Bytes(t, text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCompiledNodes(t *testing.T) {
	m := compiledModel(t, t.TempDir(), "ep_cache_context='abc' source='QNNExecutionProvider' ep_sdk_version='2.1' partition_name='p' hardware_architecture='v73' onnx_model_filename='a.onnx' notes='n' max_size=7")
	list := m.CompiledNodes()
	if len(list) != 1 {
		t.Fatalf("%d nodes, expected 1", len(list))
	}
	c := list[0]
	got := strings.Join([]string{c.Source, c.SDKVersion, c.Partition, c.Hardware, c.Original, c.Notes}, " ")
	if got != "QNNExecutionProvider 2.1 p v73 a.onnx n" || c.MaxSize != 7 || !c.Main || !c.Embedded || c.Opaque || c.Location() != "" {
		t.Errorf("%s, %+v", got, c)
	}
}

// TestBlob finds blobs, and says why others cannot be found.
func TestBlob(t *testing.T) {
	dir := t.TempDir()
	large := strings.Repeat("blob ", 50_000) // stays in the file when the model is opened
	for name, content := range map[string]string{"ctx.bin": "abc", "empty.bin": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		attributes string
		state      graphops.BlobState
		content    string
	}{
		{"ep_cache_context='abc'", graphops.BlobFound, "abc"},
		{"ep_cache_context='" + large + "'", graphops.BlobFound, large},
		{"embed_mode=0 ep_cache_context='ctx.bin'", graphops.BlobFound, "abc"},
		{"embed_mode=0 ep_cache_context='./ctx.bin'", graphops.BlobFound, "abc"},
		{"embed_mode=0 ep_cache_context='empty.bin'", graphops.BlobEmpty, ""},
		{"embed_mode=0 ep_cache_context='gone.bin'", graphops.BlobMissing, ""},
		{"embed_mode=0 ep_cache_context='.'", graphops.BlobMissing, ""},
		{"embed_mode=0 ep_cache_context='" + large + "'", graphops.BlobMissing, ""},
		{"embed_mode=0 ep_cache_context='../ctx.bin'", graphops.BlobOutside, ""},
		{"embed_mode=0 ep_cache_context='/etc/passwd'", graphops.BlobOutside, ""},
		{"embed_mode=0", graphops.BlobEmpty, ""},
		{"ep_cache_context=''", graphops.BlobEmpty, ""},
		{"ep_cache_context=5", graphops.BlobElsewhere, ""},
		{"embed_mode='0' ep_cache_context='ctx.bin'", graphops.BlobElsewhere, ""},
		{"main_context=0", graphops.BlobElsewhere, ""},
	} {
		m := compiledModel(t, dir, c.attributes)
		b := m.CompiledNodes()[0].Blob(m)
		if b.State != c.state || b.Bytes != int64(len(c.content)) {
			t.Errorf("%.60s: state %d, %d bytes; expected %d, %d", c.attributes, b.State, b.Bytes, c.state, len(c.content))
			continue
		}
		if c.state != graphops.BlobFound {
			continue
		}
		want := sha256.Sum256([]byte(c.content))
		if sum, err := b.Sum(t.Context()); err != nil || sum != hex.EncodeToString(want[:]) {
			t.Errorf("%.60s: checksum %s, %v", c.attributes, sum, err)
		}
	}
}

// TestSaveCompiled writes a model with a compiled part in a file to other folders.
func TestSaveCompiled(t *testing.T) {
	dir := t.TempDir()
	put := func(content string, at ...string) {
		t.Helper()
		path := filepath.Join(append([]string{dir}, at...)...)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put("blob", "m_ctx.bin")
	put("other", "taken", "m_ctx.bin")
	put("blob", "there", "m_ctx.bin")
	put("", "empty", "x")
	put("nested", "parts", "p.bin")
	for _, c := range []struct{ location, folder, file, want string }{
		{"m_ctx.bin", ".", "copy.onnx", "m_ctx.bin"},
		{"m_ctx.bin", "empty", "m.onnx", "m_ctx.bin"},
		{"m_ctx.bin", "there", "m.onnx", "m_ctx.bin"},
		{"m_ctx.bin", "taken", "m.onnx", "m_ctx-2.bin"},
		{"parts/p.bin", "empty", "n.onnx", "p.bin"},
		{"parts/p.bin", ".", "n.onnx", "parts/p.bin"},
	} {
		m := compiledModel(t, dir, "embed_mode=0 ep_cache_context='"+c.location+"'")
		out := filepath.Join(dir, c.folder, c.file)
		saved, err := graphops.Save(t.Context(), m, out, graphops.SaveOptions{})
		if err != nil {
			t.Errorf("%s: %v", out, err)
			continue
		}
		got, err := graphops.Open(out, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		n := got.CompiledNodes()[0]
		from := m.CompiledNodes()[0].Blob(m)
		want, _ := from.Sum(t.Context())
		sum, err := n.Blob(got).Sum(t.Context())
		if n.Location() != c.want || err != nil || sum != want || n.Node.Name() != "ctx" {
			t.Errorf("%s: in %q, %v", out, n.Location(), err)
		}
		isNew := c.folder == "empty" || c.folder == "taken"
		if (len(saved.Data) == 1) != isNew {
			t.Errorf("%s: wrote %v", out, saved.Data)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "taken", "m_ctx.bin")); string(b) != "other" {
		t.Errorf("a file of another model has become %q", b)
	}
	m := compiledModel(t, dir, "embed_mode=0 ep_cache_context='m_ctx.bin'")
	replace := graphops.SaveOptions{WriteOptions: graphops.WriteOptions{Overwrite: true}}
	if _, err := graphops.Save(t.Context(), m, filepath.Join(dir, "m_ctx.bin"), replace); err == nil || !strings.Contains(err.Error(), "contains a compiled part") {
		t.Errorf("onto its own blob: %v", err)
	}
	other := graphtest.Model(t, "input x f32\ny = Neg(x)\noutput y f32")
	if _, err := graphops.Save(t.Context(), other, filepath.Join(dir, "there", "m_ctx.bin"), replace); err == nil {
		t.Error("another model replaced the blob")
	}
	put("blob 2", "m_ctx.bin")
	saved, err := graphops.Save(t.Context(), m, filepath.Join(dir, "taken", "m.onnx"), replace)
	if err != nil || len(saved.Removed) != 1 || filepath.Base(saved.Removed[0]) != "m_ctx-2.bin" {
		t.Errorf("replaced: %+v, %v", saved, err)
	}
}
