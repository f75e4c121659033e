package graphops_test

import (
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
)

// TestExternalFaults has what is the matter and what to do about it apart, also where
// a name holds what parts the two in an error.
func TestExternalFaults(t *testing.T) {
	for name, c := range map[string]struct{ location, text, advice string }{
		"gone":            {"gone.bin", `external data "gone.bin": no such file`, "put it there"},
		"gone; like this": {"a; put it there", `external data "a; put it there": no such file`, "put it there"},
		"outside":         {"../w.bin", `external data "../w.bin": `, "allow it with --allow-external "},
		"too short":       {"w.bin", `external data "w.bin": 8 bytes from byte 40 on are needed, but the file has only 32 bytes`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := spread(t, 40)
			p.Graph.Initializer[0].ExternalData[0].Value = proto.String(c.location)
			above := t.TempDir()
			dir := filepath.Join(above, "model")
			tree(t, dir, map[string]string{"m.onnx": serialized(t, p), "w.bin": strings.Repeat("x", 32)})
			m, err := graphops.Open(filepath.Join(dir, "m.onnx"), graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			for f := range m.ExternalFaults() {
				seen++
				if !strings.HasPrefix(f.Text, c.text) || strings.HasSuffix(f.Text, "; "+f.Advice) || !strings.HasPrefix(f.Advice, c.advice) || (f.Advice == "") != (c.advice == "") {
					t.Errorf("says %q, advises %q; expected %q and %q", f.Text, f.Advice, c.text, c.advice)
				}
			}
			if seen != 1 {
				t.Errorf("%d faults, expected one", seen)
			}
		})
	}
}
