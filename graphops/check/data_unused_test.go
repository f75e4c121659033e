package check

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops/graphtest"
)

// TestUnusedData has data files that are larger than what the model reads of them.
func TestUnusedData(t *testing.T) {
	for name, c := range map[string]struct {
		size   int64
		beside string // what another file of the folder holds that is called as a model
		want   string
	}{
		"nothing more": {2400, "", ""},
		"half": {4800, "", "warning: external data \"w.bin\": 2400 of 4800 bytes (50 %) belong to no tensor\n" +
			"  hint: write the data again without them\n  fix: export --external-data=1024\n"},
		"a little": {2500, "", "info: external data \"w.bin\": 100 of 2500 bytes (4 %) belong to no tensor\n" +
			"  hint: write the data again without them\n  fix: export --external-data=1024\n"},
		"beside a form not read": {4800, "no model, but it names w.bin", "warning: external data \"w.bin\": 2400 of 4800 bytes (50 %) belong to no tensor; 1 other model nearby could not be read\n" +
			"  hint: write the data again without them\n  fix: export --external-data=1024\n"},
	} {
		p := graphtest.Proto(t, "input x f32[600]\ninit w f32[600] 1\ny = Add(x, w)\noutput y f32[600]\n")
		outside(p.Graph.Initializer[0], place{"location", "w.bin"})
		m := written(t, p, map[string]int64{"w.bin": c.size})
		if c.beside != "" {
			if err := os.WriteFile(filepath.Join(filepath.Dir(m.Path()), "other.onnx"), []byte(c.beside), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := saidBy(t, "external-unused", m); got != c.want {
			t.Errorf("%s: says %q, expected %q", name, got, c.want)
		}
	}
}
