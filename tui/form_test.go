package tui

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops/graphtest"
	"lathe/graphops/parameters/parameterstest"
	"lathe/session"
	"lathe/session/steps"
	"lathe/tui/cells"
	"lathe/tui/controls/keytest"
	"lathe/tui/forms"
	"lathe/tui/shell"
)

// everyKind is a step with an option of every kind.
func everyKind() session.Step {
	var s struct {
		word, file, mode, need string
		names, files           []string
		n                      int64
		x                      float64
		on                     bool
		out                    string
	}
	f := &fakeStep{name: "axes"}
	f.options = []session.Option{
		session.Text(&s.word, "word", "any text"), session.Path(&s.file, "file", "a file"),
		session.Choice(&s.mode, "mode", "how", "fast", "slow"), session.Choice(&s.need, "need", "how", "one", "two").AsRequired(),
		session.List(&s.names, "names", "names"), session.Paths(&s.files, "files", "files"),
		session.Int(&s.n, "n", "a count", 1), session.Float(&s.x, "x", "a number"),
		session.Switch(&s.on, "on", "a switch"), session.Path(&s.out, "out", "write to").AsTarget().As(session.RoleModel),
	}
	f.run = fakeAxes().(*fakeStep).run
	return f
}

func kindsDesk(t *testing.T) *desk {
	t.Helper()
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = func() []session.Step { return []session.Step{everyKind()} }
	return newDeskWith(t, o, 80, 40)
}

// unfold shows all fields of a form, in the order of the options.
func unfold(d *desk) {
	for _, fl := range theForm(d).Fields {
		fl.Rare = false
	}
	d.app.sync()
}

func TestFormOfEveryKind(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"f.txt", "m.onnx"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := kindsDesk(t)
	d.press("a")
	unfold(d)
	d.write("a word").press("down").write("f.txt").press("down", "space", "down", "right", "down")
	d.write("a,b").press("down").write("c:0").press("down", "down").write("m.onnx").press("down", "down")
	d.write("12").press("down").write("0.5").press("down", "space")
	want := "lathe axes model.onnx --word='a word' --file=f.txt --mode=fast --need=two --names=a,b --names=c:0 --files=m.onnx --n=12 --x=0.5 --on"
	if diff := cmp.Diff(want, theForm(d).Command); diff != "" {
		t.Error(diff)
	}
	d.press("enter")
	d.sees("axes: ok")
}

func TestFormSaysWhatIsWrong(t *testing.T) {
	d := kindsDesk(t)
	d.press("a")
	unfold(d)
	for range 6 {
		d.press("down")
	}
	d.write("many")
	d.sees(`--n: "many" is not an integer of at least 1`)
	d.press("enter")
	if d.app.dialogs.Top().Place() != forms.PlaceForm {
		t.Fatalf("the step ran:\n%s", d.screen())
	}
	d.press("backspace", "backspace", "backspace", "backspace")
	d.lacks("is not a whole number")
}

func TestFormGoesToWhatIsMissing(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("V", "enter")
	d.sees("b is required")
	if fl, _ := theForm(d).Focused(); fl.Name != "b" {
		t.Errorf("the focus is on %s, want b", fl.Name)
	}
}

func TestFormListLines(t *testing.T) {
	d := kindsDesk(t)
	d.press("a")
	unfold(d)
	d.press("down", "down", "down", "down").write("one").press("down").write("two").press("up")
	fl, _ := theForm(d).Focused()
	if diff := cmp.Diff([]string{"one", "two"}, fl.Values()); diff != "" {
		t.Error(diff)
	}
	d.press("backspace", "backspace", "backspace", "backspace")
	if diff := cmp.Diff([]string{"two"}, fl.Values()); diff != "" {
		t.Error(diff)
	}
	if len(fl.Lines) != 2 {
		t.Errorf("the list has %d lines, want 2: its value and one for the next", len(fl.Lines))
	}
}

