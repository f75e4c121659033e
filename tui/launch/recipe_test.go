package launch

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRecipeBeside(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.yaml", "lathe: 2\nmodel: a.onnx\nsteps:\n  - prune: {output: [y]}\n  - simplify\n")
	write("b.yaml", "colour: blue\n")
	write("c.yml", "lathe: 2\nmodel: c.onnx\nsteps:\n  - simplify\n")
	for model, want := range map[string]string{
		"a.onnx": `a.yaml is a recipe of 2 steps: ":apply" and Enter run it on this model`,
		"b.onnx": "", // another file
		"c.onnx": `c.yml is a recipe of 1 step: ":apply" and Enter run it on this model`,
		"d.onnx": "",
		"":       "",
	} {
		path := model
		if model != "" {
			path = filepath.Join(folder, model)
		}
		recipe, said := recipeBeside(path)
		if said != want || (recipe == "") != (want == "") {
			t.Errorf("%q: %q, %q; want %q", model, recipe, said, want)
		}
	}
}
