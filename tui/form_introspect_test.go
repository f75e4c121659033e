package tui

import (
	"context"
	"os"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	torchsteps "lathe/session/steps/torch"
	"lathe/tui/forms"
	"lathe/tui/shell"
)

// TestFormTellsHeldFiles: a value that contains a path is not mistaken for one, and what is wrong
// with the path is reported before anything runs.
func TestFormTellsHeldFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("net.py", []byte("import torch\nclass Net(torch.nn.Module):\n  pass\ndef make(): pass\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, graphtest.Model(t, branchy), 80, 60)
	d.app.ws.Options.Steps = func() []session.Step { return []session.Step{new(torchsteps.Export)} }
	d.perform(forms.OpenForm(d.app.ws, "torch export"))
	for _, c := range []struct{ field, value, want string }{
		{"target", "net.py:make", ""},
		{"target", "package.module:make", ""},
		{"target", "net.py", `net.py: expected FILE.py:CALLABLE; it defines "Net", "make"`},
		{"target", "gone.py:make", "there is no file gone.py"},
		{"target", "gone.pt2", "there is no file gone.pt2"},
		{"target", "net", "net: expected FILE.py:CALLABLE, module:callable, or a saved .pt2 or .pt"},
		{"input", "x=gone.npy", "there is no file gone.npy"},
		{"input", "x=f32[2,3]", ""},
	} {
		f := theForm(d)
		fl := f.Field(c.field)
		fl.Lines[0], fl.Told = shell.NewTextfield(c.value), true
		d.perform(f.Changed())
		if got := fl.Flaw(0); got != c.want {
			t.Errorf("%s %q: flaw %q, want %q", c.field, c.value, got, c.want)
		}
		fl.Lines[0] = shell.NewTextfield("")
	}
}

// introspecting is a step that finds out with what a model is called.
type introspecting struct{ *fakeStep }

func (introspecting) Introspects() {}

// introspected are names that a preview found.
type introspected struct{ words }

func (introspected) Nameable(of session.Subject) []session.Nameable {
	switch of {
	case session.NamesArgument:
		return []session.Nameable{{Name: "batch.masks.0", About: "f32 2×8"}}
	case session.NamesAxis:
		return []session.Nameable{{Name: "batch.masks.0:0", About: "2"}, {Name: "batch.masks.0:1", About: "8"}}
	}
	return nil
}

// introspectingDesk counts how often the step is previewed.
func introspectingDesk(t *testing.T, previews *int) *desk {
	d := newDesk(t, graphtest.Model(t, branchy), 100, 40)
	d.app.ws.Options.Steps = func() []session.Step {
		var axes, inputs []string
		var out string
		return []session.Step{introspecting{&fakeStep{
			name: "export",
			options: []session.Option{
				session.List(&axes, "dynamic", "`NAME:AXIS`").Naming(session.NamesAxis, "="),
				session.List(&inputs, "input", "`NAME=WHAT`").Naming(session.NamesArgument, "="),
				session.Path(&out, "out", "write to `FILE`").AsTarget().As(session.RoleModel).AsRequired(),
			},
			preview: func(context.Context, session.Env, *graphops.Model) (session.Preview, error) {
				*previews++
				return session.Preview{Report: introspected{"takes batch.masks.0"}}, nil
			},
		}}}
	}
	return d.press("E")
}

// TestFormIntrospects: a step that runs the user's code is previewed only on request, even without
// a file name. What the preview found is offered and used to check what is entered; nothing comes
// from the open model.
func TestFormIntrospects(t *testing.T) {
	t.Chdir(t.TempDir())
	previews := 0
	d := introspectingDesk(t, &previews)
	goTo(d, "out")
	d.write("new.onnx")
	goTo(d, "dynamic")
	d.write("mask").press("ctrl+n")
	if theForm(d).Offer.IsOpen() || previews > 0 {
		t.Errorf("before a preview %v is offered, and there were %d", theForm(d).Offer.IsOpen(), previews)
	}
	goTo(d, "out")
	for range len("new.onnx") {
		d.press("backspace")
	}
	d.press("ctrl+p")
	d.sees("takes batch.masks.0")
	goTo(d, "dynamic")
	d.press("tab").sees(`there is no input or output "mask"`)
	goTo(d, "dynamic")
	d.press("backspace", "backspace", "backspace", "backspace").write("masks.0:")
	d.sees("batch.masks.0:1  8")
	d.press("tab")
	if got := valuesOf(d, "dynamic"); got != "batch.masks.0:0" {
		t.Errorf("taken: %q", got)
	}
	goTo(d, "input")
	d.write("mas").press("tab")
	if got := valuesOf(d, "input"); got != "batch.masks.0=" {
		t.Errorf("taken: %q", got)
	}
	if previews != 1 {
		t.Errorf("%d previews, and one was asked for", previews)
	}
}
