package tui

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/steps/measure"
	"lathe/tui/forms"
	"lathe/tui/shell"
)

func init() {
	naming := func(d *desk) { useNaming(d); d.press("E") }
	effects[forms.PlaceForm][shell.ActionComplete] = effect{func(d *desk) { naming(d); d.write("jo") }, func(d *desk) bool {
		return valuesOf(d, "node") == "join"
	}}
	effects[forms.PlaceForm]["offer"] = effect{naming, func(d *desk) bool { return theForm(d).Offer.IsOpen() }}
	views = append(views, []struct{ name, keys string }{
		{"form-offer", "e ctrl+n down"},
	}...)
}

// fakeNaming is a step with options that name everything a model has.
func fakeNaming() session.Step {
	s := &fakeStep{name: "export"}
	var nodes, ops, values, axes, symbols, attrs, in []string
	var out string
	var force bool
	s.options = []session.Option{
		session.List(&nodes, "node", "`NAME`").Naming(session.NamesNode, ""),
		session.List(&ops, "op", "`OP`").Naming(session.NamesOp, ""),
		session.List(&values, "value", "`OLD=NEW`").Naming(session.NamesValue, "="),
		session.List(&axes, "axis", "`NAME:AXIS`").Naming(session.NamesAxis, "="),
		session.List(&symbols, "symbol", "`SYMBOL=N`").Naming(session.NamesSymbol, "=").InParts(func(v string) []string { return strings.Split(v, ",") }),
		session.List(&attrs, "attribute", "`ATTR`").Naming(session.NamesAttribute, ""),
		session.List(&in, "in", "`PLACE`").Naming(session.NamesPlace, ""),
		session.Path(&out, "out", "write to `FILE`").WithDefault("nothing is written").AsTarget().As(session.RoleModel),
		session.Switch(&force, "force", "replace FILE").As(session.RoleForce),
	}
	s.run = func(context.Context, session.Env, *graphops.Model) (session.Result, error) {
		return session.Result{Report: words("nothing")}, nil
	}
	return s
}

func useNaming(d *desk) {
	d.app.ws.Options.Steps = func() []session.Step { return []session.Step{fakeNaming()} }
}

func namingDesk(t *testing.T, model string) *desk {
	t.Helper()
	t.Chdir(t.TempDir())
	d := newDesk(t, graphtest.Model(t, model), 80, 24)
	useNaming(d)
	return d.press("E")
}

// values returns the values of a field of the form.
func valuesOf(d *desk, name string) string { return strings.Join(theForm(d).Field(name).Values(), " ") }

func goTo(d *desk, name string) {
	f := theForm(d)
	f.Focus(f.Field(name))
	d.app.sync()
}

func TestFormOffersNames(t *testing.T) {
	const model = branchy + branchyBody
	for _, c := range []struct{ field, typed, want string }{
		{"node", "jo", "join"},
		{"value", "mask", "mask="},
		{"axis", "mask:", "mask:0"},
		{"attribute", "ax", "axis"},
		{"in", "th", "choose:then_branch"},
	} {
		d := namingDesk(t, model)
		goTo(d, c.field)
		d.write(c.typed)
		d.sees("Tab takes it")
		d.press("tab")
		if got := valuesOf(d, c.field); got != c.want {
			t.Errorf("%s: %q becomes %q, want %q", c.field, c.typed, got, c.want)
		}
		if theForm(d).Offer.IsOpen() {
			t.Errorf("%s: names are offered after one was taken", c.field)
		}
	}
}

// TestFormOffersByKeys moves through the completions, accepts one with Enter, and closes the list
// with Esc without closing the form.
func TestFormOffersByKeys(t *testing.T) {
	d := namingDesk(t, branchy)
	d.press("ctrl+n")
	d.sees("fc  MatMul", "left  Relu", "6 names")
	d.press("down", "down", "up", "enter")
	if got := valuesOf(d, "node"); got != "left" {
		t.Errorf("taken: %q, want left", got)
	}
	d.press("down").write("r").press("esc")
	d.lacks("takes it")
	if !opens(forms.PlaceForm)(d) {
		t.Error("Esc closes the form with the names")
	}
	d.press("tab", "tab")
	if fl, _ := theForm(d).Focused(); fl.Name == "node" {
		t.Error("without names on offer Tab does not lead on")
	}
}

// TestFormOffersInItsPlace offers and fills in what the place of the form contains.
func TestFormOffersInItsPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	d := newDesk(t, graphtest.Model(t, branchy+branchyBody), 100, 30)
	toBody(d)
	d.press("o", "enter")
	useNaming(d)
	d.press("E")
	if got := valuesOf(d, "in"); got != "choose:then_branch" {
		t.Fatalf("the place is %q", got)
	}
	goTo(d, "value")
	d.press("ctrl+n")
	d.sees("t  Neg")
	d.lacks("p  Split")
}

