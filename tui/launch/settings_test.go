package launch

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/adrg/xdg"

	"lathe/session/command"
	"lathe/tui/config"
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

// TestRememberedTheme: a theme that was chosen in the workbench holds at the next start, unless
// --theme says otherwise or the settings name another one since then.
func TestRememberedTheme(t *testing.T) {
	t.Cleanup(xdg.Reload) // with the environment as it was
	configHome := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", configHome)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	xdg.Reload()
	starts := func(d display, want string) {
		t.Helper()
		if c, notices := d.settings(); c.Theme != want || len(notices) > 0 {
			t.Errorf("the theme is %q, expected %q; %v", c.Theme, want, notices)
		}
	}
	starts(display{}, config.ThemeAuto)
	if err := rememberTheme(t.Context(), config.ThemeLight, config.ThemeAuto); err != nil {
		t.Fatal(err)
	}
	starts(display{}, config.ThemeLight)
	starts(display{theme: config.ThemeNone}, config.ThemeNone)

	path := config.Path(configHome)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("theme: high-contrast\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	starts(display{}, config.ThemeHighContrast) // it was set after the choice
	if err := rememberTheme(t.Context(), config.ThemeDark, config.ThemeHighContrast); err != nil {
		t.Fatal(err)
	}
	starts(display{}, config.ThemeDark)
	if err := rememberTheme(t.Context(), config.ThemeHighContrast, config.ThemeHighContrast); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(themeFile()); !os.IsNotExist(err) {
		t.Errorf("the theme of the settings is remembered, too: %v", err)
	}
	for _, bad := range []string{"", "dark", "pink high-contrast", "dark high-contrast light", strings.Repeat("dark ", 100)} {
		if err := os.WriteFile(themeFile(), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		starts(display{}, config.ThemeHighContrast)
	}
}