func TestFormIsFilledIn(t *testing.T) {
	t.Chdir(t.TempDir())
	d := branchyDesk(t, 80, 24)
	d.press("a")
	d.sees("x:0=batch")
	d.press("esc", "j", "j", "j", "space", "E")
	d.sees("output", "a", "model.a.onnx", "exports to model.a.onnx")
	d.press("enter", "esc", "Q")
	d.sees("‹ int8, the default ›", "model.a.int8.onnx")
	d.press("enter", "esc", "V")
	d.sees("lathe validate model.onnx model.a.int8.onnx")
	d.press("esc", "b")
	d.sees("lathe bench model.onnx model.a.int8.onnx")
}

func TestFormAvoidsExistingFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"model.export.onnx", "model.export-2.onnx"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := branchyDesk(t, 80, 24)
	d.press("E")
	d.sees("model.export-3.onnx")
	d.press("esc")
	d.hold = true
	d.press("E", "up", "left", "right").write("x") // a key that moves the cursor keeps the proposed path
	d.resume()
	d.sees("model.export.onnxx")
}

// TestFormPreviewIsOfTheLastText delivers the answer to an earlier question last.
func TestFormPreviewIsOfTheLastText(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("a")
	d.hold = true
	d.press("1")
	d.resume()
	d.sees("frees x:0=batch1")
	d.hold = true
	d.press("2", "3")
	early, late := d.waiting[0], d.waiting[1]
	d.waiting, d.hold = nil, false
	d.send(late())
	d.send(early())
	d.sees("frees x:0=batch123")
}

// TestFormKeepsRawNames fills in a name that no terminal can display: it is shown escaped, and the
// step gets the real name.
func TestFormKeepsRawNames(t *testing.T) {
	raw := "a\x1b[2J\\b"
	f := shell.NewTextfield(raw)
	if got := f.Value(); got != raw {
		t.Errorf("the value is %q, want %q", got, raw)
	}
	if s, _ := f.View(20); s != cells.Fit(`a\x1b[2J\b`, 20) {
		t.Errorf("it shows as %q", s)
	}
	f.Typed(keytest.Press(t, "x"))
	if got, want := f.Value(), raw+"x"; got != want {
		t.Errorf("with something behind it the value is %q, want %q", got, want)
	}
	f.Typed(keytest.Press(t, "home"))
	f.Typed(keytest.Press(t, "y"))
	if got, want := f.Value(), `ya\x1b[2J\bx`; got != want {
		t.Errorf("after an edit the value is %q, want %q", got, want)
	}
}

func TestTextfieldScrolls(t *testing.T) {
	f := shell.NewTextfield("0123456789")
	if s, x := f.View(6); s != "…6789 " || x != 5 {
		t.Errorf("got %q with the cursor at %d", s, x)
	}
	f.Typed(keytest.Press(t, "home"))
	if s, x := f.View(6); s != "01234…" || x != 0 {
		t.Errorf("got %q with the cursor at %d", s, x)
	}
}

func TestPaste(t *testing.T) {
	d := kindsDesk(t)
	d.press("a")
	d.paste("pasted\n\x1b[2J\u202eword")
	if d.hasControls() {
		t.Errorf("what was pasted reaches the terminal: %q", d.app.View().Content)
	}
	d.sees(`pasted`, `\u{202e}word`)
}

