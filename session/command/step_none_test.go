package command

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTreeOfOne checks that the commands of steps are left out only if no step can run and no text
// lists them.
func TestTreeOfOne(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.onnx")
	if err := os.WriteFile(model, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		a     *app
		built bool
	}{
		{&app{first: "version"}, false},
		{&app{first: "run"}, false},
		{&app{first: model}, false},
		{&app{first: model, asksHelp: true}, true},
		{&app{first: model + ".missing"}, true},
		{&app{first: "help"}, true},
		{&app{first: "completion"}, true},
		{&app{first: "--json"}, true},
		{&app{first: "prune"}, true},
		{&app{}, true},
	} {
		cmd, _, err := tt.a.rootCommand().Find([]string{"prune"})
		if built := err == nil && cmd.Name() == "prune"; built != tt.built {
			t.Errorf("first argument %q, help %v: prune is there: %v, expected %v", tt.a.first, tt.a.asksHelp, built, tt.built)
		}
	}
}
