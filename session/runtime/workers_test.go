package runtime

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// TestBesideBlobs names the place of a model in memory only if compiled parts are in files beside it.
func TestBesideBlobs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.onnx")
	for attributes, want := range map[string]string{
		"embed_mode=0 ep_cache_context='ctx.bin'": path, "ep_cache_context='abc'": "", "main_context=0": "",
	} {
		text := "opset com.microsoft 1\nopset 17\ninput x f32[2]\ny = com.microsoft::EPContext(x) " + attributes + "\noutput y f32[2]"
		if err := os.WriteFile(path, graphtest.Bytes(t, text), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := besideBlobs(m, Execution{}).Config[contextPathKey]; got != want {
			t.Errorf("%s: %q, expected %q", attributes, got, want)
		}
	}
}