func TestFileWord(t *testing.T) {
	for in, want := range map[string]string{
		"features": "features", "/fc1/Gemm_output_0": "Gemm_output_0", "a/b:c d\x1b": "bcd", "层": "", "..": "",
	} {
		if got := forms.FileWord(in); got != want {
			t.Errorf("fileWord(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRecipeIsSaved(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	d := branchyDesk(t, 80, 24)
	d.press("s")
	d.sees("there is no step yet")
	d.press("j", "j", "j", "space", "p", "E", "enter", "esc", "s")
	d.sees("save the recipe as", "model.yaml")
	d.press("enter")
	d.sees("saved the recipe as model.yaml")
	got, err := os.ReadFile(filepath.Join(dir, "model.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := "lathe: 2\nmodel: model.onnx\nsteps:\n  - prune: {output: [a]}\n  - export: {out: model.a.onnx}\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	d.press("u", "s", "enter")
	d.sees("replace?", "model.yaml exists already.")
	d.press("y")
	d.sees("saved the recipe as model.yaml")
	if got, err = os.ReadFile(filepath.Join(dir, "model.yaml")); err != nil {
		t.Fatal(err)
	}
	want = "lathe: 2\nmodel: model.onnx\nsteps:\n  - prune: {output: [a]}\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestRecipeThatCannotBeSaved(t *testing.T) {
	t.Chdir(t.TempDir())
	d := branchyDesk(t, 80, 24)
	d.press("j", "j", "space", "p", "s", "home").write("nowhere/").press("enter")
	d.sees("there is no folder nowhere")
	d.press("q")
	d.sees("is in no file and no recipe")
}

func TestEditsAreFilledInFromTheCursor(t *testing.T) {
	d := newDeskWith(t, testOptions(graphtest.Model(t, `
		input x f32[n,2]
		output y f32[2]
		value a f32[n,?]
		named: a, b = Split(x)
		twin: c = Relu(a)
		twin: y = Neg(c)`)), 80, 24)
	ws := d.app.ws
	type guess = map[string][]string
	at := func(rows int, step string, want guess) {
		t.Helper()
		for range rows {
			d.press("j")
		}
		if diff := cmp.Diff(want, forms.EditGuesses(ws, step), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	at(0, "delete", guess{"node": nil})
	at(0, "rename", guess{"value": {"x="}})
	at(1, "bypass", guess{"node": {"named"}})
	at(0, "insert", guess{"value": {"a"}})
	at(0, "annotate", guess{"value": {"a=f32[floor(n/2),2]", "b=f32[floor(n/2),2]"}})
	at(1, "attribute", guess{"node": {"#1"}})
	at(2, "rename", guess{"value": {"y="}})
	at(0, "prune", guess{})
}

// TestFormShowsWhatFits: the parameters of a file are shown beside the inputs of the model, all of
// them, even if they do not fit.
func TestFormShowsWhatFits(t *testing.T) {
	o := testOptions(graphtest.Model(t, "input x f32[2,3]\ninput w f32[3,4]\ninput v f32[4]\nh = MatMul(x, w)\ny = Add(h, v)\noutput y f32[2,4]"))
	o.Steps = steps.All
	d := newDeskWith(t, o, 100, 40)
	weights := filepath.Join(t.TempDir(), "w.safetensors")
	for _, c := range []struct {
		header string
		bytes  int
		want   []string
	}{
		{`{"w":{"dtype":"F32","shape":[3,4],"data_offsets":[0,48]},"v":{"dtype":"F32","shape":[4],"data_offsets":[48,64]}}`, 64, []string{"weights are initializers, not inputs", "takes 2 tensors", "as one file"}},
		{`{"w":{"dtype":"F32","shape":[4,3],"data_offsets":[0,48]},"u":{"dtype":"F32","shape":[4],"data_offsets":[48,64]}}`, 64, []string{"does not fit: 1 of another type or shape, 0 missing", "wrong  w", "f32 3×4", "4×3", `nothing takes "u"`}},
	} {
		if err := os.WriteFile(weights, parameterstest.Safetensors(c.header, make([]byte, c.bytes)), 0o600); err != nil {
			t.Fatal(err)
		}
		d.press("E")
		for at, _ := theForm(d).Focused(); at.Name != "weights"; at, _ = theForm(d).Focused() {
			d.press("down")
		}
		d.paste(weights)
		d.sees(c.want...)
		d.press("ctrl+c")
	}
}

// TestFormKeepsWhatWasTyped leaves a form with Esc and opens it again, then forgets it with Ctrl-C.
func TestFormKeepsWhatWasTyped(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("V", "down").write("other.onnx").press("esc", "V")
	d.sees("other.onnx", "the values are those that were typed before")
	d.press("ctrl+c")
	if !closed(d) || d.quit {
		t.Fatalf("Ctrl-C does not close the form:\n%s", d.screen())
	}
	d.press("V")
	d.lacks("other.onnx")
	d.press("esc", "E", "up", "left", "right").write("x").press("esc", "j", "j", "space", "E")
	d.sees("model.h.onnx") // another file is proposed, so what was typed is for something else
	d.lacks("model.h.onnxx")
	d.lacks("model.export.onnx")
}