func TestFormTellsFlaws(t *testing.T) {
	d := namingDesk(t, branchy+"input s f32[batch]\n")
	for _, name := range []string{"taken.onnx", "other.onnx"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ field, value, want string }{
		{"node", "lefd", `there is no node "lefd"; nearest: "left"`},
		{"node", "left", ""},
		{"node", "#3", ""},
		{"value", "mas=x", `there is no value "mas"; nearest: "mask"`},
		{"value", "mask=x", ""},
		{"axis", "nask:0=n", `there is no input or output "nask"`},
		{"axis", "mask:0=n", ""},
		{"axis", "mask:7", ""},
		{"symbol", "bath=2", `there is no symbol "bath"; nearest: "batch"`},
		{"symbol", "batch=2", ""},
		{"symbol", "batch=2,batch=3", ""},
		{"symbol", "batch=2,bath=3", `there is no symbol "bath"`},
		{"attribute", "anything", ""},
		{"out", "taken.onnx", "taken.onnx exists already; set force to replace it"},
		{"out", "new.onnx", ""},
		{"out", "nowhere/new.onnx", "there is no folder nowhere"},
	} {
		f := theForm(d)
		fl := f.Field(c.field)
		fl.Lines[0], fl.Told = shell.NewTextfield(c.value), true
		goTo(d, c.field)
		d.perform(f.Changed())
		d.perform(f.Collect())
		if got := fl.Flaw(0); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s %q: flaw %q, want %q", c.field, c.value, got, c.want)
		}
		if c.want != "" {
			d.sees(c.want[:20])
		}
		fl.Lines[0] = shell.NewTextfield("")
	}
	fl := theForm(d).Field("out")
	fl.Lines[0] = shell.NewTextfield("taken.onnx")
	theForm(d).Field("force").Chosen = 1
	d.perform(theForm(d).Changed())
	if fl.Flaw(0) != "" {
		t.Error("a file that may be replaced is a flaw")
	}
}

// TestFormTellsTargets: a file that a step writes need not exist, and one that it reads must.
func TestFormTellsTargets(t *testing.T) {
	t.Chdir(t.TempDir())
	d := newDesk(t, graphtest.Model(t, branchy), 80, 60)
	d.app.ws.Options.Steps = func() []session.Step { return []session.Step{new(measure.RunModel)} }
	d.perform(forms.OpenForm(d.app.ws, "run-model"))
	for field, want := range map[string]string{
		"save": "", "save-inputs": "", "data": "there is no file new.npz",
	} {
		fl := theForm(d).Field(field)
		fl.Lines[0], fl.Told = shell.NewTextfield("new.npz"), true
		d.perform(theForm(d).Changed())
		if got := fl.Flaw(0); got != want {
			t.Errorf("%s: flaw %q, want %q", field, got, want)
		}
	}
}

// TestFormWaitsWithFlaws reports nothing while the user types, and everything when they pause or
// leave the field.
func TestFormWaitsWithFlaws(t *testing.T) {
	d := namingDesk(t, branchy)
	d.hold = true
	d.press("z", "z")
	d.lacks("there is no node")
	d.resume()
	d.sees(`there is no node "zz"`)
	d.press("backspace", "backspace")
	d.lacks("there is no node")
}

func TestFormFoldsWhatIsRare(t *testing.T) {
	d := kindsDesk(t)
	d.press("a")
	d.sees("▸ 4 more options; a word typed here finds one: word, n, x, on")
	d.lacks("› n ")
	for range theForm(d).Lines() - 1 {
		d.press("down")
	}
	d.sees("› ▸ Space shows 4 more options, type to find one: word, n, x, on")
	d.press("space").sees("› ▾ Space less, type to find one")
	d.press("down", "down").write("many").press("enter")
	d.sees("▾ 4 more options; a word typed here finds one", `--n: "many" is not an integer`)
	d.press("up", "up", "space")
	d.sees("4 more options")
	d.press("enter")
	if fl, _ := theForm(d).Focused(); fl == nil || fl.Name != "n" {
		t.Error("an error in a folded field is not gone to")
	}
}

// TestFormHints shows dimmed what applies without an option.
func TestFormHints(t *testing.T) {
	d := namingDesk(t, branchy)
	goTo(d, "out")
	for range 40 {
		d.press("backspace")
	}
	d.sees("nothing is written")
	d = branchyDesk(t, 80, 24)
	d.press("V")
	d.sees("needed")
}

func TestFormSaysHowLongAPreviewTakes(t *testing.T) {
	now := time.Unix(0, 0)
	o := testOptions(graphtest.Model(t, branchy))
	o.Now = func() time.Time { return now }
	d := newDeskWith(t, o, 80, 24)
	d.press("a")
	d.sees("frees x:0=batch")
	d.hold = true
	d.press("1")
	d.sees(" previewing ", "frees x:0=batch")
	now = now.Add(2300 * time.Millisecond)
	d.sees("previewing, 2.3 s")
	d.resume()
	d.lacks("previewing")
	d.sees("frees x:0=batch1")
}

func TestRangeFillsForms(t *testing.T) {
	d := branchyDesk(t, 80, 24)
	d.press("j", "j", "v", "j", "j")
	for step, field := range map[string]string{"delete": "node", "bypass": "node", "quantize static": "exclude"} {
		if diff := cmp.Diff([]string{"fc", "left", "right"}, forms.EditGuesses(d.app.ws, step)[field]); diff != "" {
			t.Errorf("%s: %s", step, diff)
		}
	}
	d.press("v")
	if got := forms.EditGuesses(d.app.ws, "quantize static")["exclude"]; got != nil {
		t.Errorf("without a range %v is excluded", got)
	}
}

// TestStaleNames delivers the answer to an earlier question last.
func TestStaleNames(t *testing.T) {
	d := namingDesk(t, branchy)
	d.write("x").press("backspace")
	d.hold = true
	d.press("f")
	early := d.waiting
	d.waiting = nil
	d.press("backspace", "l")
	late := d.waiting
	d.waiting, d.hold = nil, false
	for _, cmd := range append(late, early...) {
		d.perform(cmd)
	}
	d.sees("left  Relu")
	d.lacks("fc  MatMul")
}
