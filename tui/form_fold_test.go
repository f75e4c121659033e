package tui

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/steps"
	"lathe/tui/forms"
)

func realDesk(t *testing.T, w, h int) *desk {
	t.Helper()
	o := testOptions(graphtest.Model(t, branchy))
	o.Steps = steps.All
	return newDeskWith(t, o, w, h)
}

// TestFormFindsFoldedFields types a word on the fold: only the options that have it stay, and Enter
// goes to the first. Esc clears the word before it leaves the form.
func TestFormFindsFoldedFields(t *testing.T) {
	d := realDesk(t, 80, 24)
	d.press("b", "up").write("warm")
	d.sees("▾ with warm   1 of", "warmup")
	d.lacks("graph-capture")
	d.press("enter")
	if fl, _ := theForm(d).Focused(); fl == nil || fl.Name != "warmup" {
		t.Fatalf("Enter does not go to what was found:\n%s", d.screen())
	}
	d.write("3")
	d.press("up", "esc")
	d.sees("more options")
	d.lacks("▾ with")
	if !strings.Contains(theForm(d).Command, "--warmup=3") {
		t.Errorf("what was typed into a folded field is lost: %s", theForm(d).Command)
	}
	d.write("time per").press("backspace", "backspace", "backspace", "backspace").write("zzz")
	d.sees("▾ with timezzz   0 of")
	d.press("enter")
	d.sees("no option has that word")
	if !opens(forms.PlaceForm)(d) {
		t.Error("Enter runs the step")
	}
}

// TestFormFindsVisibleFields types a word that only the help of a visible field has: Enter goes there.
func TestFormFindsVisibleFields(t *testing.T) {
	d := realDesk(t, 80, 24)
	d.press("V", "up").write("labels")
	d.sees("▾ with labels   0 of", "above: data")
	d.press("enter")
	if fl, _ := theForm(d).Focused(); fl == nil || fl.Name != "data" {
		t.Errorf("Enter does not go to the visible field:\n%s", d.screen())
	}
}

// TestFormsBeginWithWhatMatters looks at the order of the visible fields.
func TestFormsBeginWithWhatMatters(t *testing.T) {
	for step, want := range map[string]string{
		"bench":            "models batch threads seconds ep dim data input opt",
		"profile":          "batch seconds ep threads dim data input opt",
		"validate":         "a b data ep dim input layers generate reduce reference torch",
		"quantize dynamic": "weight-type data per-channel exclude include include-ops out force",
		"quantize static":  "weight-type activation-type format data calibration samples per-channel exclude include include-ops out force",
	} {
		d := realDesk(t, 80, 40)
		d.perform(forms.OpenForm(d.app.ws, step))
		var got []string
		for _, fl := range theForm(d).Fields {
			if !fl.Rare {
				got = append(got, fl.Name)
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s: the form shows\n%s, want\n%s", step, s, want)
		}
	}
}

// TestFormWrapsHelp: no line of a help text is cut, and every empty field says what applies.
func TestFormWrapsHelp(t *testing.T) {
	d := realDesk(t, 60, 30)
	d.press("b")
	for range 200 {
		f := theForm(d)
		fl, _ := f.Focused()
		if fl != nil {
			words := strings.Join(strings.Fields(d.screen()), " ")
			if help := strings.Fields(strings.ReplaceAll(fl.Usage(), "`", "")); !strings.Contains(words, strings.Join(help, " ")) {
				t.Errorf("%s: the help is cut:\n%s", fl.Name, d.screen())
			}
		}
		if f.At == f.Lines()-1 {
			if fl != nil {
				break
			}
			d.press("space")
		}
		d.press("down")
	}
	d = realDesk(t, 80, 40)
	d.press("V")
	d.sees("generated values", "cpu", "chosen so that the model runs", "none", "[ ]")
	d.press("esc", "b")
	d.sees("‹ all, the default ›  disable, basic, extended, layout", "chosen by ONNX Runtime", "another")
}

// TestLabelsMatchFlags: a field is called as the command calls it.
func TestLabelsMatchFlags(t *testing.T) {
	d := realDesk(t, 100, 50)
	d.press("V", "up", "space")
	d.sees("--a ", "--b ", " out ")
	d.lacks("a-option")
	d.lacks("reduce-out")
	for _, s := range steps.All() {
		for _, o := range s.Options() {
			if o.Flag == "" {
				continue
			}
			isOperand := false
			for _, other := range s.Options() {
				isOperand = isOperand || other.Operand && other.Name == o.Flag
			}
			if !isOperand {
				t.Errorf("%s: option %s has the flag --%s, and no operand has that name", s.Name(), o.Name, o.Flag)
			}
		}
	}
}

// TestFormFooter names only keys that work on the focused field.
func TestFormFooter(t *testing.T) {
	d := realDesk(t, 80, 30)
	d.press("b")
	d.sees("Enter run  Tab complete, next  Ctrl-N list  Esc back, keeps what was typed")
	d.press("down", "down")
	d.sees("Enter run  Tab complete, next  Esc back, keeps what was typed")
	d.lacks("Ctrl-N")
	d.press("ctrl+n")
	d.sees("there are no names or files to list for this field")
}

// TestFormOfBenchForCache shows first what matters for a model that generates. A draft that was
// typed while the form had the other order is not put into the wrong fields.
func TestFormOfBenchForCache(t *testing.T) {
	m, err := graphops.Open("../testdata/decoders/grouped.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := testOptions(m)
	o.Steps = steps.All
	d := newDeskWith(t, o, 80, 24)
	summary := d.app.ws.Types.Summary
	if summary == nil {
		t.Fatal("it is not known what the model is")
	}
	d.app.ws.Types.Summary = nil
	d.press("b")
	d.lacks("depth ")
	d.press("down", "down").write("2").press("esc")
	d.app.ws.Types.Summary = summary
	d.press("b")
	d.sees("depth", "prompt", "tokens", "batch", "threads", "seconds", "ep", "opt", "more options")
	for _, fl := range theForm(d).Fields {
		if fl.Name != "models" && len(fl.Values()) > 0 {
			t.Errorf("%s has %q of the draft", fl.Name, fl.Values())
		}
	}
	for range 5 {
		d.press("down")
		if fl, _ := theForm(d).Focused(); fl != nil && fl.Name == "depth" {
			break
		}
	}
	d.write("0,8")
	if c := theForm(d).Command; !strings.Contains(c, "--depth=0,8") {
		t.Errorf("the form makes %s", c)
	}
}
