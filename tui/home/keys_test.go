package home

import (
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/config"
	"lathe/tui/controls"
	"lathe/tui/controls/keytest"
)

// effects has a test for each action: keys to press first, and a check of the effect.
var effects = map[string]struct {
	before []string
	check  func(d *desk) bool
}{
	actionAccept:    {[]string{"down"}, func(d *desk) bool { return d.quit && d.app.choice.Path == "encoder.int8.onnx" }},
	actionNext:      {nil, selects(models, "encoder.int8.onnx")},
	actionPrevious:  {[]string{"down", "down"}, selects(models, "encoder.int8.onnx")},
	"page-down":     {nil, func(d *desk) bool { return d.app.sections[models].rows.Cursor > 1 }},
	"page-up":       {[]string{"pgdown"}, selects(models, "classifier.onnx")},
	"top":           {[]string{"end"}, selects(models, "classifier.onnx")},
	"bottom":        {nil, selects(sessions, "vision.onnx")},
	actionOther:     {nil, selects(sessions, "encoder.onnx")},
	actionClose:     {nil, func(d *desk) bool { return d.quit && d.app.choice == Choice{} && !d.app.interrupted }},
	actionInterrupt: {nil, func(d *desk) bool { return d.quit && d.app.choice == Choice{} && d.app.interrupted }},
	actionRedraw:    {nil, func(d *desk) bool { return d.cleared }},
	actionSuspend:   {nil, func(d *desk) bool { return d.suspended }},
}

func selects(section int, name string) func(*desk) bool {
	return func(d *desk) bool {
		at, selected := d.selected()
		return at == section && selected == name
	}
}

// TestEveryBinding presses every key and checks its effect. It fails for an action without a check.
func TestEveryBinding(t *testing.T) {
	o := fixture(t)
	bound := map[string]string{}
	for _, b := range Actions(nil) {
		for _, k := range b.Keys {
			t.Run(b.Name+"/"+k, func(t *testing.T) {
				if other, ok := bound[k]; ok {
					t.Errorf("%s means %s too", k, other)
				}
				bound[k] = b.Name
				if got := keytest.Press(t, k).String(); got != k {
					t.Errorf("the bytes of %q arrive as %q", k, got)
				}
				e, ok := effects[b.Name]
				if !ok || b.Help == "" {
					t.Fatal("the action has no check, or no help")
				}
				d := newDesk(t, o, 80, 14).press(e.before...)
				if d.press(k); !e.check(d) {
					at, name := d.selected()
					t.Errorf("section %d, %q is selected:\n%s", at, name, d.screen())
				}
			})
		}
	}
}

// TestOwnKeys rebinds an action to a key, which then no longer edits the query.
func TestOwnKeys(t *testing.T) {
	o := fixture(t)
	o.Settings.Keys = []config.Binding{{Place: "home", Action: "next", Keys: []string{"J"}}, {Action: "close", Keys: []string{"ctrl+q"}}, {Place: "main", Action: "next", Keys: []string{"x"}}}
	d := newDesk(t, o, 80, 24).press("J")
	if !selects(models, "encoder.int8.onnx")(d) || d.app.line.Value() != "" {
		t.Errorf("the new key does not move:\n%s", d.screen())
	}
	d.sees("J next", "Ctrl-Q leave")
	if d.press("down", "esc"); d.quit || !selects(models, "encoder.int8.onnx")(d) {
		t.Error("a key that was taken away still works")
	}
	if d.press("ctrl+q"); !d.quit {
		t.Error("the new key does not leave")
	}
}

// TestSectionsAreOneList moves from the models to the sessions and back.
func TestSectionsAreOneList(t *testing.T) {
	d := newDesk(t, fixture(t), 80, 24)
	last := len(d.app.files) - 1
	for range last + 1 {
		d.press("down")
	}
	if !selects(sessions, "encoder.onnx")(d) {
		t.Error("below the last model is not the first session")
	}
	if d.press("up"); d.app.focused() != models || d.app.sections[models].rows.Cursor != last {
		t.Error("above the first session is not the last model")
	}
	if d.press("end", "down", "end"); !selects(sessions, "vision.onnx")(d) {
		t.Error("the last session is not the end")
	}
	d.press("tab").press("home").press("up")
	if !selects(models, "classifier.onnx")(d) {
		t.Error("the first model is not the beginning")
	}
}

// TestChoices checks the chosen paths: relative for models in the folder, absolute for sessions of
// other folders.
func TestChoices(t *testing.T) {
	o := fixture(t)
	elsewhere, err := filepath.Abs("elsewhere/vision.onnx")
	if err != nil {
		t.Fatal(err)
	}
	if elsewhere, err = filepath.EvalSymlinks(elsewhere); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		typed string
		keys  []string
		want  string
	}{
		{"", []string{"enter"}, "classifier.onnx"},
		{"dec exp", []string{"enter"}, "exports/decoder.onnx"},
		{"", []string{"tab", "enter"}, "encoder.onnx"},
		{"vision", []string{"enter"}, elsewhere},
		{"elsewhere", []string{"enter"}, elsewhere},
		{"trunc", []string{"enter"}, "truncated.onnx"},
		{"zzz", []string{"enter"}, ""},
		{"zzz", []string{"ctrl+u", "enter"}, "classifier.onnx"},
	} {
		d := newDesk(t, o, 80, 24).write(c.typed).press(c.keys...)
		if d.app.choice.Path != c.want || d.quit != (c.want != "") {
			t.Errorf("%q and %v choose %q, want %q", c.typed, c.keys, d.app.choice.Path, c.want)
		}
	}
}

func TestMouse(t *testing.T) {
	d := newDesk(t, fixture(t), 80, 24)
	at := d.app.layout()
	d.click(5, at.rows[models].Y+2)
	if !selects(models, "encoder.onnx")(d) || d.quit {
		t.Errorf("a click selects nothing:\n%s", d.screen())
	}
	d.click(5, at.rows[models].Y+at.rows[models].H-1).click(5, at.query.Y).click(5, at.divider.Y)
	if !selects(models, "encoder.onnx")(d) || d.quit {
		t.Error("a click beside the rows does something")
	}
	d.click(5, at.rows[sessions].Y+1)
	if !selects(sessions, "vision.onnx")(d) {
		t.Errorf("a click selects no session:\n%s", d.screen())
	}
	if d.click(5, at.rows[sessions].Y+1); !d.quit || filepath.Base(d.app.choice.Path) != "vision.onnx" {
		t.Error("a click on what is selected does not open it")
	}
	o := testOptions(numbered(t, 100))
	d = newDesk(t, o, 80, 24)
	d.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelDown})
	if n := d.app.sections[models].rows.Top; n != controls.Wheel(tea.MouseWheelDown) {
		t.Errorf("the list begins with row %d", n)
	}
	d.send(tea.MouseWheelMsg{X: 5, Y: 5, Button: tea.MouseWheelUp})
	if n := d.app.sections[models].rows.Top; n != 0 {
		t.Errorf("back, the list begins with row %d", n)
	}
	if d.app.View().MouseMode == tea.MouseModeNone {
		t.Error("the mouse is off")
	}
	o.Settings.Mouse = false
	if d = newDesk(t, o, 80, 24); d.app.View().MouseMode != tea.MouseModeNone {
		t.Error("the mouse is on against the settings")
	}
}
