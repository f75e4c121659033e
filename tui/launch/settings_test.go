package launch

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"lathe/session/command"
)

// TestConfigJSON checks the JSON keys that scripts depend on.
func TestConfigJSON(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	program := command.Program{Version: "test", NewWorkbench: func() command.Workbench { return &Workbench{} }}
	var out, errOut bytes.Buffer
	if code := program.Run(t.Context(), []string{"config", "--json"}, strings.NewReader(""), &out, &errOut); code != 0 {
		t.Fatalf("exit code %d: %s", code, errOut.String())
	}
	var answer map[string]any
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("schema path theme ascii mouse alt_screen screen_reader columns keys") {
		if _, ok := answer[key]; !ok {
			t.Errorf("no key %q", key)
		}
	}
	keys, _ := answer["keys"].([]any)
	if len(keys) == 0 {
		t.Fatal("no keys of actions")
	}
	for _, key := range []string{"place", "action", "keys"} {
		if _, ok := keys[0].(map[string]any)[key]; !ok {
			t.Errorf("an action has no %q", key)
		}
	}
}
