package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// TestContextFile has the compiled part of a node in a file beside the model, or not.
func TestContextFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ctx.bin"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"ctx.bin":     "",
		"gone.bin":    `the file of the compiled part, "gone.bin", is not in the model's folder`,
		"../ctx.bin":  `the compiled part is outside the model's folder, in "../ctx.bin"`,
		"/etc/passwd": `the compiled part is outside the model's folder, in "/etc/passwd"`,
		".":           `the file of the compiled part, ".", is not in the model's folder`,
	} {
		path := filepath.Join(dir, "m.onnx")
		text := "opset com.microsoft 1\nopset 17\ninput x f32[2]\ny = com.microsoft::EPContext(x) embed_mode=0 ep_cache_context='" + name + "' source='QNN'\noutput y f32[2]\n"
		if err := os.WriteFile(path, graphtest.Bytes(t, text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := saidBy(t, "context-missing", opened(t, path))
		if (got != "") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: says %q, expected %q", name, got, want)
		}
	}
}
